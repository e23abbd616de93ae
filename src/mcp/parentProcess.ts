import { readFileSync } from 'node:fs';

/** The process that started this one, as far as it is known. */
export class ParentProcess {
  private readonly pid = process.ppid;
  /** It died before it could be looked at, and what is called the parent only adopted this process. */
  private readonly wasOrphaned = isOrphan(process.pid, this.pid);

  /** An orphan gets another parent; on Windows it keeps the number of the dead one. */
  isGone(): boolean {
    if (this.wasOrphaned || process.ppid !== this.pid) return true;
    if (process.platform !== 'win32') return false;
    try {
      process.kill(this.pid, 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EPERM';
    }
  }
}

/**
 * Whether a process has the parent of an orphan. A child is in the session of who started it, unless it began one; who
 * adopts orphans (init, or a subreaper such as systemd) is in a session of its own. Only Linux tells of sessions in a
 * file; on macOS it is `launchd`, number 1, which starts no server. Where it is unknown (in a container all processes may
 * be of one session), it is taken for no orphan: such a server ends with its stdin.
 */
function isOrphan(pid: number, parent: number): boolean {
  if (process.platform === 'darwin') return parent === 1;
  if (process.platform !== 'linux') return false;
  const [session, parentSession] = [sessionIdOf(pid), sessionIdOf(parent)];
  return session !== undefined && parentSession !== undefined && session !== pid && session !== parentSession;
}

/** The number of the session's first process. */
function sessionIdOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name stands in brackets and may hold anything: state, parent, group and session follow it.
    const session = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
    return Number.isInteger(session) ? session : undefined;
  } catch {
    return undefined;
  }
}
