import { parseSaid, parseStringArray } from '../../database/jsonColumns.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Memory, SearchAids } from '../../model/memory.js';
import { analyzeText, isStopWord } from '../../text/analyzer.js';
import { aidTerms, memoryTerms, saidTerms } from '../../text/memoryTerms.js';
import { stripSpeaker } from '../../text/textFeatures.js';
import { toTsvector } from './postgresRows.js';

/** The texts of a memory that its words are in. */
export interface MemoryText {
  readonly content: string;
  readonly tags: readonly string[];
  readonly said: string | undefined;
}

/** Data derived from the text of a memory. */
export interface TextIndex {
  /** A `tsvector`, with stop words, for phrases. */
  readonly terms: string;
  /** Words that count for `lexemes` and `totals`: without stop words and speaker, repeats included. */
  readonly rankedTerms: readonly string[];
  /** Words of its search aids alone, each once. */
  readonly saidTerms: readonly string[];
}

export function indexMemoryText({ content, tags, said }: MemoryText): TextIndex {
  const terms = analyzeText([content, ...tags].join('\n'));
  const hasSpeaker = stripSpeaker(content) !== content;
  const rankedTerms = hasSpeaker ? memoryTerms(content, tags) : terms.filter(it => !isStopWord(it));
  return { terms: toTsvector(terms), rankedTerms, saidTerms: saidTerms(said, rankedTerms) };
}

export function memoryTextOf({
  content,
  tags,
  provenance,
}: Pick<Memory, 'content' | 'tags' | 'provenance'>): MemoryText {
  return { content, tags, said: provenance.said };
}

/** @param row with `content`, `tags` and `provenance` as they are stored */
export function storedTextOf({ content, tags, provenance }: Readonly<Record<string, unknown>>): MemoryText {
  return {
    content: content as string,
    tags: parseStringArray(tags as string),
    said: parseSaid(provenance as string),
  };
}

/** Writes what the words kept with memories can be found by. @param indexes by id, of memories without such rows */
export async function insertSaidTerms(sql: PostgresSql, indexes: ReadonlyMap<string, TextIndex>): Promise<void> {
  const rows = [...indexes].filter(([, it]) => it.saidTerms.length > 0);
  if (rows.length === 0) return;
  await sql.run(
    `INSERT INTO said (id, terms) SELECT id, given.terms::tsvector
     FROM unnest($1::text[], $2::text[]) AS given (id, terms) JOIN memories USING (id)
     ON CONFLICT (id) DO UPDATE SET terms = excluded.terms`,
    rows.map(([id]) => id),
    rows.map(([, it]) => toTsvector(it.saidTerms)),
  );
}

/** Whether two states of a memory have the same terms. */
export function isIndexedAlike(left: MemoryText, right: MemoryText): boolean {
  const key = ({ content, tags, said }: MemoryText): string => JSON.stringify([content, tags, said]);
  return key(left) === key(right);
}

const saveSql = `
  WITH given AS (SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) AS given (term, memories, aids)),
  total AS (UPDATE totals SET memories = memories + $4::int, terms = terms + $5::float8)
  INSERT INTO lexemes AS l (term, memories, aids) SELECT term, memories, aids FROM given ORDER BY term COLLATE "C"
  ON CONFLICT (term) DO UPDATE SET
    memories = greatest(l.memories + excluded.memories, 0), aids = greatest(l.aids + excluded.aids, 0)`;

/** Sums up how a write changes `lexemes` and `totals`. */
export class PostgresTermCounts {
  /** By term: in how many more memories, and search aids or kept words of memories, it is. */
  private readonly lexemes = new Map<string, { memories: number; aids: number }>();
  private memories = 0;
  private terms = 0;

  /** @param sign -1 where the memory is no longer there */
  addMemory({ rankedTerms, saidTerms: ofSaid }: TextIndex, sign: 1 | -1): void {
    this.memories += sign;
    this.terms += sign * rankedTerms.length;
    for (const it of new Set(rankedTerms)) this.lexeme(it).memories += sign;
    for (const it of ofSaid) this.lexeme(it).aids += sign;
  }

  /** @param sign -1 where they are no longer there */
  addAids(aids: SearchAids, sign: 1 | -1): void {
    for (const it of new Set(aidTerms(aids))) this.lexeme(it).aids += sign;
  }

  async save(sql: PostgresSql): Promise<void> {
    const changed = [...this.lexemes].filter(([, it]) => it.memories !== 0 || it.aids !== 0);
    if (changed.length === 0 && this.memories === 0 && this.terms === 0) return;
    await sql.run(
      saveSql,
      changed.map(([term]) => term),
      changed.map(([, it]) => it.memories),
      changed.map(([, it]) => it.aids),
      this.memories,
      this.terms,
    );
    const rarer = changed.filter(([, it]) => it.memories < 0 || it.aids < 0).map(([term]) => term);
    if (rarer.length > 0)
      await sql.run('DELETE FROM lexemes WHERE term = ANY ($1::text[]) AND memories <= 0 AND aids <= 0', rarer);
  }

  private lexeme(term: string): { memories: number; aids: number } {
    let counts = this.lexemes.get(term);
    if (counts === undefined) this.lexemes.set(term, (counts = { memories: 0, aids: 0 }));
    return counts;
  }
}

/** Memories analyzed and written at once. */
const rebuildPageSize = 500;

/**
 * Analyzes every memory again, and counts all terms: for a store that another version of the analyzer has written. Writers wait
 * until the end of the transaction.
 */
export async function rebuildPostgresTerms(sql: PostgresSql): Promise<void> {
  await sql.run("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
  await sql.exec('DELETE FROM said');
  const counts = new PostgresTermCounts();
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT m.row, m.id, m.content, m.tags, m.provenance, a.questions, a.keywords
       FROM memories m LEFT JOIN aids a ON a.id = m.id WHERE m.row > $1::int ORDER BY m.row LIMIT ${rebuildPageSize}`,
      after,
    );
    if (rows.length === 0) break;
    after = rows.at(-1)!.row as number;
    const indexes = new Map(rows.map(it => [it.id as string, indexMemoryText(storedTextOf(it))]));
    for (const it of indexes.values()) counts.addMemory(it, 1);
    const aidIndexes = rows.flatMap(({ id, questions, keywords }) => {
      if (questions === null) return [];
      const [asked, named] = [questions, keywords].map(it => parseStringArray(it as string));
      const aids = { questions: asked!, keywords: named! };
      counts.addAids(aids, 1);
      return [{ id, terms: toTsvector(aidTerms(aids)) }];
    });
    await sql.run(
      `UPDATE memories m SET terms = given.terms
       FROM json_populate_recordset(NULL::memories, $1::json) given WHERE m.id = given.id`,
      JSON.stringify([...indexes].map(([id, { terms }]) => ({ id, terms }))),
    );
    await sql.run(
      `UPDATE aids a SET terms = given.terms
       FROM json_populate_recordset(NULL::aids, $1::json) given WHERE a.id = given.id`,
      JSON.stringify(aidIndexes),
    );
    await insertSaidTerms(sql, indexes);
  }
  await sql.exec('DELETE FROM lexemes; UPDATE totals SET memories = 0, terms = 0');
  await counts.save(sql);
}
