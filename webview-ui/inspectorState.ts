import { briefedPrograms, type BriefedProgram } from '../src/engine/model/briefing.js';
import { edgeTypes, type EdgeType } from '../src/engine/model/edge.js';
import { intakeChoices, type IntakeChoice } from '../src/engine/model/intake.js';
import { maxSearchLength, pageNames, type PageName } from '../src/protocol.js';

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
  readonly page: PageName;
  /** Text filter of the list of recalls. */
  readonly filter: string;
  /** Id of the open trace. */
  readonly trace: string | undefined;
  /** Id of the memory whose curve and neighbors are shown. */
  readonly memory: string | undefined;
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
  /** Id of the open project, or of the global memory. */
  readonly place: string | undefined;
  /** The open intake, and what is chosen of its items and not carried out yet, by their ids. */
  readonly review: {
    readonly intake: string | undefined;
    readonly choices: Readonly<Record<string, IntakeChoice>>;
  };
  /** Whose briefing is shown. */
  readonly program: BriefedProgram;
  /** Id of the assistant whose button was pressed: the diff hides the inspector, and the focus comes back to it. */
  readonly assistant: string | undefined;
}

export const defaultInspectorState: InspectorState = {
  version: 1,
  page: 'traces',
  filter: '',
  trace: undefined,
  memory: undefined,
  graph: { hidden: [], expanded: [], search: '', community: undefined },
  outlook: { days: 90, by: 'gate' },
  place: undefined,
  review: { intake: undefined, choices: {} },
  program: 'claude-code',
  assistant: undefined,
};

/** Validates a stored state. Invalid fields get their default, a state of another version is the default. */
export function parseInspectorState(stored: unknown): InspectorState {
  if (!isObject(stored) || stored.version !== defaultInspectorState.version) return defaultInspectorState;
  const graph = isObject(stored.graph) ? stored.graph : {};
  const outlook = isObject(stored.outlook) ? stored.outlook : {};
  const review = isObject(stored.review) ? stored.review : {};
  return {
    version: defaultInspectorState.version,
    page: oneOfOr(pageNames, stored.page, defaultInspectorState.page),
    filter: parseSearch(stored.filter),
    trace: stringOrUndefined(stored.trace),
    memory: stringOrUndefined(stored.memory),
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
    review: { intake: stringOrUndefined(review.intake), choices: parseChoices(review.choices) },
    program: oneOfOr(briefedPrograms, stored.program, defaultInspectorState.program),
    assistant: stringOrUndefined(stored.assistant),
  };
}

function parseChoices(stored: unknown): Readonly<Record<string, IntakeChoice>> {
  const entries = isObject(stored) ? Object.entries(stored) : [];
  return Object.fromEntries(
    entries.flatMap(([id, it]) => intakeChoices.filter(choice => choice === it).map(choice => [id, choice] as const)),
  );
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
