import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectClient } from '../mcp/mcpClient.js';
import { claudeCode, codex, copilot, copilotAsVsCode, type Assistant, type Setting } from './assistants.js';
import { lastWords, ScriptedModel, type ScriptedCall } from './scriptedModel.js';

const anchored = 'The flasher waits three seconds, because the bootloader is slow to answer.';
const pitfall = 'Never run `make flash` while the bench is powered: the probe locks up.';
const cause = '"No rule to make target" means that the boards are missing: fetch them with the boards script.';
const handedOver = 'Done: the flasher. Open: its timeout. Next: measure it on the bench.';

/** A call of a tool of the program. */
const own = (tool: string, input: ScriptedCall['input']): ScriptedCall => ({ tool, input, isOfProgram: true });
const failing = `echo "make: *** No rule to make target 'probe'"; exit 2`;
const patch = '*** Begin Patch\n*** Update File: src/flash.ts\n@@\n-slow\n+fast\n*** End Patch';

interface Program {
  readonly name: string;
  readonly make: (setting: Setting) => Promise<Assistant>;
  readonly edits: readonly Edit[];
  /** How its model runs a command. */
  readonly command: (line: string) => ScriptedCall;
}

/** How a model edits a file. */
interface Edit {
  readonly by: string;
  readonly calls: (file: string) => readonly ScriptedCall[];
  /** Options of the program. */
  readonly options?: readonly string[];
}

const ofCopilot: Pick<Program, 'edits' | 'command'> = {
  edits: [{ by: 'edit', calls: file => [own('edit', { path: file, old_str: 'slow', new_str: 'fast' })] }],
  command: line => own('bash', { command: line, description: 'Runs it' }),
};

const programs: readonly Program[] = [
  {
    name: 'Claude Code',
    make: claudeCode,
    edits: [
      {
        by: 'Edit',
        calls: file => [
          own('Read', { file_path: file }),
          own('Edit', { file_path: file, old_string: 'slow', new_string: 'fast' }),
        ],
      },
    ],
    command: line => own('Bash', { command: line, description: 'Runs it' }),
  },
  {
    name: 'Codex',
    make: codex,
    edits: [
      // A model that it does not know has no other tool for it.
      { by: 'a command', calls: () => [own('exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` })] },
      { by: 'apply_patch', calls: () => [own('apply_patch', patch)], options: ['--model', 'gpt-5.5'] },
    ],
    command: line => own('exec_command', { cmd: line }),
  },
  { name: 'Copilot CLI', make: copilot, ...ofCopilot },
  { name: "Copilot CLI with VS Code's hooks", make: copilotAsVsCode, ...ofCopilot },
];

/** What the hooks of real programs put into the context of their model at the moments of a session. */
describe('assistants, while they work,', () => {
  // One memory for all tests.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'recollect-moments-')));
  const assistants = new Map<string, Assistant>();
  let model: ScriptedModel;
  let setting: Setting;
  let file: string;

  before(async () => {
    model = await ScriptedModel.start();
    const [project, dataDir] = [path.join(folder, 'project'), path.join(folder, 'memory')];
    for (const it of ['.git', 'src']) mkdirSync(path.join(project, it), { recursive: true });
    file = path.join(project, 'src', 'flash.ts');
    writeFileSync(path.join(project, 'Makefile'), 'flash:\n\t@echo flashed\n');
    const newHome = (): string => mkdtempSync(path.join(folder, 'home-'));
    setting = { model, project, dataDir, newHome };
    writeFileSync(file, 'slow\n');
    const client = await connectClient({ dataDir, cwd: project, tools: 'default' });
    const facts = [
      { content: anchored, file: 'src/flash.ts', appliesTo: 'project' },
      { content: pitfall, kind: 'pitfall', appliesTo: 'project' },
      { content: cause, kind: 'gotcha', appliesTo: 'project' },
    ];
    const { text } = await client.call('remember', { facts });
    assert.equal(text.match(/Stored #/gu)?.length, facts.length, text);
    for (const { name, make } of programs) assistants.set(name, await make(setting));
  });
  after(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** What the hooks of tool calls have put into the context, in their order. */
  async function givenAtCalls(
    name: string,
    calls: readonly ScriptedCall[],
    options: readonly string[] = [],
  ): Promise<readonly string[]> {
    model.follow(...calls);
    const said = await assistants.get(name)!.ask('Go on.', options);
    assert.ok(said.includes(lastWords), said);
    assert.notEqual(model.toolResult(), undefined, 'The tool was not called.');
    const envelopes = model.contextAfterCalls().matchAll(/Remembered about this:.*?<\/recollect_memories>/gu);
    const texts = [...envelopes].map(it => it[0]);
    return [anchored, pitfall, cause].filter(fact => texts.some(it => it.includes(JSON.stringify(fact).slice(1, -1))));
  }

  for (const { name, edits, command } of programs) {
    for (const { by, calls, options } of edits) {
      it(`gives the model of ${name} what is anchored to a file that it edits with ${by}`, async () => {
        writeFileSync(file, 'slow\n');
        assert.deepEqual(await givenAtCalls(name, calls(file), options), [anchored]);
        assert.equal(readFileSync(file, 'utf8'), 'fast\n');
      });
    }

    it(`gives the model of ${name} a pitfall of a command that it runs`, async () => {
      assert.deepEqual(await givenAtCalls(name, [command('make flash || true')]), [pitfall]);
    });

    it(`gives the model of ${name} what is remembered about the error of a command that failed`, async () => {
      assert.deepEqual(await givenAtCalls(name, [command(failing)]), [cause]);
    });

    it(`gives the model of ${name} nothing at a command of which nothing is remembered`, async () => {
      assert.deepEqual(await givenAtCalls(name, [command('uname')]), []);
    });
  }

  for (const [index, { name }] of programs.entries()) {
    const writer = programs.at(index - 1)!.name;
    it(`gives the model of ${name} what one of ${writer} handed over, and the next session nothing of it`, async () => {
      const note = `${handedOver} By ${writer}.`;
      model.follow({
        tool: 'remember',
        input: { facts: [{ content: note, appliesTo: 'project', tags: ['handover'] }] },
      });
      await assistants.get(writer)!.ask('Hand over.');
      assert.match(model.toolResult() ?? '', /stored/iu);
      const given: boolean[] = [];
      for (let session = 0; session < 2; session++) {
        model.follow();
        await assistants.get(name)!.ask('Good morning.');
        given.push(model.contextBeforeCall().includes(note));
      }
      assert.deepEqual(given, [true, false]);
    });
  }
});
