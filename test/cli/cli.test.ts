import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RememberOutcome } from '../../src/engine/model/rememberOutcome.js';
import type { Memory } from '../../src/engine/model/memory.js';
import type { RecallResult } from '../../src/engine/model/query.js';
import { requireFolder } from '../../src/cli/program.js';
import { runProcess } from '../support/runProcess.js';
import { sql } from '../support/sqlite.js';
import { Shell } from './shell.js';

const ok = 0;
const failed = 1;
const usage = 2;
const notFound = 3;

async function remember(shell: Shell, ...args: readonly string[]): Promise<string> {
  const { code, data } = await shell.json(['remember', ...args]);
  assert.equal(code, ok);
  const [outcome] = (data as { outcomes: RememberOutcome[] }).outcomes;
  assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
  return outcome.id;
}

/** A command line that goes wrong: its exit code, and one sentence on stderr and nothing on stdout. */
function fails(args: readonly string[], code: number, says: RegExp, input?: string): void {
  it(`${args.join(' ').slice(0, 60)} ends with ${code}`, async () => {
    const found = await new Shell().run(args, input);
    assert.match(found.err, says);
    assert.deepEqual([found.code, found.out], [code, '']);
    assert.doesNotMatch(found.err, /\bat .+:\d+:\d+|node:internal|Something went wrong/u);
  });
}

describe('recollect', function () {
  it('remembers, recalls, shows, changes, exports and verifies', async () => {
    const shell = new Shell();
    const printed = await shell.run(['remember', 'The payments service runs on port 8443.', '--tag', 'Ops', 'db']);
    assert.match(printed.out, /^Stored #[0-9a-f]{8} for /u);
    assert.equal(
      printed.out.slice('Stored #12345678'.length),
      ` for ${path.basename(shell.project)}: The payments service runs on port 8443.\n`,
    );
    assert.match(printed.err, /^Memory: .*memory \(RECOLLECT_HOME\)\n$/u);
    const id = await remember(shell, 'The payments service runs on port 8443.');
    const handle = id.slice(-8);
    const runs = [
      await shell.run('recall which port'),
      await shell.run('list'),
      await shell.run(`pin ${handle}`),
      await shell.run(`unpin #${handle}`),
      await shell.run(`forget ${id}`),
      await shell.run('recall which port'),
      await shell.run('list'),
      await shell.run('list --status archived'),
      await shell.run(`restore ${handle}`),
      await shell.run(`feedback ${handle} useful`),
      await shell.run('verify'),
    ];
    const line = (labels: string): string =>
      `#${handle}  The payments service runs on port 8443.  (epistemic · KIND · confirmed · NN%${labels} · project)\n`;
    const plain = (it: string): string =>
      it.replaceAll(/\d+%/gu, 'NN%').replaceAll(/epistemic · [\w-]+/gu, 'epistemic · KIND');
    assert.deepEqual(
      runs.slice(0, -1).map(it => [it.code, plain(it.out)]),
      [
        [ok, line('')],
        [ok, line('')],
        [ok, line(' · pinned')],
        [ok, line('')],
        [ok, `${line(' · forgotten')}Undo: recollect restore ${handle}\n`],
        [notFound, ''],
        [ok, ''],
        [ok, line(' · forgotten')],
        [ok, line('')],
        [ok, line('')],
      ],
    );
    assert.match(
      runs.at(-1)!.out,
      /^project store: all is well \(1 memory, \d+ audit entries\) .+\nglobal store: all is well \(0 memories, 0 audit entries\) .+\n$/u,
    );
    const shown = await shell.run(`show ${handle}`);
    assert.match(shown.out, /^The payments service runs on port 8443\.\n\nid: +[0-9a-f-]{36}\nstore: +project\n/u);
    assert.match(shown.out, /\nuse: +said 2 times, recalled 1 time, feedback 1\ntags: +ops, db\n/u);
    const context = await shell.run('recall which port --context');
    assert.match(
      context.out,
      /^<recollect_memories [^\n]+>\n- \[#[0-9a-f]{8} · \d+ \w{3} \d{4} · confirmed\] The payments service runs on port 8443\.\n<\/recollect_memories>\n$/u,
    );
  });

  it('prints the same data as JSON', async () => {
    const shell = new Shell();
    const id = await remember(shell, 'The payments service runs on port 8443.');
    const [recalled, listed, shown, pinned, verified] = await Promise.all(
      ['recall which port', 'list', `show ${id}`, `pin ${id}`, 'verify'].map(it => shell.json(it)),
    );
    assert.deepEqual(
      [recalled, listed, shown, pinned, verified].map(it => it!.code),
      [ok, ok, ok, ok, ok],
    );
    const { hits, context, tokens, trace } = recalled!.data as RecallResult;
    assert.deepEqual(
      [hits.map(it => it.memory.id), context.includes('8443'), tokens > 0, trace.candidates.length],
      [[id], true, true, 1],
    );
    assert.deepEqual(
      (listed!.data as Memory[]).map(it => it.id),
      [id],
    );
    assert.ok((shown!.data as { effectiveConfidence: number }).effectiveConfidence > 50);
    assert.deepEqual(
      (pinned!.data as Memory[]).map(it => it.pinned),
      [true],
    );
    const { ok: well, stores } = verified!.data as { ok: boolean; stores: { store: string; problems: string[] }[] };
    assert.deepEqual(
      [well, stores.map(it => [it.store, it.problems])],
      [
        true,
        [
          ['project', []],
          ['global', []],
        ],
      ],
    );
    const nothing = await shell.json('recall kubernetes');
    assert.deepEqual([nothing.code, (nothing.data as RecallResult).hits], [notFound, []]);
  });

  it('reads the text to remember from stdin and filters its output', async () => {
    const shell = new Shell();
    const dash = await shell.run('remember - --gate correction --tag a', 'I prefer short answers.');
    assert.match(dash.out, /^Stored #\w{8} for all projects: I prefer short answers\.\n$/u);
    const first = await shell.run('remember --lane note --scope-id set', 'Port one is open.\r\nPort two is shut.\n');
    assert.match(first.out, /^Stored .* Port one is open\.\nStored .* Port two is shut\.\n$/u);
    const counts = await Promise.all(
      [
        'list',
        'list --scope-id set',
        'list --scope-id set --limit 1',
        'list --scope-id set --offset 1',
        'list --scope-id set --lane confirmed',
        'list --scope global-only',
        'list --tag A',
        'list --since 2100-01-01',
      ].map(async it => ((await shell.json(it)).data as Memory[]).length),
    );
    assert.deepEqual(counts, [1, 2, 1, 1, 0, 1, 1, 0]);
  });

  it('changes nothing when one of several ids is wrong, and creates a folder that only its owner can read', async () => {
    const shell = new Shell();
    const id = await remember(shell, 'The payments service runs on port 8443.');
    const failed = await shell.run(`forget ${id} 00000000`);
    assert.deepEqual([failed.code, failed.out], [notFound, '']);
    const { data } = await shell.json(`show ${id}`);
    assert.equal((data as Memory).status, 'active');
    assert.equal(statSync(path.join(shell.home, 'memory', 'global')).mode & 0o077, 0);
  });

  it('leaves nothing on the machine but its own folder', async () => {
    const shell = new Shell();
    await remember(shell, 'The payments service runs on port 8443.');
    await shell.run('recall which port');
    assert.deepEqual([readdirSync(shell.home), readdirSync(shell.project)], [['memory'], []]);
  });

  it('says at a list without an entry how one comes about, and prints nothing else', async () => {
    const shell = new Shell();
    const ends = [
      ['set list', /^There is no set\. Put a memory into one: recollect set move ID --scope-id NAME$/mu],
      ['list', /^Nothing is kept here yet\. Keep a fact: recollect remember TEXT$/mu],
      ['list --tag ops', /^No memory is like that\.$/mu],
      ['checkpoint', /^There is no checkpoint\. Make one: recollect checkpoint make$/mu],
    ] as const;
    for (const [args, expected] of ends) {
      const { code, out, err } = await shell.run(args);
      assert.deepEqual([code, out], [ok, ''], args);
      assert.match(err, expected);
    }
  });

  it('names the set that memories went to, and undoes a forgetting only of those that it forgot', async () => {
    const shell = new Shell();
    const handle = (await remember(shell, 'The ferry sails at noon.')).slice(-8);
    const other = (await remember(shell, 'The crane lifts twelve tonnes.')).slice(-8);
    assert.match(
      (await shell.run(`set move ${handle} --scope-id harbor`)).out,
      /^In the set harbor now: 1 memory\.$/mu,
    );
    assert.equal((await shell.run('set')).out, 'harbor · 1 memory\n');
    assert.match((await shell.run(`set move ${handle}`)).out, /^Among all others, in no set now: 1 memory\.$/mu);
    await shell.run(`forget ${handle}`);
    const { out } = await shell.run(`forget ${handle} ${other}`);
    assert.match(out, new RegExp(`\\nUndo: recollect restore ${other}\\n$`, 'u'));
  });

  it('makes no memory for a project folder that does not exist or is none', async () => {
    const shell = new Shell();
    const file = path.join(shell.project, 'notes.txt');
    writeFileSync(file, 'A note.');
    const commands = (folder: string): readonly (readonly string[])[] => [
      ['remember', 'The ferry sails at noon.', '--project', folder],
      // Started at once, and by the program of all commands.
      ['mcp', '--project', folder],
      ['--project', folder, 'mcp'],
      ['serve', '--project', folder],
    ];
    for (const folder of [path.join(shell.project, 'nosuch'), file, '']) {
      for (const command of commands(folder)) {
        const found = await shell.run(command);
        assert.deepEqual([found.code, found.out], [usage, ''], command.join(' '));
        assert.ok(found.err.includes(`--project ${JSON.stringify(folder)} is no folder that can be read.`), found.err);
      }
    }
    assert.throws(() => requireFolder('a\0b'), /--project "a\\u0000b" is no folder that can be read/u);
    assert.ok(!existsSync(path.join(shell.home, 'memory', 'projects')));
  });

  it('takes a text that begins as a list does for a text, and an unknown option for a mistake', async () => {
    const shell = new Shell();
    const list = '- lint: oxlint\n- tests: vitest';
    const { code, data } = await shell.json(['remember', list, '--whole', '--tag', 'tools']);
    const [outcome] = (data as { outcomes: RememberOutcome[] }).outcomes;
    assert.deepEqual([code, outcome?.outcome === 'stored' && outcome.content], [ok, list]);
    assert.equal((await shell.run(['remember', '-lint'])).code, usage);
    const words = ['- Boats leave', '--whole', 'at six,', '--tag', 'sea', '--kind', 'pattern', '- at seven', 'too.'];
    const [second] = ((await shell.json(['remember', ...words])).data as { outcomes: RememberOutcome[] }).outcomes;
    const stored = second?.outcome === 'stored' ? second : undefined;
    assert.equal(stored?.content, '- Boats leave at six, - at seven too.');
  });

  it('takes a sentence after tags for the text', async () => {
    const shell = new Shell();
    const { data } = await shell.json(['remember', '--tag', 'quay', 'lamps', 'The quay has a red lamp.']);
    const [outcome] = (data as { outcomes: RememberOutcome[] }).outcomes;
    assert.equal(outcome?.outcome === 'stored' && outcome.content, 'The quay has a red lamp.');
    const { data: listed } = await shell.json(['list', '--tag', 'quay', 'lamps']);
    assert.equal((listed as unknown[]).length, 1);
  });

  it('undoes a move between sets by the line that it prints, whatever the set is called', async function () {
    if (process.platform === 'win32') this.skip(); // The line is for PowerShell there.
    const shell = new Shell();
    const marker = path.join(shell.project, 'ran');
    const scopeId = `it's "$(touch ${marker})" \`touch ${marker}\` \\`;
    const { data } = await shell.json(['remember', 'Boats leave at six.', '--scope-id', scopeId]);
    const { id } = (data as { outcomes: { id: string }[] }).outcomes[0]!;
    const { out } = await shell.run(['set', 'move', id]);
    const undo = /^Undo: recollect (.*)$/mu.exec(out)![1]!;
    const recollect = `${process.execPath} ${path.resolve('dist/cli.js')}`;
    const env = { PATH: process.env.PATH ?? '', HOME: shell.home, RECOLLECT_HOME: `${shell.home}/memory` };
    const ran = await runProcess(['sh', '-c', `${recollect} ${undo}`], { cwd: shell.project, env });
    assert.deepEqual([ran.code, existsSync(marker)], [ok, false]);
    assert.deepEqual(
      ((await shell.json('set')).data as { scopeId: string }[]).map(it => it.scopeId),
      [scopeId],
    );
  });

  it('exports to stdout and to a file', async () => {
    const shell = new Shell();
    const id = await remember(shell, 'The payments service runs on port 8443.');
    const target = path.join(shell.home, 'out.jsonl');
    const [lines, markdown, file] = [
      await shell.run('export'),
      await shell.run('export --format markdown'),
      await shell.run(`export --out ${target}`),
    ];
    assert.deepEqual([lines.code, markdown.code, file.code, file.out], [ok, ok, ok, '']);
    const ids = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map(it => (JSON.parse(it) as Memory).id);
    assert.deepEqual([ids(lines.out), ids(readFileSync(target, 'utf8'))], [[id], [id]]);
    assert.match(markdown.out, /^# Recollect memories\n/u);
  });

  it('classifies a line at a time, one object a line', async () => {
    const shell = new Shell();
    const statements = [
      'I prefer tabs.',
      '',
      'Never deploy on Friday.',
      '日本語',
      'TODO: I will ship the beta by 2030-01-01.',
    ];
    const { code, out } = await shell.run('classify --stdin --json', `${statements.join('\n')}\n`);
    const objects = out
      .trimEnd()
      .split('\n')
      .map(it => JSON.parse(it) as Record<string, unknown>);
    assert.equal(code, ok);
    assert.equal(objects.length, statements.length);
    for (const it of objects) {
      const { dueAt, ...rest } = it;
      assert.deepEqual(Object.keys(rest), ['gate', 'kind', 'confidence', 'cues']);
      assert.ok(dueAt === undefined || typeof dueAt === 'string');
    }
    assert.deepEqual([objects[0]?.gate, objects[4]?.gate], ['behavioral', 'promissory']);
    assert.ok(!existsSync(path.join(shell.home, 'memory')), 'a store was made');
    assert.match((await shell.run(['classify', 'I prefer tabs.'])).out, /^behavioral · /u);
    const nothing = await shell.run('classify', '');
    assert.deepEqual([nothing.code, nothing.out], [2, '']);
    assert.match(nothing.err, /^Stdin had no statement/mu);
  });

  it('exits quietly when the reader of its output closes the pipe', async () => {
    const shell = new Shell();
    const many = Array.from({ length: 50 }, (_, i) => `Service ${i} listens on port ${i}.`).join('\n');
    for (let i = 0; i < 3; i++) await shell.run('remember', many.replaceAll('Service', `Service ${i}`));
    for (const command of ['list --limit 200', 'export', 'list --json']) {
      const { code, err } = await shell.run(command, '', 'head -c 10');
      assert.deepEqual([code, err.split('\n').slice(1)], [ok, command.includes('json') ? [] : ['']], err);
    }
    assert.equal((await shell.json('verify')).code, ok);
  });

  it('reports a damaged store until a person has seen it', async () => {
    const shell = new Shell();
    await remember(shell, 'The payments service runs on port 8443.', '--store', 'global');
    const file = path.join(shell.home, 'memory', 'global', 'memory.db');
    const bytes = readFileSync(file);
    bytes.fill('garbage', 0, 100);
    writeFileSync(file, bytes);
    const [first, second] = [await shell.run('list'), await shell.run('list')];
    const notice =
      /^Memory: .*\nThe memory store .* was damaged on .* and is kept as memory\.damaged-.*\nThis is shown until .*\n/u;
    assert.match(first.err, notice);
    assert.match(second.err, notice);
    const { code, err } = await shell.run('verify --seen --write-anchor heads');
    assert.equal(code, ok);
    assert.match(err, /The notices about damage are not shown again\.\nThe heads of the audit logs are in heads\./u);
    const third = await shell.run('list');
    assert.doesNotMatch(third.err, /was damaged/u);
    assert.deepEqual([first.code, second.code, third.code], [ok, ok, ok]);
  });

  it('exits with code 4 when verify finds a problem', async () => {
    const shell = new Shell();
    await remember(shell, 'The payments service runs on port 8443.', '--store', 'global');
    await sql(path.join(shell.home, 'memory', 'global', 'memory.db'), 'DELETE FROM audit');
    const [plain, json] = [await shell.run('verify'), await shell.json('verify')];
    assert.match(plain.out, /\nglobal store: 2 problems .*\n  The end of the audit log is missing/u);
    assert.deepEqual([plain.code, json.code, (json.data as { ok: boolean }).ok], [4, 4, false]);
  });

  fails(['show', '00000000'], notFound, /There is no memory "00000000"/u);
  fails(['pin', "'; DROP TABLE memories; --"], notFound, /There is no memory/u);
  fails(['nonsense'], usage, /unknown command/u);
  fails(
    ['team', 'foo'],
    usage,
    /^There is no command "foo" of recollect team\. There are: status, init, join, leave, sync, share, withdraw, members, projects\.$/mu,
  );
  fails(['project', 'foo'], usage, /no command "foo" of recollect project\. There are: status, list, link, unlink\./u);
  fails(['set', 'foo', '--json'], usage, /no command \\"foo\\" of recollect set\. There are: list, move\./u);
  fails(['--json', 'set', '--data-dir', 'x', 'foo', 'bar'], usage, /no command \\"foo\\" of recollect set\./u);
  fails(['team', 'git', 'foo'], usage, /no command "foo" of recollect team git\. There are: init, read\./u);
  fails(['checkpoint', 'foo'], usage, /no command "foo" of recollect checkpoint\. There are: list, make, /u);
  fails(['team', 'status', 'foo'], usage, /too many arguments/u);
  fails(['list', '--limit', 'many'], usage, /whole number/u);
  fails(['list', '--limit', '0'], usage, /limit must be/u);
  fails(['list', '--gate', 'moral'], usage, /Allowed choices/u);
  fails(['list', '--since', 'lately'], usage, /date such as/u);
  fails(['recall', ' '], usage, /empty word was given for <query/u);
  fails(['recall'], usage, /missing required argument/u);
  fails(['remember', 'A note.', '--lane', 'note', '--class', 'permanent'], usage, /Only a person/u);
  fails(['feedback', '00000000', 'maybe'], usage, /Allowed choices/u);
  fails(['export', '--out', '/nowhere/x.jsonl'], failed, /cannot be written/u);
  fails(['list', '--data-dir', '/dev/null'], failed, /cannot be made/u);

  it('exits with code 1 when it refuses a text', async () => {
    const shell = new Shell();
    const texts = ['', ' ', 'x'.repeat(1_000_000), 'a\0b', 'The deploy password is hunter2!x9.'];
    const runs = await Promise.all(texts.map(it => shell.run('remember', it)));
    assert.deepEqual(
      runs.map(it => [it.code, /^Refused: [^\n]+\n$/u.test(it.out)]),
      texts.map(() => [failed, true]),
    );
    assert.ok(!runs.some(it => `${it.out}${it.err}`.includes('hunter2')));
    const { data } = await shell.json('list');
    assert.deepEqual(data, []);
  });

  it('helps', async () => {
    const shell = new Shell();
    const { code, out } = await shell.run('--help');
    const commands = [
      'remember',
      'recall',
      'list',
      'show',
      'pin',
      'unpin',
      'forget',
      'restore',
      'confirm',
      'delete',
      'feedback',
      'export',
      'verify',
      'classify',
    ];
    assert.deepEqual([code, commands.filter(it => !out.includes(`  ${it} `))], [ok, []]);
  });

  it('makes no project of the home folder', async () => {
    const shell = new Shell();
    mkdirSync(path.join(shell.home, 'x'));
    const { data } = await shell.json(['remember', 'The port is 1.', '--project', shell.project]);
    assert.equal((data as { outcomes: { store: string }[] }).outcomes[0]?.store, 'project');
  });
});
