import { codeKindsSql } from '../codeKindsSql.js';
import type { Database } from '../sqlite/database.js';
import type { CallFacts } from './callFacts.js';
import type { Told } from './indexProtocol.js';
import { isTooFar, judge, type Candidate, type Readings, type Relative } from './judge.js';
import { toldFact, type KnownText, type KnownTexts } from './knownTexts.js';
import type { MemoryIndex } from './memoryIndex.js';
import { nearest } from './nearest.js';

/** For so few facts the closest by meaning are looked for: 2 ms a fact of 100,000 memories. An import goes by words. */
const fewFacts = 4;

export interface ComparedWith {
  readonly database: Database;
  readonly index: MemoryIndex;
  readonly readings: Readings;
  readonly texts: KnownTexts;
  readonly before: CallFacts;
}

/** Each fact's relatives among what is stored and what its call told before it. */
export async function compareFacts(
  { database, index, readings, texts, before }: ComparedWith,
  { facts, relatedCosine }: Told,
): Promise<readonly (readonly Relative[])[]> {
  // All of the index before anything is waited for: it may change meanwhile.
  const scansVectors = facts.length <= fewFacts;
  const told = facts.map(it => ({ ...it, reading: readings.read(it) }));
  const neighbours = told.map(({ scopeId, vector, reading: { statement, terms } }) =>
    nearest(index, { scopeId, vector, terms, subjectKeys: statement.keys }, scansVectors).filter(
      it => !isTooFar(it, relatedCosine),
    ),
  );
  const stored = await storedTexts(database, texts, new Set(neighbours.flatMap(its => its.map(it => it.row))));
  const measures = { relatedCosine, weight: (term: string) => index.postings.weight(term) };
  return told.map((fact, i) => {
    const known: Candidate[] = [];
    for (const { row, cosine, isByMeaning } of neighbours[i]!) {
      const found = stored.get(row);
      if (found !== undefined) known.push({ fact: found.fact, reading: found.reading, cosine, isByMeaning });
    }
    return judge(fact, [...known, ...before.next(fact)], measures);
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
