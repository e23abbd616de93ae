import { estimateTokens } from '../../../src/engine/text/tokenEstimate.js';
import { recallMemories, rememberOutcomes, type CallTool } from './rawClient.js';
import { percent, share, type Figures } from './report.js';

interface WorldMemory {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly store: 'global' | 'project';
  readonly gate: string;
  readonly model: {
    readonly questions: readonly string[];
    readonly keywords: readonly string[];
    readonly replaces: readonly string[];
  };
}

interface WorldQuestion {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly best: string | null;
  readonly stale: readonly string[];
  readonly type: string;
  readonly model: { readonly alternatives: readonly string[]; readonly keywords: readonly string[] };
}

export interface World {
  readonly world: string;
  readonly memories: readonly WorldMemory[];
  readonly questions: readonly WorldQuestion[];
}

/** The answer to one question by ids of the world; `''` is a memory that comes from no text of the world. */
export interface WorldAnswer {
  readonly question: WorldQuestion;
  readonly returned: readonly string[];
  /** Older texts that are listed under their replacement, and texts marked as in conflict. */
  readonly marked: ReadonlySet<string>;
  readonly tokens: number;
}

/** `alone`: the text only; `searched`: written with a model's aids, asked without; `assisted`: both with them. */
export const modes = ['alone', 'searched', 'assisted'] as const;
export type Mode = (typeof modes)[number];

export interface WorldAnswers {
  readonly answers: WorldAnswer[];
  /** The store of each text, as the world and as the engine has it. */
  readonly stores: { readonly wanted: string; readonly given: string }[];
}

/** Writes a world into an empty memory and asks its questions. */
export async function askWorld(
  call: CallTool,
  { world, mode, limit = Infinity }: { readonly world: World; readonly mode: Mode; readonly limit?: number },
  into: WorldAnswers,
): Promise<void> {
  /** Ids in the world of the texts of each memory, by its short id. */
  const worldIds = new Map<string, string[]>();
  const shortIds = new Map<string, string>();
  for (const memory of world.memories) {
    for (const { id, store } of await rememberOutcomes(call, inputOf(memory, mode, shortIds))) {
      if (id === undefined || store === undefined) continue;
      worldIds.set(id, [...(worldIds.get(id) ?? []), memory.id]);
      if (!shortIds.has(memory.id)) shortIds.set(memory.id, id);
      into.stores.push({ wanted: memory.store, given: store });
    }
  }
  const idsOf = (short: string): readonly string[] => worldIds.get(short) ?? [''];
  for (const question of world.questions.slice(0, limit)) into.answers.push(await ask(call, question, mode, idsOf));
}

/** Shares in percent, and means; defined in docs/performance.md. */
export function worldFigures({ answers, stores }: WorldAnswers): Figures {
  return { ...answerFigures(answers), ...storeFigures(stores) };
}

function inputOf({ text, model }: WorldMemory, mode: Mode, shortIds: ReadonlyMap<string, string>): object {
  const { questions, keywords } = model;
  const replaces = model.replaces.flatMap(it => shortIds.get(it) ?? []);
  return mode === 'alone'
    ? { content: text }
    : { facts: [{ content: text, questions, keywords, ...(replaces.length > 0 ? { replaces } : {}) }] };
}

async function ask(
  call: CallTool,
  question: WorldQuestion,
  mode: Mode,
  idsOf: (short: string) => readonly string[],
): Promise<WorldAnswer> {
  const { alternatives, keywords } = question.model;
  const input = mode !== 'assisted' ? { query: question.query } : { query: question.query, alternatives, keywords };
  const { memories, answer } = await recallMemories(call, input);
  const marked = memories.filter(it => it.conflict !== undefined || it.contradicts !== undefined);
  return {
    question,
    returned: [...new Set(memories.flatMap(it => idsOf(it.id)))],
    marked: new Set(marked.flatMap(it => idsOf(it.id))),
    tokens: (estimateTokens(answer.text) + estimateTokens(JSON.stringify(answer.structured))) / 2,
  };
}

function answerFigures(answers: readonly WorldAnswer[]): Figures {
  const answerable = answers.filter(it => it.question.relevant.length > 0);
  const withBest = answerable.filter(it => it.question.best !== null);
  const unanswerable = answers.filter(it => it.question.relevant.length === 0);
  const changed = answerable.filter(it => it.question.stale.length > 0);
  const returned = answerable.reduce((sum, it) => sum + it.returned.length, 0);
  const relevant = answerable.reduce((sum, it) => sum + relevantIn(it, Infinity), 0);
  return {
    bestFirst: share(withBest, it => it.returned[0] === it.question.best),
    bestIn3: share(withBest, it => it.returned.slice(0, 3).includes(it.question.best!)),
    recall: percent(
      answerable.reduce((sum, it) => sum + relevantIn(it, 10) / it.question.relevant.length, 0) / answerable.length,
    ),
    precision: percent(returned === 0 ? 0 : relevant / returned),
    noneEmpty: share(unanswerable, it => it.returned.length === 0),
    staleAbove: share(changed, isStaleAbove),
    staleUnmarked: share(changed, it => it.question.stale.some(id => it.returned.includes(id) && !it.marked.has(id))),
    tokens: Math.round(answers.reduce((sum, it) => sum + it.tokens, 0) / answers.length),
    returned: Math.round((answers.reduce((sum, it) => sum + it.returned.length, 0) / answers.length) * 100) / 100,
  };
}

function relevantIn({ returned, question }: WorldAnswer, depth: number): number {
  return returned.slice(0, depth).filter(it => question.relevant.includes(it)).length;
}

function isStaleAbove({ returned, question }: WorldAnswer): boolean {
  const best = returned.indexOf(question.best!);
  return question.stale.some(it => {
    const stale = returned.indexOf(it);
    return stale >= 0 && (best < 0 || stale < best);
  });
}

function storeFigures(stores: readonly { readonly wanted: string; readonly given: string }[]): Figures {
  const ofProject = stores.filter(it => it.wanted === 'project');
  return {
    storeRight: share(stores, it => it.wanted === it.given),
    leaked: share(ofProject, it => it.given === 'global'),
  };
}
