import { httpTools } from '../operations/registry.js';
import type { Tool, ToolRoute } from '../operations/tool.js';

/** A route, with the tool that it calls. */
export interface Route extends ToolRoute {
  readonly tool: Tool;
}

export const routes: readonly Route[] = httpTools.flatMap(tool => (tool.routes ?? []).map(it => ({ ...it, tool })));

/** A route that a request names, and the id in its path. */
export interface FoundRoute {
  readonly route: Route;
  readonly id?: string;
}

/** The routes of a path, by any method: those without `{id}` before the one with it. */
export function findRoutes(path: string): readonly FoundRoute[] {
  const exact = routes.filter(it => it.path === path).map(route => ({ route }));
  if (exact.length > 0) return exact;
  const id = decodePart(/^\/memory\/([^/]+)$/u.exec(path)?.[1]);
  return id === undefined ? [] : routes.filter(it => it.path === '/memory/{id}').map(route => ({ route, id }));
}

function decodePart(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
