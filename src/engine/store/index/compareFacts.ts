import { codeKindsSql } from '../codeKindsSql.js';
import type { Database } from '../sqlite/database.js';
import { placeOf, type CallFacts } from './callFacts.js';
import type { Told } from './indexProtocol.js';
import { judge, type Candidate, type Readings, type Relative } from './judge.js';
import { toldFact, type KnownText, type KnownTexts } from './knownTexts.js';
import type { MemoryIndex } from './memoryIndex.js';
import { nearest } from './nearest.js';

/** For so few facts the closest by meaning are looked for: 1 ms a fact of 100,000 memories. An import goes by words. */
const fewFacts = 4;

export interface ComparedWith {
  readonly database: Database;
  readonly index: MemoryIndex;
  readonly readings: Readings;
  readonly texts: KnownTexts;
  readonly before: CallFacts;
}

/**
 * Each fact's relatives among what is stored and what its call told before it. The neighbours are found before it
 * returns; the next facts of the call may be compared from then on.
 */
export async function compareFacts(
  { database, index, readings, texts, before }: ComparedWith,
  { facts, relatedCosine }: Told,
): Promise<readonly (readonly Relative[])[]> {
  // All of the index before anything is waited for: it may change meanwhile.
  const leastByMeaning = facts.length <= fewFacts ? relatedCosine : undefined;
  const told = facts.map(it => {
    const fact = { ...it, reading: readings.read(it) };
    const indexes = before.index === undefined ? [index] : [index, before.index];
    const neighbours = nearest(indexes, placeOf(fact), leastByMeaning);
    before.add(fact);
    return { fact, neighbours };
  });
  const rows = told.flatMap(({ neighbours }) => neighbours.filter(it => it.index === index).map(it => it.row));
  const stored = await storedTexts(database, texts, new Set(rows));
  // An index of what is told is made where one is asked for: with vectors nobody does, of a fact told by itself.
  const weight = (term: string): number => index.postings.weight(term, before.index && [before.index.postings]);
  const measures = { relatedCosine, weight };
  return told.map(({ fact, neighbours }) => {
    const candidates: Candidate[] = [];
    for (const { index: knownBy, row, cosine, isByMeaning } of neighbours) {
      const known = knownBy === index ? stored.get(row) : before.get(row);
      if (known !== undefined) candidates.push({ fact: known.fact, reading: known.reading, cosine, isByMeaning });
    }
    return judge(fact, candidates, measures);
  });
}

/** The plus keeps SQLite from going through all that is active. */
export const storedTextsSql = `SELECT row, id, content, content_hash, reinforced_at FROM memories
  WHERE row IN (SELECT value FROM json_each(?)) AND +status = 'active' AND kind NOT IN (${codeKindsSql})`;

/** The active memories of these rows that state something. */
async function storedTexts(
  database: Database,
  texts: KnownTexts,
  rows: ReadonlySet<number>,
): Promise<ReadonlyMap<number, KnownText>> {
  const found = new Map<number, KnownText>();
  const missing: number[] = [];
  for (const row of rows) {
    const known = texts.get(row);
    if (known === undefined) missing.push(row);
    else found.set(row, known);
  }
  if (missing.length === 0) return found;
  const { changes } = texts;
  const read = await database.read.all(storedTextsSql, JSON.stringify(missing));
  for (const it of read) found.set(it.row as number, texts.add(it.row as number, toldFact(it), changes));
  return found;
}
