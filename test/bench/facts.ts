/**
 * What is kept of what people say to an assistant? Labelled statements with the lasting facts in them, split and filed by
 * the MCP server. A stored text is a labelled fact where they share most of their words. `countRight` and `invented` are of the
 * statements that hold a fact; `keptWithout` is the share of the others of which something is stored, as for any text
 * that a caller asks to remember.
 */
import { analyzeText, isStopWord } from '../../src/engine/text/analyzer.js';
import { dataFile, readJsonLines, type BenchOptions } from './kit/options.js';
import { rememberOutcomes, throughServer } from './kit/rawClient.js';
import { percent, share, type Report } from './kit/report.js';

interface Statement {
  readonly id: string;
  readonly text: string;
  readonly keep: boolean;
  readonly facts: readonly { readonly text: string; readonly store: 'global' | 'project' }[];
}

/** Dice coefficient of the words from which on two texts are the same fact. */
const minOverlap = 0.6;

export async function run(options: BenchOptions): Promise<Report> {
  const file = dataFile('assistant/facts', options, 'jsonl');
  const statements = (readJsonLines(file) as readonly Statement[]).slice(0, options.limit ?? Infinity);
  const counts = { facts: 0, found: 0, stored: 0, invented: 0, projectFacts: 0, leaked: 0, storeRight: 0 };
  const countRight: boolean[] = [];
  const keptWithout: boolean[] = [];
  await throughServer(async call => {
    for (const { text, facts } of statements) {
      const outcomes = await rememberOutcomes(call, { content: text });
      const stored = outcomes
        .filter(it => it.outcome !== 'refused')
        .map(it => ({ ...it, content: it.content ?? text }));
      if (facts.length === 0) {
        keptWithout.push(stored.length > 0);
        continue;
      }
      countRight.push(stored.length === facts.length);
      counts.facts += facts.length;
      counts.stored += stored.length;
      counts.invented += stored.filter(it => !facts.some(fact => overlap(fact.text, it.content) >= minOverlap)).length;
      for (const fact of facts) {
        const match = stored.find(it => overlap(fact.text, it.content) >= minOverlap);
        if (match === undefined) continue;
        counts.found++;
        if (match.store === fact.store) counts.storeRight++;
        if (fact.store === 'project') {
          counts.projectFacts++;
          if (match.store === 'global') counts.leaked++;
        }
      }
    }
  });
  return {
    name: 'facts',
    n: statements.length,
    figures: {
      found: percent(counts.found / counts.facts),
      countRight: share(countRight, it => it),
      invented: percent(counts.invented / counts.stored),
      storeRight: percent(counts.storeRight / counts.found),
      leaked: percent(counts.leaked / counts.projectFacts),
      keptWithout: share(keptWithout, it => it),
    },
    baseline: {},
    notes: [],
  };
}

function overlap(left: string, right: string): number {
  const [a, b] = [wordsOf(left), wordsOf(right)];
  return (2 * [...a].filter(it => b.has(it)).length) / Math.max(1, a.size + b.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(analyzeText(text).filter(it => !isStopWord(it)));
}
