import type { Sql } from '../../database/database.js';
import type { SearchAids } from '../../model/memory.js';

/** Replaces the search aids of a memory; empty lists remove them. */
export async function writeAids(sql: Sql, id: string, { questions, keywords }: SearchAids): Promise<void> {
  if (questions.length === 0 && keywords.length === 0) {
    await sql.run('DELETE FROM aids WHERE row = (SELECT row FROM memories WHERE id = ?)', id);
    return;
  }
  await sql.run(
    'INSERT OR REPLACE INTO aids (row, questions, keywords) SELECT row, ?, ? FROM memories WHERE id = ?',
    JSON.stringify(questions),
    JSON.stringify(keywords),
    id,
  );
}
