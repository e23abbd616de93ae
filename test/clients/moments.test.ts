import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runRecollect } from '../cli/shell.js';
import { createRepository, git } from '../support/git.js';
import { connectClient } from '../mcp/mcpClient.js';
import { claudeCode, codex, copilot, copilotAsVsCode, type Assistant, type Setting } from './assistants.js';
import { lastWords, ScriptedModel, type ScriptedCall } from './scriptedModel.js';

const anchored = 'The flasher waits three seconds, because the bootloader is slow to answer.';
const pitfall = 'Never run `make flash` while the bench is powered: the probe locks up.';
const cause = '"No rule to make target" means that the boards are missing: fetch them with the boards script.';
const plotted = 'The notebook of the trials reads its data from the bench, not from the archive.';
const guard = 'Ask me before `make launch`: it fires the real engine.';
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
  /** Whether it can be made to ask before a command; where no person can answer, it does not run. */
  readonly isRefused: boolean;
}

/** How a model edits a file. */
interface Edit {
  readonly by: string;
  readonly calls: (file: string) => readonly ScriptedCall[];
  /** Options of the program. */
  readonly options?: readonly string[];
}

const ofCopilot: Pick<Program, 'edits' | 'command' | 'isRefused'> = {
  isRefused: true,
  edits: [{ by: 'edit', calls: file => [own('edit', { path: file, old_str: 'slow', new_str: 'fast' })] }],
  command: line => own('bash', { command: line, description: 'Runs it' }),
};

const programs: readonly Program[] = [
  {
    name: 'Claude Code',
    make: claudeCode,
    isRefused: true,
    edits: [
      {
        by: 'Edit',
        calls: file => [
          own('Read', { file_path: file }),
          own('Edit', { file_path: file, old_string: 'slow', new_string: 'fast' }),
        ],
      },
      {
        by: 'Write',
        calls: file => [own('Read', { file_path: file }), own('Write', { file_path: file, content: 'fast\n' })],
      },
    ],
    command: line => own('Bash', { command: line, description: 'Runs it' }),
  },
  {
    name: 'Codex',
    make: codex,
    isRefused: false,
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
  let [file, notebook, launched] = ['', '', ''];

  before(async () => {
    model = await ScriptedModel.start();
    const [project, dataDir] = [path.join(folder, 'project'), path.join(folder, 'memory')];
    createRepository(project);
    mkdirSync(path.join(project, 'src'));
    file = path.join(project, 'src', 'flash.ts');
    notebook = path.join(project, 'src', 'trials.ipynb');
    launched = path.join(project, 'launched');
    writeFileSync(path.join(project, 'Makefile'), 'flash:\n\t@echo flashed\nlaunch:\n\t@touch launched\n');
    const newHome = (): string => mkdtempSync(path.join(folder, 'home-'));
    setting = { model, project, dataDir, newHome };
    writeFileSync(file, 'slow\n');
    writeFileSync(notebook, newNotebook('slow'));
    const client = await connectClient({ dataDir, cwd: project, tools: 'default' });
    const facts = [
      { content: anchored, file: 'src/flash.ts', appliesTo: 'project' },
      { content: plotted, file: 'src/trials.ipynb', appliesTo: 'project' },
      { content: pitfall, kind: 'pitfall', appliesTo: 'project' },
      { content: cause, kind: 'gotcha', appliesTo: 'project' },
    ];
    const { text } = await client.call('remember', { facts });
    assert.equal(text.match(/Stored #/gu)?.length, facts.length, text);
    await guardIt(setting);
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
    return [anchored, plotted, pitfall, cause].filter(fact =>
      texts.some(it => it.includes(JSON.stringify(fact).slice(1, -1))),
    );
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

  it('gives the model of Claude Code what is anchored to a notebook that it edits', async () => {
    writeFileSync(notebook, newNotebook('slow'));
    const calls = [
      own('Read', { file_path: notebook }),
      own('NotebookEdit', { notebook_path: notebook, cell_id: 'first', new_source: 'fast' }),
    ];
    assert.deepEqual(await givenAtCalls('Claude Code', calls), [plotted]);
    assert.match(readFileSync(notebook, 'utf8'), /fast/u);
  });

  it('knows all tools by which Claude Code edits files', async () => {
    model.follow();
    await assistants.get('Claude Code')!.ask('Go on.');
    const editing = model.toolsOfProgram().filter(it => /edit|write|patch|replace/iu.test(it));
    assert.deepEqual(editing, ['Edit', 'NotebookEdit', 'Write']);
  });

  for (const { name, command, isRefused } of programs) {
    const title = isRefused
      ? `has ${name} ask before what a person guards, which is a refusal where no person can answer`
      : `gives ${name}, which cannot ask, the line of what a person guards, and lets it go on`;
    it(title, async () => {
      rmSync(launched, { force: true });
      model.follow(command('make launch'));
      await assistants.get(name)!.ask('Go on.');
      assert.equal(existsSync(launched), !isRefused, model.toolResult());
      const given = `${model.toolResult()}\n${model.contextAfterCalls()}`;
      assert.ok(given.includes('Ask me before `make launch`'), given.slice(-3_000));
    });
  }

  /** Has the model of a program hand over, and returns the note. */
  async function handOver(writer: string, remark = ''): Promise<string> {
    const note = `${handedOver} By ${writer}.${remark}`;
    model.follow({ tool: 'remember', input: { facts: [{ content: note, appliesTo: 'project', tags: ['handover'] }] } });
    await assistants.get(writer)!.ask('Hand over.');
    assert.match(model.toolResult() ?? '', /stored/iu);
    return note;
  }

  /** All that the model of a new session is given before it does anything. */
  async function startOf(name: string): Promise<string> {
    model.follow();
    await assistants.get(name)!.ask('Good morning.');
    return model.contextBeforeCall();
  }

  for (const [index, { name }] of programs.entries()) {
    const writer = programs.at(index - 1)!.name;
    it(`gives the model of ${name} what one of ${writer} handed over, and the next session nothing of it`, async () => {
      const note = await handOver(writer);
      const given = [await startOf(name), await startOf(name)].map(it => it.includes(note));
      assert.deepEqual(given, [true, false]);
    });
  }

  it('gives the model of Claude Code what Codex handed over first, once, and only on the branch where it was', async () => {
    git(setting.project, 'switch', '-qc', 'probe');
    const note = await handOver('Codex', ' On a branch.');
    git(setting.project, 'switch', '-q', '-');
    assert.ok(!(await startOf('Claude Code')).includes(note));
    git(setting.project, 'switch', '-q', '-');
    const first = /<recollect_memories [^>]*>\\nHanded over by the session before:\\n- \[#[0-9a-f]{8}\] ([^\\]*)/u;
    assert.equal(first.exec(await startOf('Claude Code'))?.[1], note);
    assert.ok(!(await startOf('Claude Code')).includes(note));
    git(setting.project, 'switch', '-q', '-');
  });
});

/** As a person marks what they want to be asked before. */
async function guardIt({ project, dataDir, newHome }: Setting): Promise<void> {
  const context = { home: newHome(), cwd: project, env: { RECOLLECT_HOME: dataDir } };
  const { out } = await runRecollect(['remember', guard, '--json'], context);
  const id = /(?<="id":\s*")[0-9a-f-]+/u.exec(out)?.[0];
  const pinned = await runRecollect(['pin', '--guard', id ?? ''], context);
  assert.equal(pinned.code, 0, out + pinned.err);
}

function newNotebook(source: string): string {
  const cell = { cell_type: 'code', id: 'first', execution_count: null, metadata: {}, outputs: [], source: [source] };
  return JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
}
