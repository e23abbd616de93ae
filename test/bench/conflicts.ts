/**
 * Is an update recognized as a contradiction of the memory that it replaces, and of no other? MemoryCode: the instructions of a
 * dialogue are remembered in the order in which they are given, a dialogue to a scopeId, in a store that holds 10,000
 * other memories. A true positive is a contradiction between two different instructions of one `pivot`. Memories that
 * an update has already replaced are left out.
 *
 * `--pairs FILE` also judges labelled pairs (`[{older, newer, relation}]`); `--errors` lists the pairs judged wrong.
 * `--talk` compares the messages of each conversation of LoCoMo and BEAM: people seldom take statements back, so
 * most conflicts found there are false positives.
 */
import { existsSync } from 'node:fs';
import { compareStatements, parseStatement, type ParsedStatement } from '../../src/engine/contradiction/statement.js';
import type { Relation } from '../../src/engine/contradiction/relationResult.js';
import { isStopWord, analyzeText } from '../../src/engine/text/analyzer.js';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import { intervalOf, type Interval } from './kit/bootstrap.js';
import { generateTexts } from './kit/syntheticTexts.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { percentile } from './kit/metrics.js';
import { BenchError, readData, readJson, type BenchOptions, type OptionValues } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';

interface Dialogue {
  readonly sessions: readonly { readonly events: readonly Event[] }[];
}

interface Event {
  readonly type: string;
  readonly topic: string;
  readonly pivot: string;
}

/** One pair with its label and the verdicts. */
interface JudgedPair {
  readonly older: string;
  readonly newer: string;
  readonly isConflict: boolean;
  readonly ours: boolean;
  /** Share of terms that both have, 0-1. */
  readonly overlap: number;
  readonly uncertain: boolean;
}

interface LabelledPair {
  readonly older: string;
  readonly newer: string;
  readonly relation: Relation;
}

interface Shares {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Overlaps from which the baseline reports a conflict; the best one for it is used. */
const thresholds = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const keys = ['precision', 'recall', 'f1'] as const;

/** Memories in the store before the first dialogue. */
const otherMemoryCount = 10_000;

export const extraOptions = { pairs: 'file', errors: 'flag', talk: 'flag' } as const;

export async function run(options: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  const { pairs, errors = false, talk = false } = options;
  const read = (readData('memorycode', options) as readonly Dialogue[]).slice(0, options.limit ?? Infinity);
  const writeMs: number[] = [];
  const dialogues: JudgedPair[][] = [];
  await inTemporaryFolder(async folder => {
    const engine = await openEngine(benchHost(folder, () => new Date()));
    try {
      const { texts } = generateTexts(otherMemoryCount, 0);
      await engine.rememberAll(texts.map(content => ({ content, source: 'import', lane: 'confirmed' })));
      for (const [i, it] of read.entries()) dialogues.push(await judgeDialogue(engine, it, `dialogue ${i}`, writeMs));
    } finally {
      await engine.close();
    }
  });
  const judged = dialogues.flat();
  const threshold = bestThreshold(judged);
  const time = timePerCall(judged.map(it => [parseStatement(it.older), parseStatement(it.newer)]));
  const intervals = Object.fromEntries(
    keys.map(key => {
      const figure = (sample: readonly JudgedPair[][], by: (it: JudgedPair) => boolean): number =>
        percent(sharesOf(sample.flat(), by)[key]);
      const bounds: { figure: Interval; gain: Interval } = {
        figure: intervalOf(dialogues, it => figure(it, judgedByRules)),
        gain: intervalOf(dialogues, it => figure(it, judgedByRules) - figure(it, judgedByOverlap(threshold))),
      };
      return [key, bounds];
    }),
  );
  if (errors) listErrors(judged);
  const times = {
    [`rememberP50@${otherMemoryCount}`]: percentile(writeMs, 0.5),
    [`rememberP95@${otherMemoryCount}`]: percentile(writeMs, 0.95),
    ...time,
  };
  return {
    name: 'conflicts',
    n: judged.length,
    figures: { ...figuresOf(judged, judgedByRules), ...times },
    baseline: figuresOf(judged, judgedByOverlap(threshold)),
    intervals,
    notes: [
      `${judged.filter(it => it.isConflict).length} updates among ${judged.length} pairs of ${dialogues.length} dialogues. ` +
        `The baseline calls a conflict what shares ${percent(threshold)} % of its words, the best threshold for it here.`,
      missesNote(judged),
      ...(pairs === undefined ? [] : pairNotes(pairs, errors)),
      ...(talk ? talkNotes() : []),
    ],
  };
}

/** @param writeMs gets the time of each write */
async function judgeDialogue(
  engine: MemoryEngine,
  { sessions }: Dialogue,
  scopeId: string,
  writeMs: number[],
): Promise<JudgedPair[]> {
  const current = new Map<string, string>();
  const topicOf = new Map<string, string>();
  const judged: JudgedPair[] = [];
  for (const { type, topic, pivot } of sessions.flatMap(it => it.events)) {
    if (type !== 'instruction-add' && type !== 'instruction-update') continue;
    const before = performance.now();
    const [stored] = await engine.remember({
      content: topic,
      scopeId,
      source: 'import',
      lane: 'confirmed',
      whole: true,
    });
    writeMs.push(performance.now() - before);
    if (stored === undefined || stored.outcome === 'refused') throw new Error(`Not kept: ${topic}`);
    topicOf.set(stored.id, topic);
    const contradicted = new Set((stored.contradicts ?? []).map(it => topicOf.get(it.id)));
    for (const [other, older] of current) {
      judged.push({ ...judge(older, topic, other === pivot && older !== topic), ours: contradicted.has(older) });
    }
    current.set(pivot, topic);
  }
  return judged;
}

function judge(older: string, newer: string, isConflict: boolean): JudgedPair {
  const { relation, uncertain } = compareStatements(parseStatement(older), parseStatement(newer));
  return { older, newer, isConflict, ours: relation === 'conflicting', overlap: overlap(older, newer), uncertain };
}

function overlap(a: string, b: string): number {
  const [left, right] = [a, b].map(it => new Set(analyzeText(it).filter(term => !isStopWord(term))));
  const shared = [...left!].filter(it => right!.has(it)).length;
  return shared / Math.max(1, left!.size + right!.size - shared);
}

const judgedByRules = (it: JudgedPair): boolean => it.ours;
const judgedByOverlap =
  (threshold: number) =>
  (it: JudgedPair): boolean =>
    it.overlap >= threshold;

function bestThreshold(judged: readonly JudgedPair[]): number {
  const f1 = (threshold: number): number => sharesOf(judged, judgedByOverlap(threshold)).f1;
  return thresholds.reduce((best, it) => (f1(it) > f1(best) ? it : best));
}

/** Each 0-1; precision is 1 where nothing is called a conflict. */
function sharesOf(judged: readonly JudgedPair[], by: (it: JudgedPair) => boolean): Shares {
  const called = judged.filter(by);
  const right = called.filter(it => it.isConflict).length;
  const all = judged.filter(it => it.isConflict).length;
  const precision = called.length === 0 ? 1 : right / called.length;
  const recall = all === 0 ? 1 : right / all;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

function figuresOf(judged: readonly JudgedPair[], by: (it: JudgedPair) => boolean): Figures {
  const shares = sharesOf(judged, by);
  return Object.fromEntries(keys.map(key => [key, percent(shares[key])]));
}

/** Milliseconds to read a statement and to compare two, over all pairs. */
function timePerCall(pairs: readonly (readonly [ParsedStatement, ParsedStatement])[]): Figures {
  const began = performance.now();
  for (const [older] of pairs) parseStatement(older.content);
  const read = performance.now();
  for (const [older, newer] of pairs) compareStatements(older, newer);
  const compared = performance.now();
  return { readMs: (read - began) / pairs.length, compareMs: (compared - read) / pairs.length };
}

function missesNote(judged: readonly JudgedPair[]): string {
  const missed = judged.filter(it => it.isConflict && !it.ours);
  const unsure = missed.filter(it => it.uncertain).length;
  return `${missed.length} missed; the rules say of ${unsure} of them that they are not sure, so a model would be asked.`;
}

/** How the labelled pairs of a file are judged, for a person. */
function pairNotes(file: string, errors: boolean): string[] {
  if (!existsSync(file)) throw new BenchError(`There is no file ${file}. Name labelled pairs with --pairs FILE.`);
  const labelled = readJson(file) as readonly LabelledPair[];
  const given = labelled.map(it => ({
    ...it,
    verdict: compareStatements(parseStatement(it.older), parseStatement(it.newer)),
  }));
  const judged = given.map(it => judge(it.older, it.newer, it.relation === 'conflicting'));
  const shown = (shares: Shares): string => keys.map(key => `${key} ${percent(shares[key]).toFixed(1)}`).join(', ');
  const relations: readonly Relation[] = ['same', 'conflicting', 'refining', 'unrelated'];
  if (errors) {
    for (const { older, newer, relation, verdict } of given.filter(it => it.relation !== it.verdict.relation)) {
      console.log(`${relation} → ${verdict.relation}: ${older} | ${newer} [${verdict.reason}]`);
    }
  }
  const keyed = judged.filter(it => it.isConflict);
  const found = keyed.filter(it => {
    const known = new Set(parseStatement(it.older).topicKeys);
    return parseStatement(it.newer).topicKeys.some(key => known.has(key));
  });
  const bounds = keys.map(key => {
    const [low, high] = intervalOf(judged, sample => percent(sharesOf(sample, judgedByRules)[key]));
    return `${key} ${low.toFixed(1)}…${high.toFixed(1)}`;
  });
  return [
    '',
    `${labelled.length} labelled pairs, ${keyed.length} conflicting: ${shown(sharesOf(judged, judgedByRules))} (95 %: ${bounds.join(', ')}).`,
    `Baseline: ${shown(sharesOf(judged, judgedByOverlap(bestThreshold(judged))))}.`,
    missesNote(judged),
    `${found.length} of the ${keyed.length} conflicting pairs share a key.`,
    'Labelled (rows) and given (columns):',
    ['', ...relations].map(it => it.padStart(12)).join(''),
    ...relations.map(row =>
      [row, ...relations.map(it => given.filter(its => its.relation === row && its.verdict.relation === it).length)]
        .map(it => String(it).padStart(12))
        .join(''),
    ),
  ];
}

/** Maximum number of messages per conversation, and of UTF-16 units per message. */
const maxMessages = 150;
const maxMessageLength = 400;

function talkNotes(): string[] {
  const locomo = readData('locomo', {}) as readonly { readonly turns: readonly { readonly text: string }[] }[];
  const beam = readData('beam', {}) as readonly { readonly messages: readonly { readonly text?: string }[] }[];
  return [
    talkNote(
      'LoCoMo',
      locomo.map(it => it.turns.map(turn => turn.text)),
    ),
    talkNote(
      'BEAM',
      beam.map(it => it.messages.map(message => message.text ?? '')),
    ),
  ];
}

function talkNote(name: string, conversations: readonly (readonly string[])[]): string {
  let pairs = 0;
  let called = 0;
  for (const texts of conversations) {
    const read = texts.slice(0, maxMessages).map(it => parseStatement(it.slice(0, maxMessageLength)));
    for (const [i, newer] of read.entries()) {
      pairs += i;
      called += read.slice(0, i).filter(older => compareStatements(older, newer).relation === 'conflicting').length;
    }
  }
  return `${name}: ${called} of ${pairs} pairs of messages called a conflict (${((100 * called) / pairs).toFixed(2)} %).`;
}

function listErrors(judged: readonly JudgedPair[]): void {
  const wrong = new Set(
    judged
      .filter(it => it.ours !== it.isConflict)
      .map(it => `${it.isConflict ? 'missed' : 'false'}: ${it.older} | ${it.newer}`),
  );
  for (const it of wrong) console.log(it);
}
