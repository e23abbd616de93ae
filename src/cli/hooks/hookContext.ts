/** A bundle of its own, next to the one that every hook loads: for the hooks that read a store. */
import { loadSessionStartContext } from '../../engine/sessionStartContext.js';
import { loadToolCallContext } from '../../engine/toolCallContext.js';
import { createStopTask } from './tasks.js';

export const hookContext = { createStopTask, loadSessionStartContext, loadToolCallContext };
