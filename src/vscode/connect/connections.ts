import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeServer, type ServerFile } from './serverEntry.js';

/** A file before and after our server went in: hashes, since such files hold keys of other servers. */
interface Connection {
  /** Undefined where there was no file. */
  readonly before?: string;
  readonly after: string;
}

/**
 * What was written into which file, so that it can be taken out exactly, also in later sessions. It lies beside the
 * launcher: the state of a workspace may be kept by a browser, and the files are on this machine.
 */
export class Connections {
  private readonly record: string;

  constructor(storage: string) {
    this.record = path.join(storage, 'bin', 'connections.json');
  }

  /** @param file its path */
  async note(file: string, before: string | undefined, after: string): Promise<void> {
    const connection = { ...(before === undefined ? {} : { before: hash(before) }), after: hash(after) };
    await this.save({ ...(await this.all()), [file]: connection });
  }

  /**
   * The text of the file as it was before our server went in; where somebody has changed it since, without our server.
   * Undefined where the file is ours as a whole.
   */
  async textBefore(file: string, now: string, where: ServerFile): Promise<string | undefined> {
    const connection = (await this.all())[file];
    const isOurs = connection?.after === hash(now);
    if (isOurs && connection.before === undefined) return undefined;
    return beforeServer(now, where, it => isOurs && hash(it) === connection.before);
  }

  async forget(file: string): Promise<void> {
    const { [file]: forgotten, ...rest } = await this.all();
    if (forgotten !== undefined) await this.save(rest);
  }

  /** By path. A record that cannot be read is none: then our entry goes, and nothing else. */
  private async all(): Promise<Readonly<Record<string, Connection>>> {
    try {
      const read: unknown = JSON.parse(await readFile(this.record, 'utf8'));
      return typeof read === 'object' && read !== null ? (read as Record<string, Connection>) : {};
    } catch {
      return {};
    }
  }

  private async save(connections: Readonly<Record<string, Connection>>): Promise<void> {
    await mkdir(path.dirname(this.record), { recursive: true, mode: 0o700 });
    await writeFile(this.record, `${JSON.stringify(connections, undefined, 2)}\n`, { mode: 0o600 });
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
