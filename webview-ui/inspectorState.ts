import { briefedPrograms, type BriefedProgram } from '../src/engine/model/briefing.js';
import { edgeTypes, type EdgeType } from '../src/engine/model/edge.js';
import { memoryOrders, type MemoryOrder } from '../src/engine/model/project.js';
import {
  formerPages,
  linkedViews,
  maxDrafts,
  maxSearchLength,
  maxTextLength,
  pageNames,
  type Draft,
  type ViewName,
} from '../src/protocol.js';

/** Days before and after now that the forecast can cover. */
export const outlookSpans = [30, 90, 365] as const;
export type OutlookSpan = (typeof outlookSpans)[number];

export const outlookGroupings = ['gate', 'decayClass'] as const;
export type OutlookGrouping = (typeof outlookGroupings)[number];

/** Memories whose neighbors are loaded again after a reload. */
const maxExpandedMemories = 100;

/** The state that survives a reload, or a move to another window. Stored by VS Code: fields keep their names. */
export interface InspectorState {
  /** Incremented when a field changes its meaning; a state of another version is discarded. */
  readonly version: 1;
  readonly page: ViewName;
  /** How the list of memories is searched, filtered and sorted. */
  readonly list: {
    /** By meaning. */
    readonly query: string;
    readonly words: string;
    readonly order: MemoryOrder;
    /** Lists memories that are no longer in use instead. */
    readonly outOfUse: boolean;
  };
  /** Text filter of the list of recalls. */
  readonly filter: string;
  /** Id of the open trace. */
  readonly trace: string | undefined;
  /** Id of the memory whose curve and neighbors are shown. */
  readonly memory: string | undefined;
  /** One per memory, the newest at the end. */
  readonly drafts: readonly Draft[];
  readonly graph: {
    /** Edge types. */
    readonly hidden: readonly EdgeType[];
    /** Ids of the memories whose neighbors are shown. */
    readonly expanded: readonly string[];
    /** The text that is searched for in the drawing. */
    readonly search: string;
    /** Id of a memory of the chosen community, as communities have no ids of their own. */
    readonly community: string | undefined;
  };
  readonly outlook: { readonly days: OutlookSpan; readonly by: OutlookGrouping };
  /** Id of the project, or of the global memory, whose memories are listed; undefined = all that this window reads. */
  readonly place: string | undefined;
  /** The open row of the inbox, unless it is an intake. */
  readonly need: string | undefined;
  /** The open intake. */
  readonly review: { readonly intake: string | undefined };
  /** Whose briefing is shown; undefined = of the first program on this machine. */
  readonly program: BriefedProgram | undefined;
  /** Id of the assistant whose button was pressed: the diff hides the inspector, and the focus comes back to it. */
  readonly assistant: string | undefined;
}

export const defaultInspectorState: InspectorState = {
  version: 1,
  page: 'memories',
  list: { query: '', words: '', order: 'newest', outOfUse: false },
  filter: '',
  trace: undefined,
  memory: undefined,
  drafts: [],
  graph: { hidden: [], expanded: [], search: '', community: undefined },
  outlook: { days: 90, by: 'gate' },
  place: undefined,
  need: undefined,
  review: { intake: undefined },
  program: undefined,
  assistant: undefined,
};

/** Validates a stored state. Invalid fields get their default, a state of another version is the default. */
export function parseInspectorState(stored: unknown): InspectorState {
  if (!isObject(stored) || stored.version !== defaultInspectorState.version) return defaultInspectorState;
  const graph = isObject(stored.graph) ? stored.graph : {};
  const outlook = isObject(stored.outlook) ? stored.outlook : {};
  const review = isObject(stored.review) ? stored.review : {};
  const list = isObject(stored.list) ? stored.list : {};
  return {
    version: defaultInspectorState.version,
    page: parseView(stored.page),
    list: {
      query: parseSearch(list.query),
      words: parseSearch(list.words),
      order: oneOfOr(memoryOrders, list.order, defaultInspectorState.list.order),
      outOfUse: list.outOfUse === true,
    },
    filter: parseSearch(stored.filter),
    trace: stringOrUndefined(stored.trace),
    memory: stringOrUndefined(stored.memory),
    drafts: arrayOrEmpty(stored.drafts).flatMap(parseDraft).slice(-maxDrafts),
    graph: {
      hidden: arrayOrEmpty(graph.hidden).flatMap(it => edgeTypes.filter(type => type === it)),
      expanded: arrayOrEmpty(graph.expanded)
        .flatMap(it => stringOrUndefined(it) ?? [])
        .slice(0, maxExpandedMemories),
      search: parseSearch(graph.search),
      community: stringOrUndefined(graph.community),
    },
    outlook: {
      days: oneOfOr(outlookSpans, outlook.days, defaultInspectorState.outlook.days),
      by: oneOfOr(outlookGroupings, outlook.by, defaultInspectorState.outlook.by),
    },
    place: stringOrUndefined(stored.place),
    need: stringOrUndefined(stored.need),
    review: { intake: stringOrUndefined(review.intake) },
    program: briefedPrograms.find(it => it === stored.program),
    assistant: stringOrUndefined(stored.assistant),
  };
}

/** Drafts with that of a memory in the place of its earlier one. @param draft absent = it is saved or cancelled */
export function withDraft(drafts: readonly Draft[], id: string, draft?: Draft): readonly Draft[] {
  const others = drafts.filter(it => it.id !== id);
  return draft === undefined ? others : [...others, draft].slice(-maxDrafts);
}

function parseDraft(stored: unknown): readonly Draft[] {
  if (!isObject(stored)) return [];
  const { id, before, text } = stored;
  const isDraft = typeof id === 'string' && typeof before === 'string' && typeof text === 'string';
  return isDraft ? [{ id, before, text: text.slice(0, maxTextLength) }] : [];
}

/** A page or view; one of an earlier version leads to where its content is now. */
function parseView(stored: unknown): ViewName {
  const views = [...pageNames, ...(Object.keys(linkedViews) as (keyof typeof linkedViews)[])];
  const known = views.find(it => it === stored);
  if (known !== undefined) return known;
  const isFormer = typeof stored === 'string' && Object.hasOwn(formerPages, stored);
  return isFormer ? formerPages[stored]! : defaultInspectorState.page;
}

function parseSearch(stored: unknown): string {
  return (stringOrUndefined(stored) ?? '').slice(0, maxSearchLength);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function arrayOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function oneOfOr<T>(values: readonly T[], value: unknown, fallback: T): T {
  return values.find(it => it === value) ?? fallback;
}
