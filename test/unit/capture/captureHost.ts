import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { CaptureSource } from '../../../src/engine/model/capture.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { TestHost } from '../../support/fixtures.js';

export const sessionId = '5f0c2f5e-7b1d-4c0e-9a53-0d2c6a7f1e11';

let lineCount = 0;

/** The envelope of a line as Claude Code writes it; `rest` replaces what it names. */
export function transcriptLine(type: string, message: unknown, rest: Readonly<Record<string, unknown>> = {}): string {
  lineCount++;
  const minute = String(lineCount % 60).padStart(2, '0');
  return JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/work/harbour',
    sessionId: sessionId,
    version: '2.0.1',
    gitBranch: 'tides',
    type,
    message,
    uuid: `00000000-0000-4000-8000-${String(lineCount).padStart(12, '0')}`,
    timestamp: `2026-02-27T10:${minute}:00.000Z`,
    ...rest,
  });
}

export const userLine = (text: string, rest?: Readonly<Record<string, unknown>>): string =>
  transcriptLine('user', { role: 'user', content: text }, rest);

export const assistantLine = (text: string, rest?: Readonly<Record<string, unknown>>): string =>
  transcriptLine('assistant', { role: 'assistant', model: 'claude', content: [{ type: 'text', text }] }, rest);

/** A change of a file by the assistant. */
export const editLine = (file: string, rest?: Readonly<Record<string, unknown>>): string =>
  transcriptLine(
    'assistant',
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Edit', input: { file_path: file } }] },
    rest,
  );

/** A host without embeddings, whose sessions lie in a folder of their own. */
export class CaptureHost extends TestHost {
  readonly sessionFolders = { claudeCode: path.join(path.dirname(this.dataDir), 'projects') };

  constructor(options: { project?: boolean } = {}) {
    super(options);
    this.settings = { ...defaultConfig, embeddings: 'off' };
  }

  /** Writes a session file beside the stores. */
  writeSession(lines: readonly string[], name = `${sessionId}.jsonl`): string {
    const folder = path.join(this.sessionFolders.claudeCode, '-work-harbour');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    writeFileSync(file, lines.map(it => `${it}\n`).join(''));
    return file;
  }

  /** An engine in which sessions of a source may be captured. */
  async openAllowed(source: CaptureSource = 'claudeCode'): Promise<MemoryEngine> {
    const engine = await this.open();
    await engine.capture.allow(source);
    return engine;
  }
}

/** Everything that is remembered, in the order in which it was said, summaries apart. */
export async function listRemembered(engine: MemoryEngine): Promise<{ facts: string[]; summaries: string[] }> {
  const all = (await engine.list({ limit: 1000, statuses: ['active', 'archived', 'superseded'] })).toSorted(
    (a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0) || (a.content < b.content ? -1 : 1),
  );
  const of = (isSummary: boolean): string[] =>
    all.filter(it => (it.kind === 'summary') === isSummary).map(it => describeMemory(it));
  return { facts: of(false), summaries: of(true) };
}

function describeMemory({ content, reinforcementCount }: Memory): string {
  return reinforcementCount === 1 ? content : `${content} ×${reinforcementCount}`;
}
