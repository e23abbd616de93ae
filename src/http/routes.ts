import { contextTool } from '../operations/context.js';
import { embedTool } from '../operations/embed.js';
import { forgetTool } from '../operations/forget.js';
import { listTool } from '../operations/list.js';
import { maintainTool } from '../operations/maintain.js';
import { metricsTool } from '../operations/metrics.js';
import { recallTool } from '../operations/recall.js';
import { rememberTool } from '../operations/remember.js';
import { getTool } from '../operations/show.js';
import type { Tool } from '../operations/tool.js';
import { tracesTool } from '../operations/traces.js';

export type RouteMethod = 'GET' | 'POST' | 'DELETE';

/** A call of a tool by HTTP: the tool says what goes in and comes out, and the route where it is found. */
export interface Route {
  readonly method: RouteMethod;
  /** `{id}` stands for one part of the path. */
  readonly path: string;
  readonly tool: Tool;
  readonly summary: string;
  /** Names that other programs use for the tool's own -> the tool's name, for the OpenAPI document. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Puts those names into the tool's own. */
  readonly rename?: (input: Fields) => Fields;
  /** Whether something new was made by a call that succeeded: 201. */
  readonly isCreated?: (output: Fields) => boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

const isNewlyStored = ({ outcomes }: Fields): boolean =>
  (outcomes as readonly { readonly outcome: string }[]).some(it => it.outcome === 'stored');

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `metadata.tags` -> `tags`, `metadata.sensitive` -> `sensitive`, which is refused */
function renameMetadata({ metadata, ...input }: Fields): Fields {
  if (!isFields(metadata)) return input;
  const { tags, sensitive } = metadata;
  return { ...(tags === undefined ? {} : { tags }), ...(sensitive === undefined ? {} : { sensitive }), ...input };
}

/** `top_k` -> `limit`, and the fields of `filters` move next to the query */
function renameFilters({ top_k: limit, filters, ...input }: Fields): Fields {
  return { ...(isFields(filters) ? filters : {}), ...(limit === undefined ? {} : { limit }), ...input };
}

function renameDryRun({ dry_run: dryRun, ...input }: Fields): Fields {
  return dryRun === undefined ? input : { dryRun, ...input };
}

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/memory',
    tool: rememberTool,
    summary: 'Remember facts',
    aliases: { metadata: 'An object whose tags are taken.' },
    rename: renameMetadata,
    isCreated: isNewlyStored,
  },
  { method: 'GET', path: '/memory', tool: listTool, summary: 'List memories, newest first' },
  {
    method: 'POST',
    path: '/memory/query',
    tool: recallTool,
    summary: 'Search the memories',
    aliases: { top_k: 'As limit.', filters: 'An object with what else stands beside the query: gates, kinds, tags …' },
    rename: renameFilters,
  },
  {
    method: 'POST',
    path: '/memory/meditate',
    tool: maintainTool,
    summary: 'What upkeep would do; doing it is for a person alone',
    aliases: { dry_run: 'As dryRun; also in the query of the address.' },
    rename: renameDryRun,
  },
  { method: 'GET', path: '/memory/metrics', tool: metricsTool, summary: 'Counts, quotas, upkeep and speed' },
  { method: 'POST', path: '/memory/embed', tool: embedTool, summary: 'Take vectors that were made elsewhere' },
  { method: 'GET', path: '/memory/{id}', tool: getTool, summary: 'Get one memory' },
  {
    method: 'DELETE',
    path: '/memory/{id}',
    tool: forgetTool,
    summary: 'Ask for a memory to be forgotten; a person decides',
  },
  {
    method: 'POST',
    path: '/v1/remember',
    tool: rememberTool,
    summary: 'Remember facts',
    isCreated: isNewlyStored,
  },
  { method: 'POST', path: '/v1/recall', tool: recallTool, summary: 'Search the memories' },
  { method: 'POST', path: '/v1/context', tool: contextTool, summary: 'What is remembered about a task, as a text' },
  { method: 'GET', path: '/v1/traces', tool: tracesTool, summary: 'Records of past searches' },
];

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
