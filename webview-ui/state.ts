import { edgeTypes, type EdgeType } from '../src/engine/model/edge.js';
import { pageNames, type PageName } from '../src/protocol.js';

/** Days before and after now that an outlook may show. */
export const outlookSpans = [30, 90, 365] as const;
export type OutlookSpan = (typeof outlookSpans)[number];

export const outlookGroupings = ['gate', 'decayClass'] as const;
export type OutlookGrouping = (typeof outlookGroupings)[number];

/** Memories whose neighbours are asked for again after a reload. */
const mostExpanded = 100;

/** What the inspector shows: all that has to outlive a reload or a move to another window. */
export interface State {
  /** Raised when a field changes its meaning; a state of another version is forgotten. */
  readonly version: 1;
  readonly page: PageName;
  /** Of the list of recalls. */
  readonly filter: string;
  /** The trace that is open. */
  readonly trace: string | undefined;
  /** The memory whose curve and neighbours are shown. */
  readonly memory: string | undefined;
  /** Types of links that are left out, and the memories whose neighbours are shown beside the first one's. */
  readonly graph: { readonly hidden: readonly EdgeType[]; readonly expanded: readonly string[] };
  readonly outlook: { readonly days: OutlookSpan; readonly by: OutlookGrouping };
}

export const firstState: State = {
  version: 1,
  page: 'traces',
  filter: '',
  trace: undefined,
  memory: undefined,
  graph: { hidden: [], expanded: [] },
  outlook: { days: 90, by: 'gate' },
};

/** Reads a kept state; what is missing or of another version becomes what it is at first. */
export function readState(kept: unknown): State {
  if (!isObject(kept) || kept.version !== firstState.version) return firstState;
  const graph = isObject(kept.graph) ? kept.graph : {};
  const outlook = isObject(kept.outlook) ? kept.outlook : {};
  return {
    version: firstState.version,
    page: oneOf(pageNames, kept.page, firstState.page),
    filter: text(kept.filter) ?? '',
    trace: text(kept.trace),
    memory: text(kept.memory),
    graph: {
      hidden: list(graph.hidden).flatMap(it => edgeTypes.filter(type => type === it)),
      expanded: list(graph.expanded)
        .flatMap(it => text(it) ?? [])
        .slice(0, mostExpanded),
    },
    outlook: {
      days: oneOf(outlookSpans, outlook.days, firstState.outlook.days),
      by: oneOf(outlookGroupings, outlook.by, firstState.outlook.by),
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function oneOf<T>(values: readonly T[], value: unknown, otherwise: T): T {
  return values.find(it => it === value) ?? otherwise;
}
