/**
 * What does the memory make of an update? Pairs of statements, each in a set of its own: the newer one replaces the older,
 * narrows it, says the same, or only looks alike. Through the tools, without a model's judgement.
 */
import path from 'node:path';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import { rememberTool } from '../../src/tools/remember.js';
import { runTool } from '../../src/tools/tool.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { dataFile, readJsonLines, type BenchOptions } from './kit/options.js';
import { share, type Report } from './kit/report.js';

interface UpdatePair {
  readonly id: string;
  readonly old: string;
  readonly new: string;
  readonly question: string;
  readonly label: 'replaces' | 'narrows' | 'same' | 'unrelated-lookalike';
}

interface PairResult {
  readonly label: UpdatePair['label'];
  readonly contradicts: boolean;
  readonly related: boolean;
  readonly reinforced: boolean;
  /** Whether the newer statement is the first hit for the question, and whether the older one is above it. */
  readonly currentFirst: boolean;
  readonly staleAbove: boolean;
  readonly strangerConflict: boolean;
}

export async function run(options: BenchOptions): Promise<Report> {
  const file = dataFile('assistant/updates', options, 'jsonl');
  const pairs = (readJsonLines(file) as readonly UpdatePair[]).slice(0, options.limit ?? Infinity);
  const results: PairResult[] = [];
  await inTemporaryFolder(async folder => {
    let time = Date.now();
    const host = { ...benchHost(path.join(folder, 'data'), () => new Date(time)), workspaceFolders: [folder] };
    const engine = await openEngine(host);
    try {
      for (const [i, pair] of pairs.entries()) {
        time += 1000;
        results.push(await tryPair(engine, pair, pairs[(i + 37) % pairs.length]!.old, () => (time += 1000)));
      }
    } finally {
      await engine.close();
    }
  });
  const of = (...labels: readonly UpdatePair['label'][]): PairResult[] =>
    results.filter(it => labels.includes(it.label));
  const replaced = of('replaces');
  const known = replaced.filter(it => it.contradicts);
  return {
    name: 'updates',
    n: results.length,
    figures: {
      recognized: share(replaced, it => it.contradicts),
      related: share(replaced, it => it.contradicts || it.related),
      lookalikeConflict: share(of('unrelated-lookalike'), it => it.contradicts),
      strangerConflict: share(results, it => it.strangerConflict),
      sameKnown: share(of('same'), it => it.reinforced || it.related),
      currentFirst: share(replaced, it => it.currentFirst),
      staleAbove: share(replaced, it => it.staleAbove),
      staleAboveKnown: share(known, it => it.staleAbove),
    },
    baseline: {},
    notes: [],
  };
}

async function tryPair(
  engine: MemoryEngine,
  pair: UpdatePair,
  stranger: string,
  tick: () => void,
): Promise<PairResult> {
  const remember = async (content: string, scopeId: string): Promise<StoredOutcome> => {
    tick();
    const input = { facts: [{ content, scopeId, appliesTo: 'project' }] };
    const { structured } = await runTool(rememberTool, engine, input, { source: 'mcp' });
    return structured.outcomes[0] as unknown as StoredOutcome;
  };
  const older = await remember(pair.old, pair.id);
  const newer = await remember(pair.new, pair.id);
  tick();
  const { hits } = await engine.recall({ query: pair.question, scopeId: pair.id, isUntracked: true, withoutCut: true });
  const ids = hits.map(it => it.memory.id.slice(-8));
  const [at, before] = [ids.indexOf(newer.id ?? ''), ids.indexOf(older.id ?? '')];
  await remember(stranger, `${pair.id} stranger`);
  const beside = await remember(pair.new, `${pair.id} stranger`);
  return {
    label: pair.label,
    contradicts: newer.contradicts !== undefined,
    related: newer.related !== undefined,
    reinforced: newer.outcome === 'reinforced',
    currentFirst: at === 0,
    staleAbove: before >= 0 && newer.id !== older.id && (at < 0 || before < at),
    strangerConflict: beside.contradicts !== undefined,
  };
}

interface StoredOutcome {
  readonly outcome: string;
  readonly id?: string;
  readonly contradicts?: unknown;
  readonly related?: unknown;
}
