import type { StoreReport } from './engine/model/rememberOutcome.js';
import type { Edge } from './engine/model/edge.js';
import type { ConfidenceCurve, ExplainedTrace, ActiveCountForecast } from './engine/model/explanation.js';
import type { MaintenanceRun, Metrics } from './engine/model/maintenance.js';
import type { Memory } from './engine/model/memory.js';
import type { FeatureName, TraceFilter, TraceSummary } from './engine/model/trace.js';

/**
 * The whole contract between the Memory Inspector and the extension host. Both sides are built from the same commit, so
 * it has no version; what the webview keeps for itself has one (webview-ui/state.ts).
 */

export const pageNames = ['traces', 'confidence', 'graph', 'health'] as const;
export type PageName = (typeof pageNames)[number];

/** Where the inspector is asked to go. Without an id it stays with what it showed last. */
export interface NavigationTarget {
  readonly page: PageName;
  /** Of the page `traces` a trace, of the others a memory; `newest` is the newest trace. */
  readonly id?: string;
}

/** A memory with what is computed for it now. */
export interface MemoryCard extends Memory {
  /** 0-100. */
  readonly effectiveConfidence: number;
}

export interface TraceView extends Omit<ExplainedTrace, 'memories'> {
  /** By id; without those that are gone. */
  readonly memories: Readonly<Record<string, MemoryCard>>;
}

export interface ConfidenceView extends Omit<ConfidenceCurve, 'memory'> {
  readonly memory: MemoryCard;
}

/** A memory and those it hangs together with, strongest first. */
export interface NeighborsView {
  readonly memory: MemoryCard;
  readonly neighbors: readonly { readonly edge: Edge; readonly memory: MemoryCard }[];
}

export interface HealthView {
  readonly metrics: Metrics;
  /** The setting that names the embedding model. */
  readonly embeddingsSetting: string;
  /** The last few, newest first. */
  readonly runs: readonly MaintenanceRunView[];
}

/** A run that was, and how many of the memories it archived can be made active again in one go. */
export interface MaintenanceRunView {
  readonly run: MaintenanceRun;
  readonly undoableCount: number;
}

/** What maintenance would do now. */
export interface MaintenancePreviewView {
  readonly runs: readonly MaintenanceRun[];
  /** Those it would touch, by id. */
  readonly memories: Readonly<Record<string, MemoryCard>>;
}

/** What the webview may ask, and what it gets. Each may fail instead, with a sentence for a person. */
export interface Requests {
  /** Newest first. */
  readonly traces: { readonly input: TraceFilter; readonly result: readonly TraceSummary[] };
  readonly trace: { readonly input: { readonly id: string }; readonly result: TraceView };
  /** Asks the same once more, past the cache; answers with the new trace's id. */
  readonly recallAgain: { readonly input: { readonly id: string }; readonly result: string };
  readonly feedback: {
    readonly input: { readonly id: string; readonly useful: boolean };
    readonly result: MemoryCard;
  };
  readonly confidence: { readonly input: { readonly id: string }; readonly result: ConfidenceView };
  /** Days before and after now. */
  readonly forecast: { readonly input: { readonly days: number }; readonly result: ActiveCountForecast };
  readonly neighbors: { readonly input: { readonly id: string }; readonly result: NeighborsView };
  readonly health: { readonly input: undefined; readonly result: HealthView };
  /** Changes nothing. */
  readonly previewMaintenance: { readonly input: undefined; readonly result: MaintenancePreviewView };
  /** Asks the person where memories would go, shows its progress, and can be called off; undefined when they said no. */
  readonly runMaintenance: { readonly input: undefined; readonly result: readonly MaintenanceRun[] | undefined };
  /** Makes active again what a run archived; answers with how many those were. */
  readonly undoMaintenance: { readonly input: { readonly run: string }; readonly result: number };
  readonly pin: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  readonly verify: { readonly input: undefined; readonly result: readonly StoreReport[] };
  /** Lets the person choose a memory in a list of VS Code; undefined when none was chosen. */
  readonly pickMemory: { readonly input: undefined; readonly result: string | undefined };
  /** Whether any memory is in use. */
  readonly hasMemories: { readonly input: undefined; readonly result: boolean };
  /** Lets the person type what is to be remembered. */
  readonly remember: { readonly input: undefined; readonly result: undefined };
  /** Lets the person ask for something. */
  readonly recall: { readonly input: undefined; readonly result: undefined };
  /** Opens the memory's page. */
  readonly openMemory: { readonly input: { readonly id: string }; readonly result: undefined };
}
export type RequestName = keyof Requests;

/** One request of any sort; its answer or its failure comes with the same number. */
export type RequestMessage = {
  [Name in RequestName]: {
    readonly type: 'request';
    readonly requestId: number;
    readonly name: Name;
    readonly input: Requests[Name]['input'];
  };
}[RequestName];

export type FromWebview =
  /** The script runs and listens; `initialize` answers it. */
  { readonly type: 'ready' } | RequestMessage;

export type ToWebview =
  | { readonly type: 'initialize'; readonly initialState: InitialState }
  | { readonly type: 'response'; readonly requestId: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly requestId: number; readonly message: string }
  /** Memories changed; what is shown should be asked for again. */
  | { readonly type: 'changed' }
  | { readonly type: 'navigate'; readonly target: NavigationTarget };

export interface InitialState {
  /** Translations of the webview's strings by the English ones; undefined where VS Code speaks English. */
  readonly bundle: Readonly<Record<string, string>> | undefined;
  /** BCP 47, for dates and numbers. */
  readonly language: string;
  /** The memory model's words as a person reads them, by kind of word and value. */
  readonly labels: Labels;
  /** Where to go first; undefined: where the person was. */
  readonly target?: NavigationTarget;
}

/** Words of the closed lists of the memory model; the extension has them already (src/vscode/words.ts, engineWords.ts). */
export interface Labels {
  readonly gate: Readonly<Record<Memory['gate'], string>>;
  readonly kind: Readonly<Record<Memory['kind'], string>>;
  readonly lane: Readonly<Record<Memory['lane'], string>>;
  readonly decayClass: Readonly<Record<Memory['decayClass'], string>>;
  readonly store: Readonly<Record<Memory['store'], string>>;
  /** What each measure of the search is. */
  readonly feature: Readonly<Record<FeatureName, string>>;
}
