import type { Database } from './database.js';

/**
 * Acquires or renews a lease on a task: a row with its holder and expiry. An expired lease is free, so the work of a process
 * that died goes on.
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
    // An expiry beyond the duration comes from a clock that was set back since.
    if (currentHolder !== holder && remainingMs > 0 && remainingMs <= durationMs) return false;
    await sql.run(
      'INSERT OR REPLACE INTO meta VALUES (?, ?)',
      leaseKey(task),
      `${holder} ${now.getTime() + durationMs}`,
    );
    return true;
  });
}

/** Releases a lease if the holder still has it. */
export async function releaseLease(database: Database, task: string, holder: string): Promise<void> {
  await database.write(sql =>
    sql.run("DELETE FROM meta WHERE key = ? AND substr(value, 1, instr(value, ' ') - 1) = ?", leaseKey(task), holder),
  );
}

function leaseKey(task: string): string {
  return `lease:${task}`;
}
