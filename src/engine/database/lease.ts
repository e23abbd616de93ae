import type { Database } from './database.js';

/**
 * Takes or renews the right to do some work alone: a row that names its holder and when it ends. One that ended belongs
 * to whoever asks, so the work of a process that died goes on.
 * @returns false while another holder has it
 */
export function acquireLease(
  database: Database,
  task: string,
  { holder, now, durationMs }: { readonly holder: string; readonly now: Date; readonly durationMs: number },
): Promise<boolean> {
  return database.write(async sql => {
    const row = await sql.get('SELECT value FROM meta WHERE key = ?', leaseKey(task));
    const [currentHolder = '', expiry = '0'] = ((row?.value as string | undefined) ?? '').split(' ');
    const remainingMs = Number(expiry) - now.getTime();
    // One that ends later than any would is of a clock that was set back.
    if (currentHolder !== holder && remainingMs > 0 && remainingMs <= durationMs) return false;
    await sql.run(
      'INSERT OR REPLACE INTO meta VALUES (?, ?)',
      leaseKey(task),
      `${holder} ${now.getTime() + durationMs}`,
    );
    return true;
  });
}

/** Gives it back, if the holder still has it. */
export async function releaseLease(database: Database, task: string, holder: string): Promise<void> {
  await database.write(sql =>
    sql.run("DELETE FROM meta WHERE key = ? AND substr(value, 1, instr(value, ' ') - 1) = ?", leaseKey(task), holder),
  );
}

function leaseKey(task: string): string {
  return `lease:${task}`;
}
