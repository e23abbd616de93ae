/** A bundle of its own, next to the one that every hook loads: for the hooks that read a store. */
import { loadSessionStartContext } from '../../engine/hooks/sessionStartContext.js';
import { loadToolCallContext } from '../../engine/hooks/toolCallContext.js';
import { createStopTask } from './tasks.js';

export const hookContext = { createStopTask, loadSessionStartContext, loadToolCallContext };
