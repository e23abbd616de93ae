import { conflictsTool } from './conflicts.js';
import { contextTool } from './context.js';
import { embedTool } from './embed.js';
import { feedbackTool } from './feedback.js';
import { forgetTool } from './forget.js';
import { graphTool } from './graph.js';
import { listTool } from './list.js';
import { maintainTool } from './maintain.js';
import { metricsTool } from './metrics.js';
import { pinTool } from './pin.js';
import { recallTool } from './recall.js';
import { rememberTool } from './remember.js';
import { reviseTool } from './revise.js';
import { getTool } from './show.js';
import type { Tool } from './tool.js';
import { tracesTool } from './traces.js';

/** Tools for a chat inside VS Code: each more would be read by its model with every message. */
export const chatTools: readonly Tool[] = [recallTool, rememberTool, reviseTool, forgetTool];

/** Tools for an MCP client when its user asks for no more. */
export const defaultMcpTools: readonly Tool[] = [...chatTools, listTool, conflictsTool];

/** Every tool that a model may call. */
export const tools: readonly Tool[] = [
  ...defaultMcpTools,
  contextTool,
  feedbackTool,
  graphTool,
  pinTool,
  tracesTool,
  maintainTool,
  metricsTool,
];

/** Every tool that a client may be allowed or not: also what programs call over HTTP, and no model. */
export const clientTools: readonly Tool[] = [...tools, embedTool];

/** Every tool that other programs call over HTTP, each where its routes say. */
export const httpTools: readonly Tool[] = [...clientTools, getTool];
