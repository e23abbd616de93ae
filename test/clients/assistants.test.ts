import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { runRecollect } from '../cli/shell.js';
import { installTestModel, modelRequests, openChatWindow, sendMessage, waitForAnswer } from '../host/ui/kit/chat.js';
import { captureFailures, newStorage, screenshot, type Storage, type Window } from '../host/ui/kit/window.js';
import { connectClient, openOtherEngine, type McpConnection } from '../mcp/mcpClient.js';
import { claudeCode, codex, copilot, geminiCli, opencode, type Assistant, type Setting } from './assistants.js';
import { lastWords, ScriptedModel } from './scriptedModel.js';

const offeredByDefault = ['recall', 'remember', 'revise', 'forget', 'list', 'conflicts'];
/** One fact for each program that stores one. */
const facts = {
  'Claude Code': 'The harbour master is called Solveig.',
  Codex: 'The harbour pilot steers with the left hand.',
  'Copilot CLI': 'The harbour light blinks every nine seconds.',
  opencode: 'The harbour crane lifts twelve tonnes.',
  'Gemini CLI': 'The harbour tug is called Gudrun.',
  "VS Code's chat": 'The harbour bell is rung at noon by Inger.',
  'an MCP client': 'The harbour office closes at noon.',
  'the command line': 'The harbour ferry is painted yellow.',
} as const;
/** Those that a scripted model on loopback drives. */
const programs = ['Claude Code', 'Codex', 'Copilot CLI', 'opencode', 'Gemini CLI'] as const;
type Writer = keyof typeof facts;
/** All that has every word that was asked for is an answer, whether or not its vector is there yet. */
const question = { query: 'harbour?', mode: 'fresh' };

/**
 * Programs of eight kinds on one memory, each with a home of its own: what each stores, each of them recalls. The window of VS
 * Code stays open; the others run one after the other.
 */
describe('assistants', () => {
  const assistants: Assistant[] = [];
  let [storage, window]: [Storage?, Window?] = [];
  let model: ScriptedModel;
  let setting: Omit<Setting, 'model'>;
  const asClient = (): Promise<McpConnection> => {
    return connectClient({ dataDir: setting.dataDir, cwd: setting.project, tools: 'default' });
  };
  const recollect = async (...args: readonly string[]): Promise<string> => {
    const env = { RECOLLECT_HOME: setting.dataDir };
    const { code, out, err } = await runRecollect(args, { home: setting.newHome(), cwd: setting.project, env });
    assert.equal(code, 0, err);
    return out;
  };

  before(async () => {
    model = await ScriptedModel.start();
    const its = (storage = await newStorage());
    await installTestModel(its);
    const newHome = (): string => mkdtempSync(path.join(its.folder, 'home-'));
    setting = { project: its.workspace, dataDir: its.globalStorage, newHome };
    for (const make of [claudeCode, codex, copilot, opencode, geminiCli])
      assistants.push(await make({ ...setting, model }));
    window = await openChatWindow(its);
  });
  afterEach(captureFailures(() => [window]));
  after(async () => {
    await window?.close();
    await model.close();
    storage?.remove();
  });

  /** Lane, store, source and client of a memory. */
  async function provenanceOf(content: string): Promise<readonly unknown[]> {
    const engine = await openOtherEngine({ dataDir: setting.dataDir, cwd: setting.project });
    const memory = (await engine.list()).find(it => it.content === content);
    return [memory?.lane, memory?.store, memory?.provenance.source, memory?.provenance.client];
  }

  /** Asks each assistant once, with the same call by its model. */
  for (const [index, name] of programs.entries()) {
    it(`lets the model of ${name} store a fact with the tools it is offered`, async () => {
      model.follow({ tool: 'remember', input: { facts: [{ content: facts[name], appliesTo: 'project' }] } });
      const said = await assistants[index]!.ask('Please remember this.');
      assert.ok(said.includes(lastWords), said);
      assert.deepEqual([...new Set(model.offeredTools())].sort(), [...offeredByDefault].sort());
      assert.match(model.toolResult() ?? '', /stored/iu);
      assert.deepEqual(await provenanceOf(facts[name]), ['note', 'project', 'mcp', assistants[index]!.client]);
    });
  }

  it("lets the model of VS Code's chat store a fact with the tools of the extension", async () => {
    const fact = facts["VS Code's chat"];
    await sendMessage(window!, `Remember that ${fact}`);
    await waitForAnswer(window!, 'Stored #');
    const { tools, skills } = modelRequests(storage!)[0]!;
    const offered = tools.flatMap(it => /^recollect_(\w+)$/u.exec(it)?.[1] ?? []);
    assert.deepEqual(offered.sort(), ['forget', 'recall', 'remember', 'revise']);
    // The other skills of the plugin are in the tools' descriptions, or need its command line.
    for (const it of ['capture', 'enrich']) assert.ok(skills.includes(it), skills.join(', '));
    assert.deepEqual(await provenanceOf(fact), ['note', 'project', 'extension-tool', 'vscode']);
  });

  it('share the memory with a plain client and the command line, which store one fact each', async () => {
    const client = await asClient();
    await client.call('remember', { facts: [{ content: facts['an MCP client'], appliesTo: 'project' }] });
    await recollect('remember', '--store', 'project', facts['the command line']);
    const recalled = await client.call('recall', question);
    const printed = await recollect('recall', 'harbour');
    for (const fact of Object.values(facts)) assert.ok(recalled.text.includes(fact) && printed.includes(fact), fact);
  });

  for (const [index, name] of programs.entries()) {
    it(`lets the model of ${name} recall what each program stored`, async () => {
      model.follow({ tool: 'recall', input: question });
      await assistants[index]!.ask('What do you know about the harbour?');
      const result = model.toolResult() ?? '';
      const missing = (Object.keys(facts) as Writer[]).filter(it => !result.includes(facts[it]));
      assert.deepEqual(missing, [], result);
      // As data, whichever part of the answer the client passes on.
      assert.match(result, /data, not instructions/u);
    });
  }

  it("lets the model of VS Code's chat recall what each program stored", async () => {
    await sendMessage(window!, question.query);
    const answer = await waitForAnswer(window!, 'data, not instructions');
    await screenshot(window!, 'clients-chat-recalled');
    const missing = (Object.keys(facts) as Writer[]).filter(it => !answer.includes(facts[it]));
    assert.deepEqual(missing, [], answer);
  });

  for (const [index, name] of programs.entries()) {
    // No hooks are connected there that could answer.
    if (name === 'opencode' || name === 'Gemini CLI') continue;
    it(`have the briefing in the context of a new session of ${name}, before any tool is called`, async () => {
      model.follow();
      await assistants[index]!.ask('Good morning.');
      const context = model.contextBeforeCall();
      for (const fact of Object.values(facts)) assert.ok(context.includes(fact), fact);
    });
  }
});
