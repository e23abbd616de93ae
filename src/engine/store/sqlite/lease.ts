import type { Database } from './database.js';

/**
 * Takes or renews the right to do some work alone: a row that names its holder and when it ends. One that ended belongs
 * to whoever asks, so the work of a process that died goes on.
 * @returns false while another holder has it
 */
export function takeLease(
  database: Database,
  work: string,
  { holder, now, forMs }: { readonly holder: string; readonly now: Date; readonly forMs: number },
): Promise<boolean> {
  return database.write(async sql => {
    const row = await sql.get('SELECT value FROM meta WHERE key = ?', key(work));
    const [other = '', until = '0'] = ((row?.value as string | undefined) ?? '').split(' ');
    const left = Number(until) - now.getTime();
    // One that ends later than any would is of a clock that was set back.
    if (other !== holder && left > 0 && left <= forMs) return false;
    await sql.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', key(work), `${holder} ${now.getTime() + forMs}`);
    return true;
  });
}

/** Gives it back, if the holder still has it. */
export async function endLease(database: Database, work: string, holder: string): Promise<void> {
  await database.write(sql =>
    sql.run("DELETE FROM meta WHERE key = ? AND substr(value, 1, instr(value, ' ') - 1) = ?", key(work), holder),
  );
}

function key(work: string): string {
  return `lease:${work}`;
}
