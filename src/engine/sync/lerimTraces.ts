import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { describeFileError, isFileError, readRegularText, replaceFile } from '../base/regularFile.js';
import type { CaptureCursor } from '../capture/captureCursor.js';
import { transcriptReaders } from '../capture/sources/registry.js';
import type { CaptureSource } from '../model/capture.js';
import type { MaintenanceRun } from '../model/maintenance.js';
import type { SkippedFile, SyncReport } from '../model/sync.js';
import { isPrivateText } from '../secrets/personalData.js';
import { redactSecrets } from '../secrets/secretScanner.js';
import type { Store } from '../store/store.js';
import { isLerimRoot } from './mirrorTarget.js';
import { resolveInMirror } from './mirrorFiles.js';

/** How lerim names the assistants of the sources. */
const agentNames: Readonly<Record<CaptureSource, string>> = {
  claudeCode: 'claude',
  vscodeChat: 'vscode',
  codex: 'codex',
  geminiCli: 'gemini',
  copilotCli: 'copilot',
  opencode: 'opencode',
  cursor: 'cursor',
  specStory: 'specstory',
};

/** Files written next to the Markdown of a lerim folder. */
export interface WrittenTraces {
  /** Session id -> its file, below the lerim folder, with slashes. */
  readonly files: ReadonlyMap<string, string>;
  readonly refused: readonly SkippedFile[];
}

/** The first line of a transcript that this program wrote; another program's file of the same name is left as it is. */
const firstLine = { type: 'transcript', writtenBy: 'recollect', leftOut: 'tool calls, secrets, personal data' };
const personalDataText = '[personal data]';
const maxTraceBytes = 64 * 1024 * 1024;

/**
 * Writes what person and assistant said in the captured sessions of a store into `meta/traces/sessions` of a lerim folder, a file
 * per session. Tool calls and what they returned are left out, secrets are replaced, and a turn with personal data is, too. A
 * session whose file is gone keeps the transcript that it has.
 * @param root the folder of the Markdown, `.lerim/memory`
 * @throws EngineError invalidInput where that is no lerim folder
 */
export async function writeTraces(store: Store, root: string, dryRun: boolean): Promise<WrittenTraces> {
  const folder = requireLerimFolder(root);
  const files = new Map<string, string>();
  const refused: SkippedFile[] = [];
  for (const { id, body } of await store.records<CaptureCursor>('cursor', Number.MAX_SAFE_INTEGER)) {
    const source = id.slice(0, id.indexOf(':')) as CaptureSource;
    if (!Object.hasOwn(agentNames, source)) continue;
    const session = body.story.session ?? path.basename(body.file).replace(/\.jsonl?$/iu, '');
    const name = `meta/traces/sessions/${agentNames[source]}/${toFileName(session)}.jsonl`;
    try {
      const text = await renderTrace(source, body.file, session);
      if (!dryRun && !(await writeOwnFile(folder, name, text))) {
        refused.push({ name, reason: 'Another program wrote it, so it stays as it is.' });
        continue;
      }
      files.set(session, name);
    } catch (error) {
      if (!isFileError(error)) throw error;
      refused.push({ name, reason: describeFileError(body.file, error) });
    }
  }
  return { files, refused };
}

/**
 * Writes a report of a sync and of each maintenance run of the store into `workspace` of a lerim folder, as ids and counts without
 * the text of a memory. A run has one report; a sync that did nothing has none.
 * @param at ISO-8601 UTC, of the sync
 */
export async function writeReports(store: Store, root: string, report: SyncReport, at: string): Promise<void> {
  const folder = requireLerimFolder(root);
  const { steps, conflicts, refused } = report;
  if (steps.length + conflicts.length > 0) {
    const actions = { at, steps, conflicts: conflicts.map(({ name, id }) => ({ name, id })), refused };
    await writeReport(folder, `sync-${toStamp(at)}/memory_actions.json`, actions);
  }
  for (const { id, body } of await store.records<MaintenanceRun>('run', Number.MAX_SAFE_INTEGER)) {
    if (body.status === 'running') continue;
    await writeReport(folder, `maintain-${toStamp(body.at)}-${id.slice(-8)}/maintain_actions.json`, body);
  }
}

function requireLerimFolder(root: string): string {
  if (isLerimRoot(root)) return path.dirname(root);
  throw new EngineError(
    'invalidInput',
    message`Transcripts and reports belong in a folder named .lerim, and ${root} is none. Nothing was done; name one with --folder or --global-folder.`,
  );
}

async function renderTrace(source: CaptureSource, file: string, session: string): Promise<string> {
  const lines: string[] = [JSON.stringify({ ...firstLine, session })];
  for await (const { line } of transcriptReaders[source].readLines(file, 0)) {
    if (line.kind !== 'person' && line.kind !== 'outcome') continue;
    const text = redactSecrets(line.text);
    lines.push(
      JSON.stringify({
        type: line.kind === 'person' ? 'user' : 'assistant',
        ...(line.at === undefined ? {} : { timestamp: line.at }),
        text: isPrivateText(text) ? personalDataText : text,
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** @returns false where a file of another program is there */
async function writeOwnFile(folder: string, name: string, text: string): Promise<boolean> {
  const file = await resolveInMirror(folder, name);
  const existing = await readIfThere(file);
  if (existing === text) return true;
  if (existing !== undefined && !isOwn(existing)) return false;
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, text);
  return true;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readRegularText(file, { maxBytes: maxTraceBytes, followLinks: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isOwn(text: string): boolean {
  return text.startsWith(JSON.stringify(firstLine).slice(0, -1));
}

async function writeReport(folder: string, name: string, body: unknown): Promise<void> {
  const file = await resolveInMirror(folder, `workspace/${name}`);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(body, undefined, 2)}\n`);
}

/** `20260222-153000` */
function toStamp(at: string): string {
  return `${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}`;
}

/** A session id comes from another program's file. */
function toFileName(session: string): string {
  return session
    .replaceAll(/[^\w.-]/gu, '_')
    .replace(/^\.+/u, '_')
    .slice(0, 100);
}
