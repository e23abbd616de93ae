import type { Database, Row } from '../sqlite/database.js';
import type { CallFacts } from './callFacts.js';
import type { Told } from './indexProtocol.js';
import { judge, type Readings, type Relative, type ToldFact } from './judge.js';
import type { MemoryIndex } from './memoryIndex.js';
import { nearest } from './nearest.js';

/** For so few facts the closest by meaning are looked for: 2 ms a fact of 100,000 memories. An import goes by words. */
const fewFacts = 4;

export interface ComparedWith {
  readonly database: Database;
  readonly index: MemoryIndex;
  readonly readings: Readings;
  readonly before: CallFacts;
}

/** Each fact's relatives among what is stored and what its call told before it. */
export async function compareFacts(
  { database, index, readings, before }: ComparedWith,
  { facts, relatedCosine }: Told,
): Promise<readonly (readonly Relative[])[]> {
  // All of the index before anything is waited for: it may change meanwhile.
  const scansVectors = facts.length <= fewFacts;
  const neighbours = facts.map(fact => {
    const { statement, terms } = readings.read(fact);
    const { scopeId, vector } = fact;
    return nearest(index, { scopeId, vector, terms, subjectKeys: statement.keys }, scansVectors);
  });
  const rows = new Set(neighbours.flatMap(its => its.map(it => it.row)));
  const stored = new Map((await readRows(database, rows)).map(it => [it.row as number, it]));
  return facts.map((fact, i) => {
    const known = neighbours[i]!.flatMap(({ row, ...how }) => {
      const found = stored.get(row);
      return found === undefined ? [] : [{ ...toldFact(found), ...how }];
    });
    const measures = { relatedCosine, weight: (term: string) => index.postings.weight(term) };
    return judge(readings, fact, [...known, ...before.next(fact)], measures);
  });
}

async function readRows(database: Database, rows: ReadonlySet<number>): Promise<Row[]> {
  if (rows.size === 0) return [];
  return database.read.all(
    `SELECT row, id, content, content_hash, reinforced_at FROM memories
     WHERE row IN (SELECT value FROM json_each(?)) AND status = 'active' AND kind <> 'code'`,
    JSON.stringify([...rows]),
  );
}

export function toldFact(row: Row): ToldFact {
  return {
    id: row.id as string,
    content: row.content as string,
    contentHash: row.content_hash as string,
    toldAt: row.reinforced_at as string,
  };
}
