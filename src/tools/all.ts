import { feedbackTool } from './feedback.js';
import { forgetTool } from './forget.js';
import { recallTool } from './recall.js';
import { rememberTool } from './remember.js';
import type { Tool } from './tool.js';

/** Every tool that a model may call. */
export const tools: readonly Tool[] = [recallTool, rememberTool, forgetTool, feedbackTool];
