import type { BriefedProgram, BriefingBlock, LeftOutMemory } from './engine/model/briefing.js';
import type { HookMoment } from './engine/model/guards.js';
import type { StoreReport } from './engine/model/storeReport.js';
import type { Edge } from './engine/model/edge.js';
import type { ActiveCountForecast, ConfidenceCurve, ExplainedTrace } from './engine/model/explanation.js';
import type { CaptureCandidate } from './engine/model/capture.js';
import type {
  DecidedIntake,
  Intake,
  IntakeChoice,
  IntakeReview,
  LinePlace,
  UndoneIntake,
} from './engine/model/intake.js';
import type { MaintenanceRun, Metrics } from './engine/model/maintenance.js';
import type { ActionRequest, RequestedAction } from './engine/model/actionRequest.js';
import type { Conflict, ConflictResolution, PlanToReview, Replacement } from './engine/model/conflict.js';
import type { ArchiveReason, Memory, SearchAids } from './engine/model/memory.js';
import type { TextEdit } from './engine/model/rememberInput.js';
import type { MemoryPlace, PlaceInput } from './engine/model/project.js';
import type { RankingFeature } from './engine/model/rankingFeature.js';
import type { TraceFilter, TraceSummary } from './engine/model/trace.js';

/**
 * The whole contract between the Memory Inspector and the extension host. Both sides are built from the same commit, so
 * it has no version; the state that the webview stores has one (webview-ui/inspectorState.ts).
 */

/** The pages, each a tab. */
export const pageNames = ['memories', 'answers', 'inbox', 'access'] as const;
export type PageName = (typeof pageNames)[number];

/** Views that a link of a page opens in its place, and the page that it belongs to. */
export const linkedViews = { graph: 'memories', forecast: 'memories', briefing: 'access' } as const;
export type ViewName = PageName | keyof typeof linkedViews;

/** Pages of earlier versions, as stored states and links name them -> where their content is now. */
export const formerPages: Readonly<Record<string, PageName>> = {
  traces: 'answers',
  memory: 'memories',
  timeline: 'memories',
  projects: 'memories',
  review: 'inbox',
  health: 'access',
};

/**
 * As many memories as the graph asks for the edges between them, so that one message stays bounded: some 400 kB of ids. Nearly
 * twice what a hundred expanded memories draw, which is how many are loaded again after a reload: each with itself and the
 * fifty neighbors that the engine gives, 5,100 in all. More can be drawn by hand, and these lack the links between neighbors.
 */
export const maxDrawnMemories = 10_000;

/** Characters of a text that is searched or filtered by, as of the query of a recall. */
export const maxSearchLength = 2_000;
/** Characters of a memory's text in the editor: more than the engine takes, which says why it refuses a text. */
export const maxTextLength = 1_000_000;

/** A page of the inspector to go to. Without an id, the page keeps what it showed last. */
export interface NavigationTarget {
  readonly page: ViewName;
  /** The id of a recall on `answers`, of an intake on `inbox`, of a memory on the others. */
  readonly id?: string;
  /** Whether the search field of the page gets the keys. */
  readonly isSearch?: true;
  /** Whether the text of the memory is opened to be edited. */
  readonly isEdit?: true;
  /** Whether maintenance is previewed, without another click. */
  readonly isPreview?: true;
}

/** A memory and the values that are computed for it at this moment. */
export interface MemoryCard extends Memory {
  /** 0-100. */
  readonly effectiveConfidence: number;
  /** Until when it is kept, ISO-8601 UTC; absent where it lasts or is no longer in use. */
  readonly keptUntil?: string;
}

export interface TraceView extends Omit<ExplainedTrace, 'memories'> {
  /** By id; memories that no longer exist are absent. */
  readonly memories: Readonly<Record<string, MemoryCard>>;
}

/** One memory with its history and its future, and with what belongs to it. */
export interface MemoryPageView extends Omit<ConfidenceCurve, 'memory'> {
  readonly memory: MemoryCard;
  /** Where it is kept; absent for a memory that is no longer there. */
  readonly place?: Pick<MemoryPlace, 'id' | 'name'>;
  readonly aids: SearchAids;
  readonly neighbors: NeighborsView['neighbors'];
  /** The memory that replaces it; absent where nothing says so. */
  readonly replacement?: Pick<Replacement, 'by' | 'at' | 'isSame'> & { readonly memory: MemoryCard };
}

/** A memory and its neighbors in the graph, strongest edge first. */
export interface NeighborsView {
  readonly memory: MemoryCard;
  readonly neighbors: readonly { readonly edge: Edge; readonly memory: MemoryCard }[];
}

export interface HealthView {
  readonly metrics: Metrics;
  /** The value of the setting `recollect.embeddings`, or the name of the ONNX model. */
  readonly embeddingsSetting: string;
  /** The most recent runs, newest first. */
  readonly runs: readonly MaintenanceRunView[];
}

/** A past run, and how many of the memories that it archived can be restored at once. */
export interface MaintenanceRunView {
  readonly run: MaintenanceRun;
  readonly undoableCount: number;
}

/** The result of a dry run of maintenance. */
export interface MaintenancePreviewView {
  readonly runs: readonly MaintenanceRun[];
  /** The memories that it would change, by id. */
  readonly memories: Readonly<Record<string, MemoryCard>>;
}

/** A page of a list of memories. */
export interface MemoryListView {
  readonly memories: readonly MemoryCard[];
  /** Of all pages; absent where a question is answered, whose answers are not counted. */
  readonly total?: number;
  /** Whether there are more after these. */
  readonly hasMore: boolean;
}

/** Decisions that want a person, besides what came in by imports and captures. */
export interface NeedsView {
  /** Newest first, at most `maxNeeds`. */
  readonly conflicts: readonly ConflictView[];
  readonly plans: readonly (Pick<PlanToReview, 'why' | 'since'> & { readonly memory: MemoryCard })[];
  readonly requests: readonly RequestView[];
}

export interface ConflictView extends Pick<Conflict, 'reason' | 'since'> {
  /** Whether a person or a model said that one replaces the other; otherwise the encoder takes it to be likely. */
  readonly isStated: boolean;
  readonly newer: MemoryCard;
  readonly older: MemoryCard;
}

export interface RequestView extends Pick<ActionRequest, 'client' | 'author' | 'at'> {
  readonly action: RequestedAction;
  readonly memory: MemoryCard;
  /** The memory that takes its place; of `replace` and `merge`. */
  readonly replacement?: MemoryCard;
}

/** Id of the row of the inbox that previews and runs the maintenance. */
export const upkeepNeed = 'upkeep';

/** Conflicts that the inbox lists; where there are more, it says so. */
export const maxNeeds = 500;

/** What an import or a capture brought in. */
export interface IntakeReviewView extends Omit<IntakeReview, 'items'> {
  readonly items: readonly IntakeItemView[];
}

export type IntakeItemView =
  | { readonly memory: MemoryCard; readonly line?: LinePlace; readonly candidate?: undefined }
  | { readonly memory?: undefined; readonly line?: undefined; readonly candidate: CaptureCandidate };

/** A program that may reach the memory, and what is known of it. */
export interface AssistantView {
  readonly id: string;
  readonly title: string;
  /** The file that its connection is an entry of; absent for the chats of VS Code, which need none. */
  readonly file?: string;
  readonly installed: boolean;
  readonly connected: boolean;
  /** When it was last shown the list of tools; absent where that is not known. ISO-8601 UTC. */
  readonly toolsSeen?: string;
  readonly lastCall?: string;
  /** Why its file cannot be read: a sentence with the next step. */
  readonly problem?: string;
}

/** What a session of a program would be given now, and when its hooks may say something. */
export interface BriefingView {
  readonly program: BriefedProgram;
  /** Whether the program is on this machine. */
  readonly isInstalled: boolean;
  /** Whether a hook of the program has ever run, as far as the log of reads goes back. */
  readonly hasAsked: boolean;
  /** The rights of the program let its hooks read nothing. */
  readonly refused: boolean;
  readonly moments: readonly HookMoment[];
  /** Sentences above the lines, such as of a project that moved. */
  readonly notices: readonly string[];
  /** Estimated. */
  readonly tokens: number;
  readonly lines: readonly BriefingLineView[];
  readonly leftOut: readonly LeftOutMemory[];
  /** Memories that only a recall finds. */
  readonly others: number;
}

export interface BriefingLineView {
  readonly id: string;
  readonly block: BriefingBlock;
  /** As the assistant reads it, with its labels. */
  readonly text: string;
  /** Why it is there. */
  readonly reason: string;
}

/** The requests of the webview with their results. Any of them may fail instead, with a sentence for the user. */
export interface Requests {
  /** Newest first. */
  readonly traces: { readonly input: TraceFilter; readonly result: readonly TraceSummary[] };
  readonly trace: { readonly input: { readonly id: string }; readonly result: TraceView };
  /** Runs a recall again, past the cache. The result is the id of the new trace. */
  readonly recallAgain: { readonly input: { readonly id: string }; readonly result: string };
  readonly feedback: {
    readonly input: { readonly id: string; readonly useful: boolean };
    readonly result: MemoryCard;
  };
  readonly memory: { readonly input: { readonly id: string }; readonly result: MemoryPageView };
  /** `days` is the span before and after now. */
  readonly forecast: { readonly input: { readonly days: number }; readonly result: ActiveCountForecast };
  /** Undefined where the memory no longer exists. */
  readonly neighbors: { readonly input: { readonly id: string }; readonly result: NeighborsView | undefined };
  /** The edges whose two ends are both among the memories. At most `maxDrawnMemories` ids. */
  readonly edgesBetween: { readonly input: { readonly ids: readonly string[] }; readonly result: readonly Edge[] };
  readonly health: { readonly input: undefined; readonly result: HealthView };
  /** A dry run. */
  readonly previewMaintenance: { readonly input: undefined; readonly result: MaintenancePreviewView };
  /**
   * Asks for confirmation where memories would be archived or deleted, and shows progress that can be cancelled;
   * undefined when declined.
   */
  readonly runMaintenance: { readonly input: undefined; readonly result: readonly MaintenanceRun[] | undefined };
  /** Restores the memories that a run archived. The result is their number. */
  readonly undoMaintenance: { readonly input: { readonly run: string }; readonly result: number };
  /** Changes of one memory by a person's word, each with another one that takes it back. */
  readonly forget: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  readonly restore: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  readonly confirm: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  readonly pin: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  readonly unpin: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  /** Gives a memory another text. Fails where it holds a secret, or the text is no longer `edit.before`. */
  readonly editText: { readonly input: { readonly id: string; readonly edit: TextEdit }; readonly result: MemoryCard };
  /** Takes the last edit of its text back. Fails where the text is no longer the edited one. */
  readonly undoEdit: { readonly input: { readonly id: string }; readonly result: MemoryCard };
  /** Settles which of two memories holds; `a` is the first of `resolution`. */
  readonly settle: {
    readonly input: { readonly a: string; readonly b: string; readonly resolution: ConflictResolution };
    readonly result: undefined;
  };
  /** Takes back what `settle` did to the two since this window was opened. */
  readonly unsettle: { readonly input: { readonly a: string; readonly b: string }; readonly result: undefined };
  readonly needs: { readonly input: undefined; readonly result: NeedsView };
  /** Undone by `restore`. */
  readonly decidePlan: {
    readonly input: { readonly id: string; readonly decision: 'done' | 'drop' };
    readonly result: MemoryCard;
  };
  /** @param input.day `YYYY-MM-DD`, a day to come */
  readonly extendPlan: { readonly input: { readonly id: string; readonly day: string }; readonly result: MemoryCard };
  readonly decideRequest: {
    readonly input: { readonly id: string; readonly accept: boolean };
    /** Whether it is decided: a share is not where the person, who sees first what would be written, leaves that. */
    readonly result: boolean;
  };
  readonly copyText: { readonly input: { readonly text: string }; readonly result: undefined };
  /** Puts what a bug report needs on the clipboard: figures and settings, and no text of a memory. */
  readonly copyDiagnostics: { readonly input: undefined; readonly result: undefined };
  /** Runs a command that asks for everything it needs. */
  readonly runCommand: { readonly input: { readonly name: 'rights' | 'merge' }; readonly result: undefined };
  /** Runs the command "Edit Search Words…". */
  readonly editAids: { readonly input: { readonly id: string }; readonly result: undefined };
  /** Opens the code that a memory is about. */
  readonly openCode: { readonly input: { readonly id: string }; readonly result: undefined };
  readonly verify: { readonly input: undefined; readonly result: readonly StoreReport[] };
  /** Shows VS Code's picker of memories, with `text` typed into it; undefined when none was picked. */
  readonly pickMemory: { readonly input: { readonly text?: string }; readonly result: string | undefined };
  /** Whether any memory is active. */
  readonly hasMemories: { readonly input: undefined; readonly result: boolean };
  /** Runs the command "Remember…". */
  readonly remember: { readonly input: undefined; readonly result: undefined };
  /** Runs the command "Recall…". */
  readonly recall: { readonly input: undefined; readonly result: undefined };
  /** Every project on this machine, and the global memory. */
  readonly places: { readonly input: undefined; readonly result: readonly MemoryPlace[] };
  /** @param input.place absent = all that this window reads */
  readonly memories: {
    readonly input: Omit<PlaceInput, 'offset'> & { readonly place?: string; readonly offset: number };
    readonly result: MemoryListView;
  };
  /**
   * Asks where a memory should go, and moves or copies it there. The result says whether that was done.
   * @param input.place its place; absent = one that this window reads
   */
  readonly transfer: {
    readonly input: { readonly place?: string; readonly ids: readonly string[] };
    readonly result: boolean;
  };
  /** Imports and captures, newest first, after what captured sessions left undecided. */
  readonly intakes: { readonly input: undefined; readonly result: readonly Intake[] };
  readonly review: {
    readonly input: { readonly id: string; readonly limit: number };
    readonly result: IntakeReviewView;
  };
  /** Carries out what the person chose of an intake, by the id of a memory or candidate. */
  readonly decideIntake: {
    readonly input: { readonly id: string; readonly choices: Readonly<Record<string, IntakeChoice>> };
    readonly result: DecidedIntake;
  };
  /** Takes the last decision about an intake back. */
  readonly undoIntake: { readonly input: { readonly id: string }; readonly result: UndoneIntake };
  /** @param input.program absent = the first one on this machine */
  readonly briefing: { readonly input: { readonly program?: BriefedProgram }; readonly result: BriefingView };
  /** Switches a moment of the hooks on or off, for all programs and projects. */
  readonly setMoment: {
    readonly input: { readonly moment: HookMoment; readonly on: boolean };
    readonly result: undefined;
  };
  /** Who can reach the memory. */
  readonly assistants: { readonly input: undefined; readonly result: readonly AssistantView[] };
  /**
   * Shows in a diff editor how its file would change, so that it is connected or no longer is, and writes that after a yes.
   * The result says whether it was written.
   */
  readonly setConnected: {
    readonly input: { readonly id: string; readonly connected: boolean };
    readonly result: boolean;
  };
}
export type RequestName = keyof Requests;

/** A request of any name. Its response or failure has the same `requestId`. */
export type RequestMessage = {
  [Name in RequestName]: {
    readonly type: 'request';
    readonly requestId: number;
    readonly name: Name;
    readonly input: Requests[Name]['input'];
  };
}[RequestName];

/** A text that a person writes over that of a memory, until it is saved or cancelled. */
export interface Draft {
  /** Of the memory. */
  readonly id: string;
  /** The memory's text that the edit is of. */
  readonly before: string;
  readonly text: string;
}

/** Texts that are kept until they are saved: more than a person begins and leaves, and little enough to store. */
export const maxDrafts = 50;

export type FromWebview =
  /** The script has started to listen; `initialize` is the reply. */
  | { readonly type: 'ready' }
  /** All unsaved texts, after each change: the webview's own state goes with its tab. */
  | { readonly type: 'drafts'; readonly drafts: readonly Draft[] }
  | RequestMessage;

export type ToWebview =
  | { readonly type: 'initialize'; readonly initialState: InitialState }
  | { readonly type: 'response'; readonly requestId: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly requestId: number; readonly message: string }
  /** Memories changed: the webview should request again what it shows. */
  | { readonly type: 'changed' }
  | { readonly type: 'navigate'; readonly target: NavigationTarget };

export interface InitialState {
  /** English string -> translation; undefined when VS Code's language is English. */
  readonly bundle: Readonly<Record<string, string>> | undefined;
  /** BCP 47, for dates and numbers. */
  readonly language: string;
  readonly labels: Labels;
  /** The first page to show; undefined = the page of the stored state. */
  readonly target?: NavigationTarget;
  /** Texts that were not saved when the tab was closed, in this window. */
  readonly drafts: readonly Draft[];
}

/** Display names of the memory model's enumerations, localized by the extension (src/vscode/l10n). */
export interface Labels {
  readonly gate: Readonly<Record<Memory['gate'], string>>;
  readonly kind: Readonly<Record<Memory['kind'], string>>;
  readonly lane: Readonly<Record<Memory['lane'], string>>;
  readonly decayClass: Readonly<Record<Memory['decayClass'], string>>;
  readonly store: Readonly<Record<Memory['store'], string>>;
  /** Who said it, or where it was found. */
  readonly source: Readonly<Record<Memory['provenance']['source'], string>>;
  /** Why a memory is no longer in use. */
  readonly inactive: Readonly<Record<ArchiveReason | 'archived' | 'superseded', string>>;
  /** One sentence per feature of the search. */
  readonly feature: Readonly<Record<RankingFeature | 'date', string>>;
}
