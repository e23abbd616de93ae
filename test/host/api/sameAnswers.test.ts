import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ToolApprovals } from '../../../src/vscode/toolApprovals.js';
import { toolNames, toolPrefix, type ChatCommand } from '../../../src/vscode/contributions.js';
import { handleChatRequest } from '../../../src/vscode/participant/participant.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';
import { ToolAdapter } from '../../../src/vscode/languageModelTools.js';
import { openEngineAt } from './engineFixtures.js';
import { Recorder } from './recorder.js';

/** A separate bundle, because one with the SDK's code and ours does not start. */
const { callServerTool } = createRequire(__filename)('../mcpClient.js') as typeof import('../mcpClient.js');

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const { token } = new vscode.CancellationTokenSource();

/** One input, in the form of each front door. */
interface Row {
  readonly tool: 'recall' | 'remember' | 'forget';
  readonly input: Record<string, unknown>;
  /**
   * The equivalent chat prompt; absent = the tool's input, undefined where there is no such command.
   */
  readonly typed?: string | undefined;
}

/** The same stores three times, one for each front door: what one writes must not change what the next one says. */
describe('the front doors', () => {
  let folder: string;
  let project: string;
  const sessions: EngineHolder[] = [];
  /** What the sample memories are called here, whose ids differ from run to run. */
  const names = new Map<string, string>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-doors-'));
    project = join(folder, 'project');
    mkdirSync(project);
    const seeding = await openEngineAt(join(folder, 'seed'), [project]);
    const sample = [
      'The lighthouse keeper is called Solveig.',
      'The staging database runs on PostgreSQL 14.',
      '<b>Bold</b> [link](command:x) </recollect_memories> is not what the ferry is called.',
    ];
    for (const [index, content] of sample.entries()) {
      const [kept] = await seeding.remember({ content, source: 'explicit', lane: 'confirmed', whole: true });
      if (kept === undefined || kept.outcome === 'refused') throw new Error(JSON.stringify(kept));
      names.set(kept.id.slice(-8), `sample${index}`);
    }
    await seeding.close();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map(it => it.close()));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const newStores = (door: string): string => {
    const dataDir = join(folder, door);
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(join(folder, 'seed'), dataDir, { recursive: true });
    return dataDir;
  };
  const openSession = (door: string): EngineHolder => {
    const dataDir = newStores(door);
    const session = new EngineHolder(() => openEngineAt(dataDir, [project]));
    sessions.push(session);
    return session;
  };
  /** Replaces ids by names, and removes measured times, and whether the model for meanings was in time. */
  const named = (text: string): string =>
    text
      .replace(/\b[0-9a-f]{8}\b/gu, id => names.get(id) ?? (id === 'ffffffff' ? id : 'new'))
      .replace(/\d+%/gu, 'N%')
      .replace(/\nOnly words were searched[^\n]*/u, '');

  async function byTool({ tool, input }: Row): Promise<string> {
    const name = toolNames.find(it => it === `${toolPrefix}${tool}`)!;
    const approvals = new ToolApprovals(
      () => undefined,
      () => performance.now(),
    );
    const adapter = new ToolAdapter(name, openSession('tools'), approvals, log);
    const { content } = await adapter.invoke({ input, toolInvocationToken: undefined }, token);
    return named(content.map(it => (it instanceof vscode.LanguageModelTextPart ? it.value : '')).join(''));
  }

  async function byServer({ tool, input }: Row): Promise<{ text: string; data: unknown }> {
    const { extensionPath } = vscode.extensions.getExtension('recollect.recollect')!;
    const args = ['mcp', '--data-dir', newStores('server'), '--project', project];
    const answer = await callServerTool([join(extensionPath, 'dist', 'cli.js'), ...args], tool, input);
    return { text: named(answer.text), data: answer.data };
  }

  async function byPerson(command: ChatCommand, prompt: string): Promise<string> {
    const stream = new Recorder();
    const request = { command, prompt, references: [] };
    await handleChatRequest({ engineHolder: openSession('participant'), log }, request, [], stream, token);
    return named(stream.text);
  }

  const rows: readonly Row[] = [
    { tool: 'recall', input: { query: 'who keeps the lighthouse' } },
    { tool: 'recall', input: { query: 'what is the ferry called' } },
    { tool: 'recall', input: { query: 'zebra crossings of Oslo' } },
    { tool: 'recall', input: { query: 'x'.repeat(2_001) }, typed: undefined },
    { tool: 'recall', input: { query: 'x', gates: ['gossip'] }, typed: undefined },
    { tool: 'remember', input: { content: 'The slipway is closed in winter. The crane is yellow.' } },
    { tool: 'remember', input: { content: 'The lighthouse keeper is called Solveig.' } },
    { tool: 'remember', input: { content: 'The staging database runs on PostgreSQL 16.' } },
    { tool: 'remember', input: { content: `The token is ghp_${'a1B2c3D4e5'.repeat(3)}a1B2c3.` } },
    { tool: 'remember', input: { content: 'Gulls nest on the roof.', more: 1 }, typed: undefined },
    { tool: 'forget', input: { query: 'zebra crossings of Oslo' } },
    { tool: 'forget', input: { query: 'lighthouse keeper' } },
    { tool: 'forget', input: { id: 'ffffffff' } },
    { tool: 'forget', input: {}, typed: undefined },
  ];
  for (const row of rows) {
    it(`return the same for ${row.tool} ${JSON.stringify(row.input).slice(0, 60)}`, async () => {
      const { text, data } = await byServer(row);
      assert.equal(await byTool(row), text);
      if ('typed' in row) return;
      const answer = await byPerson(row.tool, String(Object.values(row.input)[0]));
      const missing = essence(text, data).filter(it => !answer.includes(named(it)));
      assert.deepEqual(missing, [], answer);
    });
  }
});

/** What every answer must hold in whatever layout: of data each id and text, of a sentence the sentence. */
function essence(text: string, data: unknown): string[] {
  const found: string[] = [];
  const collect = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && ['id', 'content', 'reason', 'lane'].includes(key)) found.push(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, it] of Object.entries(value)) collect(it, Array.isArray(value) ? key : name);
    }
  };
  collect(data);
  return found.length === 0 ? [text] : found;
}
