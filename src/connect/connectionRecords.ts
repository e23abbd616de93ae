import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText, replaceFile } from '../engine/base/regularFile.js';
import { restoreOriginal, type McpConfigFile } from './mcpConfig.js';

/** Hashes of a file before and after our server was added. Not its text, which may contain keys of other servers. */
interface ConnectionRecord {
  /** Absent where the file did not exist. */
  readonly before?: string;
  readonly after: string;
}

/**
 * Records which files were changed, so that a later session can restore them exactly. Stored next to the launcher and
 * not in the workspace state, which a browser may keep, while the files are on this machine.
 */
export class ConnectionRecords {
  private readonly recordFile: string;

  constructor(storage: string) {
    this.recordFile = path.join(storage, 'bin', 'connections.json');
  }

  /** @param file path of the file */
  async add(file: string, before: string | undefined, after: string): Promise<void> {
    const connection = { ...(before === undefined ? {} : { before: hash(before) }), after: hash(after) };
    await this.save({ ...(await this.readAll()), [file]: connection });
  }

  /**
   * The text of the file before our server was added; where it was edited since, the current text without our server.
   * Undefined where we created the file.
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

  /** By path. Unreadable records count as none: then disconnecting removes only our entry. */
  private async readAll(): Promise<Readonly<Record<string, ConnectionRecord>>> {
    try {
      const parsed: unknown = JSON.parse(await readRegularText(this.recordFile));
      return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, ConnectionRecord>) : {};
    } catch {
      return {};
    }
  }

  private async save(connections: Readonly<Record<string, ConnectionRecord>>): Promise<void> {
    await mkdir(path.dirname(this.recordFile), { recursive: true, mode: 0o700 });
    await replaceFile(this.recordFile, `${JSON.stringify(connections, undefined, 2)}\n`);
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
