import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runRecollect } from '../cli/shell.js';
import { connectClient, openOtherEngine, type McpConnection } from '../mcp/mcpClient.js';
import { claudeCode, codex, opencode, type Assistant } from './assistants.js';
import { lastWords, ScriptedModel } from './scriptedModel.js';

const offeredByDefault = ['recall', 'remember', 'revise', 'forget', 'feedback', 'context', 'list', 'conflicts'];
/** One fact for each program that stores one. */
const facts = {
  'Claude Code': 'The harbour master is called Solveig.',
  Codex: 'The harbour pilot steers with the left hand.',
  opencode: 'The harbour crane lifts twelve tonnes.',
  'an MCP client': 'The harbour office closes at noon.',
  'the command line': 'The harbour ferry is painted yellow.',
} as const;
type Writer = keyof typeof facts;
const question = {
  query: 'What is known about the harbour?',
  alternatives: ['harbour master', 'harbour pilot', 'harbour crane', 'harbour office and ferry'],
  mode: 'fresh',
};

/** Programs of five kinds on one memory, each with a home of its own. They run one after the other. */
describe('assistants', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'recollect-clients-'));
  const [project, dataDir] = [path.join(folder, 'project'), path.join(folder, 'memory')];
  for (const it of [project, dataDir]) mkdirSync(it);
  const setting = { project, dataDir, newHome: () => mkdtempSync(path.join(folder, 'home-')) };
  const assistants: Assistant[] = [];
  let model: ScriptedModel;
  const asClient = (): Promise<McpConnection> => connectClient({ dataDir, cwd: project, tools: 'default' });
  const recollect = async (...args: readonly string[]): Promise<string> => {
    const env = { RECOLLECT_HOME: dataDir };
    const { code, out, err } = await runRecollect(args, { home: setting.newHome(), cwd: project, env });
    assert.equal(code, 0, err);
    return out;
  };

  before(async () => {
    model = await ScriptedModel.start();
    assistants.push(...[claudeCode, codex, opencode].map(make => make({ ...setting, model })));
  });
  after(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Asks each assistant once, with the same call by its model. */
  for (const [index, name] of (['Claude Code', 'Codex', 'opencode'] as const).entries()) {
    it(`lets the model of ${name} store a fact with the tools it is offered`, async () => {
      model.follow({ tool: 'remember', input: { facts: [{ content: facts[name], appliesTo: 'project' }] } });
      const said = await assistants[index]!.ask('Please remember this.');
      assert.ok(said.includes(lastWords), said);
      assert.deepEqual([...new Set(model.offeredTools())].sort(), [...offeredByDefault].sort());
      assert.match(model.toolResult() ?? '', /stored/iu);
      const engine = await openOtherEngine({ dataDir, cwd: project });
      const memory = (await engine.list()).find(it => it.content === facts[name]);
      assert.deepEqual(
        [memory?.lane, memory?.store, memory?.provenance.source, memory?.provenance.client],
        ['note', 'project', 'mcp', assistants[index]!.client],
      );
    });
  }

  it('share the memory with a plain client and the command line, which store one fact each', async () => {
    const client = await asClient();
    await client.call('remember', { facts: [{ content: facts['an MCP client'], appliesTo: 'project' }] });
    await recollect('remember', '--store', 'project', facts['the command line']);
    const recalled = await client.call('recall', question);
    const printed = await recollect('recall', 'harbour');
    for (const fact of Object.values(facts)) assert.ok(recalled.text.includes(fact) && printed.includes(fact), fact);
  });

  for (const [index, name] of (['Claude Code', 'Codex', 'opencode'] as const).entries()) {
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

  it('have the briefing in the context of a new session of Claude Code, before any tool is called', async () => {
    model.follow(undefined);
    const said = await assistants[0]!.ask('Good morning.');
    const context = model.contextBeforeCall();
    for (const fact of Object.values(facts)) assert.ok(context.includes(fact), fact);
    assert.match(said, /"hook_event":"SessionStart"/u);
  });
});
