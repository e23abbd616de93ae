/**
 * What does the memory make of an update? Pairs of statements, each in a set of its own: the newer one replaces the older,
 * narrows it, says the same, or only looks alike. Through the MCP server, without a model's judgement. A stranger is another
 * pair's older statement, about something else.
 */
import { dataFile, readJsonLines, type BenchOptions } from './kit/options.js';
import { recallMemories, rememberOutcomes, throughServer, type CallTool, type StoredOutcome } from './kit/rawClient.js';
import { share, type Figures, type Report } from './kit/report.js';

export interface UpdatePair {
  readonly id: string;
  readonly old: string;
  readonly new: string;
  readonly question: string;
  readonly label: 'replaces' | 'narrows' | 'same' | 'unrelated-lookalike';
}

interface PairResult {
  readonly label: UpdatePair['label'];
  readonly related: boolean;
  readonly reinforced: boolean;
  /** Whether the newer statement is the first hit for the question, and whether the older one is above it. */
  readonly currentFirst: boolean;
  readonly staleAbove: boolean;
  readonly strangerRelated: boolean;
}

export async function run(options: BenchOptions): Promise<Report> {
  const file = dataFile('assistant/updates', options, 'jsonl');
  const pairs = (readJsonLines(file) as readonly UpdatePair[]).slice(0, options.limit ?? Infinity);
  let figures: Figures = {};
  await throughServer(async call => {
    figures = await updateFigures(call, pairs);
  });
  return { name: 'updates', n: pairs.length, figures, baseline: {}, notes: [] };
}

/** Shares in percent, of the pairs of each label. */
export async function updateFigures(call: CallTool, pairs: readonly UpdatePair[]): Promise<Figures> {
  const results: PairResult[] = [];
  for (const [i, pair] of pairs.entries()) results.push(await tryPair(call, pair, pairs[(i + 37) % pairs.length]!.old));
  const of = (label: UpdatePair['label']): readonly PairResult[] => results.filter(it => it.label === label);
  const replaced = of('replaces');
  return {
    related: share(replaced, it => it.related),
    lookalikeRelated: share(of('unrelated-lookalike'), it => it.related),
    strangerRelated: share(results, it => it.strangerRelated),
    sameKnown: share(of('same'), it => it.reinforced || it.related),
    currentFirst: share(replaced, it => it.currentFirst),
    staleAbove: share(replaced, it => it.staleAbove),
  };
}

async function tryPair(call: CallTool, pair: UpdatePair, stranger: string): Promise<PairResult> {
  const remember = async (content: string, scopeId: string): Promise<StoredOutcome> => {
    const facts = [{ content, scopeId, appliesTo: 'project' }];
    return (await rememberOutcomes(call, { facts }))[0]!;
  };
  const older = await remember(pair.old, pair.id);
  const newer = await remember(pair.new, pair.id);
  const { memories } = await recallMemories(call, { query: pair.question, scopeId: pair.id });
  const ids = memories.map(it => it.id);
  const [at, before] = [ids.indexOf(newer.id ?? ''), ids.indexOf(older.id ?? '')];
  await remember(stranger, `${pair.id} stranger`);
  const besideStranger = await remember(pair.new, `${pair.id} stranger`);
  return {
    label: pair.label,
    related: newer.related !== undefined,
    reinforced: newer.outcome === 'reinforced',
    currentFirst: at === 0,
    staleAbove: before >= 0 && newer.id !== older.id && (at < 0 || before < at),
    strangerRelated: besideStranger.related !== undefined,
  };
}
