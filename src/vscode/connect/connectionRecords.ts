import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { restoreOriginal, type McpConfigFile } from './mcpConfig.js';

/** A file before and after our server went in: hashes, since such files hold keys of other servers. */
interface ConnectionRecord {
  /** Undefined where there was no file. */
  readonly before?: string;
  readonly after: string;
}

/**
 * What was written into which file, so that it can be taken out exactly, also in later sessions. It lies beside the
 * launcher: the state of a workspace may be kept by a browser, and the files are on this machine.
 */
export class ConnectionRecords {
  private readonly recordFile: string;

  constructor(storage: string) {
    this.recordFile = path.join(storage, 'bin', 'connections.json');
  }

  /** @param file its path */
  async add(file: string, before: string | undefined, after: string): Promise<void> {
    const connection = { ...(before === undefined ? {} : { before: hash(before) }), after: hash(after) };
    await this.save({ ...(await this.readAll()), [file]: connection });
  }

  /**
   * The text of the file as it was before our server went in; where somebody has changed it since, without our server.
   * Undefined where the file is ours as a whole.
   */
  async originalText(file: string, currentText: string, configFile: McpConfigFile): Promise<string | undefined> {
    const connection = (await this.readAll())[file];
    const isUnchanged = connection?.after === hash(currentText);
    if (isUnchanged && connection.before === undefined) return undefined;
    return restoreOriginal(currentText, configFile, it => isUnchanged && hash(it) === connection.before);
  }

  async remove(file: string): Promise<void> {
    const { [file]: removed, ...rest } = await this.readAll();
    if (removed !== undefined) await this.save(rest);
  }

  /** By path. A record that cannot be read is none: then our entry goes, and nothing else. */
  private async readAll(): Promise<Readonly<Record<string, ConnectionRecord>>> {
    try {
      const parsed: unknown = JSON.parse(await readFile(this.recordFile, 'utf8'));
      return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, ConnectionRecord>) : {};
    } catch {
      return {};
    }
  }

  private async save(connections: Readonly<Record<string, ConnectionRecord>>): Promise<void> {
    await mkdir(path.dirname(this.recordFile), { recursive: true, mode: 0o700 });
    await writeFile(this.recordFile, `${JSON.stringify(connections, undefined, 2)}\n`, { mode: 0o600 });
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
