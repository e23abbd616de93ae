import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Kind, Memory } from '../../../src/engine/model/memory.js';
import type { PublishPreview, PublishInput } from '../../../src/engine/model/publishing.js';
import { formatListItem } from '../../../src/engine/publish/sortForPublishing.js';
import { selectForPublishing, maxSectionMemories } from '../../../src/engine/publish/selectForPublishing.js';
import { readTarget } from '../../../src/engine/publish/targetFiles.js';
import { writeToStore, linkMarked, storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';

const refused = (what: RegExp) => (error: unknown) =>
  EngineError.is(error, 'unsupportedFile') && what.test(error.message);

describe('publishing', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let folder: string;
  const file = (name = 'CLAUDE.md'): string => path.join(folder, name);
  const read = (name?: string): string => readFileSync(file(name), 'utf8');
  const project = (content: string, rest: Parameters<typeof storeMemory>[2] = {}): Promise<string> => {
    host.time += 1; // What is stored in one millisecond is in no order.
    return storeMemory(engine, content, { store: 'project', gate: 'epistemic', kind: 'context', ...rest });
  };
  const publish = async (input?: PublishInput): Promise<readonly PublishPreview[]> => {
    const found = await engine.publishing.preview(input);
    for (const it of found) await engine.publishing.write(it);
    return found;
  };

  beforeEach(async () => {
    host = new TestHost({ project: true });
    folder = host.workspaceFolders[0]!;
    engine = await host.open();
  });

  it('publishes the confirmed memories of the project only, by kind', async () => {
    await project('The database is PostgreSQL 16.', { kind: 'decision' });
    await project('Ferries are numbered from the south.');
    await project('Tests run in UTC.', { kind: 'gotcha' });
    await project('A model noted this.', { lane: 'note' });
    await project('This is apart.', { scopeId: 'apart' });
    await project('The pier is painted next week.', { gate: 'promissory', kind: 'progress' });
    await project('Solveig looks after the pier.', { gate: 'relational' });
    await project('The harbour office is closed today.', { decayClass: 'ephemeral' });
    await engine.forget(await project('Nobody wants this.'));
    await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral' });
    writeFileSync(file(), '# Harbour\r\n\r\nRun the tests.');
    const [{ before, after, diff, memories } = {} as PublishPreview] = await engine.publishing.preview();
    assert.equal(read(), before);
    await publish();
    assert.equal(read(), after);
    assert.equal(memories, 3);
    assert.equal(
      after?.replaceAll('\r\n', '\n'),
      `# Harbour

Run the tests.

<!-- recollect:start -->
## Project Memory

What this project has agreed, kept by Recollect. Changes in here are lost.

### Decisions

- The database is PostgreSQL 16.

### Gotchas

- Tests run in UTC.

### Context

- Ferries are numbered from the south.
<!-- recollect:end -->
`,
    );
    assert.equal(after.replaceAll('\r\n', '').includes('\n'), false);
    assert.match(diff, /^\+- Tests run in UTC\.\r?$/mu);
    const [again] = await publish();
    assert.deepEqual([again?.diff, again?.after], ['', after]);
    assert.deepEqual(await engine.verify().then(it => it.flatMap(report => report.problems)), []);
  });

  it('marks included notes as unconfirmed, and leaves out expired ones', async () => {
    await project('A model noted that long ago.', { lane: 'note', source: 'conversation' });
    host.advanceDays(61);
    await project('A model noted this.', { lane: 'note' });
    const [{ after } = {} as PublishPreview] = await publish({ withNotes: true });
    assert.match(after!, /^- A model noted this\. \(noted by a model, not confirmed\)$/mu);
    assert.doesNotMatch(after!, /long ago/u);
  });

  it('leaves out both sides of an open contradiction, unless one side is an excluded note', async () => {
    const [one, other, third] = [
      await project('The port is 1.'),
      await project('Ports begin at 2.'),
      await project('Lunch is at noon.'),
    ];
    const note = await project('Lunch is never at all.', { lane: 'note' });
    await engine.close();
    const store = path.join(
      host.dataDir,
      'projects',
      readdirSync(path.join(host.dataDir, 'projects'))[0]!,
      'memory.db',
    );
    await writeToStore(host, 'project', store, async tx => {
      await linkMarked(tx, { source: other, target: one, strength: 0.8, reason: 'Other port.' });
      await linkMarked(tx, { source: note, target: third, strength: 0.8, reason: 'No lunch.' });
    });
    engine = await host.open();
    const [{ after, contradicting } = {} as PublishPreview] = await publish();
    assert.deepEqual([after!.match(/^- .*/gmu), contradicting], [['- Lunch is at noon.'], 2]);
    await engine.conflicts.resolve(one, other, 'keepA');
    assert.deepEqual((await publish())[0]?.after?.match(/^- .*/gmu), ['- The port is 1.', '- Lunch is at noon.']);
  });

  it('lists memories by age, so that recalls do not move lines', async () => {
    await project('The first ferry leaves at six.');
    await project('The last ferry leaves at ten.');
    const before = (await publish())[0]!.after;
    await engine.recall({ query: 'last ferry' });
    await engine.traces();
    host.advanceDays(10);
    assert.equal((await publish())[0]!.after, before);
  });

  it('creates no file without memories, and empties a section whose memories were forgotten', async () => {
    assert.deepEqual([(await publish())[0]?.diff, existsSync(file())], ['', false]);
    const id = await project('The port is 1.');
    await publish();
    await engine.forget(id);
    await publish();
    assert.equal(read(), '<!-- recollect:start -->\n<!-- recollect:end -->\n');
  });

  it('writes the chosen targets, and a file with two names once', async () => {
    await project('The port is 1.');
    writeFileSync(file('AGENTS.md'), 'Agents.\n', { mode: 0o640 });
    symlinkSync('AGENTS.md', file('CLAUDE.md'));
    const found = await publish({ targets: ['claude', 'agents', 'copilot'] });
    assert.deepEqual(
      found.map(it => [it.target, path.relative(realpathSync(folder), it.file), it.link && path.basename(it.link)]),
      [
        ['claude', 'AGENTS.md', 'CLAUDE.md'],
        ['copilot', path.join('.github', 'copilot-instructions.md'), undefined],
      ],
    );
    assert.equal(lstatSync(file('CLAUDE.md')).isSymbolicLink(), true);
    assert.match(read('AGENTS.md'), /^Agents\.\n\n<!-- recollect:start -->/u);
    assert.equal(statSync(file('AGENTS.md')).mode & 0o777, 0o640);
    assert.match(read('.github/copilot-instructions.md'), /The port is 1/u);
    assert.deepEqual(readdirSync(folder).sort(), ['.github', 'AGENTS.md', 'CLAUDE.md']);
  });

  it('follows a link to a file of the same git repository from a folder of it, and names the path', async () => {
    await project('The port is 1.');
    const [inner, other] = [path.join(folder, 'service'), path.join(folder, 'vendored')];
    for (const it of [path.join(folder, '.git'), inner, path.join(other, '.git')]) mkdirSync(it, { recursive: true });
    writeFileSync(file('CLAUDE.md'), 'Ours.\n');
    writeFileSync(path.join(other, 'notes.md'), 'Theirs.\n');
    symlinkSync(path.join('..', 'CLAUDE.md'), path.join(inner, 'CLAUDE.md'));
    symlinkSync(path.join('..', 'vendored', 'notes.md'), path.join(inner, 'AGENTS.md'));
    const { file: place, text } = await readTarget(path.join(inner, 'CLAUDE.md'), inner);
    assert.deepEqual([place, text], [realpathSync(file('CLAUDE.md')), 'Ours.\n']);
    await assert.rejects(readTarget(path.join(inner, 'AGENTS.md'), inner), /leads to .*vendored/u);
    rmSync(path.join(folder, '.git'), { recursive: true });
    await assert.rejects(readTarget(path.join(inner, 'CLAUDE.md'), inner), /leads to .*CLAUDE\.md/u);
  });

  it('follows no link out of the project, in the file or a folder above it, and says where it leads', async () => {
    await project('The port is 1.');
    const outside = temporaryFolder();
    writeFileSync(path.join(outside, 'notes.md'), 'Mine.\n');
    symlinkSync(path.join(outside, 'notes.md'), file('CLAUDE.md'));
    symlinkSync(outside, file('.github'));
    for (const target of ['claude', 'copilot'] as const)
      await assert.rejects(publish({ targets: [target] }), (error: Error) =>
        error.message.includes(`leads to ${realpathSync(outside)}`),
      );
    assert.deepEqual(
      [readdirSync(outside), readFileSync(path.join(outside, 'notes.md'), 'utf8')],
      [['notes.md'], 'Mine.\n'],
    );
  });

  it('names the file of the project that leads to a device, which it does not open', async function () {
    if (process.platform === 'win32') this.skip();
    await project('The port is 1.');
    symlinkSync('/dev/zero', file('CLAUDE.md'));
    await assert.rejects(publish({ targets: ['claude'] }), /CLAUDE\.md leads to \/dev\/zero/u);
  });

  it('gives Claude a rules file beside an AGENTS.md, and no CLAUDE.md that would hide it', async () => {
    await project('The port is 1.');
    writeFileSync(file('AGENTS.md'), 'Agents.\n');
    await publish();
    assert.deepEqual(readdirSync(folder).sort(), ['.claude', 'AGENTS.md']);
    assert.equal(read('AGENTS.md'), 'Agents.\n');
    assert.match(read('.claude/rules/recollect.md'), /^<!-- recollect:start -->\n[\s\S]*The port is 1/u);
    // Where AGENTS.md gets a section, Claude reads that.
    await publish({ targets: ['claude', 'agents'] });
    assert.deepEqual(readdirSync(folder), ['AGENTS.md']);
    assert.match(read('AGENTS.md'), /The port is 1/u);
  });

  it('moves a section out of a CLAUDE.md that holds nothing else once there is an AGENTS.md', async () => {
    await project('The port is 1.');
    await publish();
    writeFileSync(file('AGENTS.md'), 'Agents.\n');
    const found = await publish();
    assert.deepEqual(
      found.map(it => [path.relative(realpathSync(folder), it.file), it.withdraws]),
      [
        [path.join('.claude', 'rules', 'recollect.md'), false],
        ['CLAUDE.md', true],
      ],
    );
    assert.deepEqual(readdirSync(folder).sort(), ['.claude', 'AGENTS.md']);
  });

  it('writes into the CLAUDE.md of the person where there is an AGENTS.md, too', async () => {
    await project('The port is 1.');
    writeFileSync(file('AGENTS.md'), 'Agents.\n');
    writeFileSync(file(), 'See @AGENTS.md.\n');
    await publish();
    assert.deepEqual(readdirSync(folder).sort(), ['AGENTS.md', 'CLAUDE.md']);
    assert.match(read(), /^See @AGENTS\.md\.\n\n<!-- recollect:start -->/u);
  });

  it('begins a file for Cursor as a rule that always applies, and writes one for Gemini', async () => {
    await project('The port is 1.');
    await publish({ targets: ['cursor', 'gemini'] });
    assert.match(
      read('.cursor/rules/recollect.mdc'),
      /^---\ndescription: [^\n]+\nalwaysApply: true\n---\n\n<!-- recollect:start -->\n/u,
    );
    assert.match(read('GEMINI.md'), /^<!-- recollect:start -->\n[\s\S]*The port is 1/u);
  });

  it('leaves out what the file or one read with it says already, in whatever words around it', async () => {
    await project('Ferries are numbered from the south.');
    await project('Use pnpm, not npm.', { gate: 'behavioral', kind: 'preference' });
    await project('Ring the bell in fog.', { gate: 'behavioral', kind: 'preference' });
    await project('The gate opens at 7.');
    writeFileSync(
      file(),
      '# Harbour\n\n- We always use pnpm instead of npm here.\n- Never ring the bell in fog.\n@docs/piers.md\n',
    );
    mkdirSync(file('docs'));
    writeFileSync(file('docs/piers.md'), 'All ferries of ours are numbered from the south.\n\nThe gate opens at 8.\n');
    const [{ after, memories, alreadySaid } = {} as PublishPreview] = await publish();
    assert.deepEqual([memories, alreadySaid], [2, 2]);
    assert.deepEqual(after?.match(/^- (?!We |Never ).*/gmu), ['- Ring the bell in fog.', '- The gate opens at 7.']);
    assert.equal((await publish())[0]?.diff, '');
  });

  it('takes out exactly what was written, from every file of the project', async () => {
    await project('The port is 1.');
    const own = { 'CLAUDE.md': 'No newline at the end.', 'AGENTS.md': 'Agents.\r\n\r\n', 'GEMINI.md': '' };
    for (const [name, text] of Object.entries(own)) writeFileSync(file(name), text);
    await publish({ targets: ['claude', 'agents', 'gemini', 'copilot', 'cursor'] });
    await project('The port is blue.');
    await publish({ targets: ['agents'] });
    const found = await engine.publishing.previewWithdrawals();
    assert.equal(found.length, 5);
    for (const it of found) await engine.publishing.write(it);
    assert.deepEqual(readdirSync(folder).sort(), ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']);
    for (const [name, text] of Object.entries(own)) assert.equal(read(name), text);
    assert.deepEqual(await engine.publishing.previewWithdrawals(), []);
    // A checkout in which somebody else wrote it has no record of how it came in.
    const text = 'Mine.\n\n<!-- recollect:start -->\n- The port is 1.\n<!-- recollect:end -->\n';
    writeFileSync(file(), text);
    for (const it of await engine.publishing.previewWithdrawals({ targets: ['claude'] }))
      await engine.publishing.write(it);
    assert.equal(read(), 'Mine.\n');
    writeFileSync(file(), text + 'More.\n');
    const [withdrawn] = await engine.publishing.previewWithdrawals();
    await engine.publishing.write(withdrawn!);
    assert.equal(read(), 'Mine.\n\nMore.\n');
    await engine.publishing.undo(withdrawn!);
    assert.equal(read(), text + 'More.\n');
  });

  it('does not refresh a section that was taken out', async () => {
    await project('The port is 1.');
    await publish();
    for (const it of await engine.publishing.previewWithdrawals()) await engine.publishing.write(it);
    await project('The port is blue.');
    assert.deepEqual([await engine.publishing.refresh('claude'), existsSync(file())], [false, false]);
  });

  it('uses the targets of the settings by default', async () => {
    host.settings = { ...host.settings, publish: { targets: ['agents'] } };
    assert.deepEqual(
      (await engine.publishing.preview()).map(it => it.target),
      ['agents'],
    );
  });

  it("publishes the identity page into the person's own file, without project memories", async () => {
    const home = temporaryFolder();
    const before = process.env.CLAUDE_CONFIG_DIR;
    process.env.CLAUDE_CONFIG_DIR = path.join(home, '.claude');
    try {
      await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral' });
      await engine.pin(await project('The port is 1.'));
      await publish({ targets: ['user'] });
    } finally {
      if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
      else process.env.CLAUDE_CONFIG_DIR = before;
    }
    assert.equal(
      readFileSync(path.join(home, '.claude', 'CLAUDE.md'), 'utf8'),
      '<!-- recollect:start -->\n## How I work\n\n- I prefer tabs.\n<!-- recollect:end -->\n',
    );
  });

  it('undoes a write, unless the file was changed since', async () => {
    await project('The port is 1.');
    const [made] = await publish();
    await engine.publishing.undo(made!);
    assert.equal(existsSync(file()), false);
    writeFileSync(file(), 'Mine.\n');
    const [changed] = await publish();
    await engine.publishing.undo(changed!);
    assert.equal(read(), 'Mine.\n');
    await publish();
    writeFileSync(file(), `${read()}More.\n`);
    await assert.rejects(engine.publishing.undo(changed!), refused(/changed meanwhile/u));
  });

  it('rejects a file that changed since the preview, is read-only, is not text, or is no file', async () => {
    await project('The port is 1.');
    const [planned] = await engine.publishing.preview();
    writeFileSync(file(), 'Quick.\n');
    await assert.rejects(engine.publishing.write(planned!), refused(/changed meanwhile/u));
    chmodSync(file(), 0o444);
    await assert.rejects(publish(), refused(/read-only/u));
    assert.equal(read(), 'Quick.\n');
    chmodSync(file(), 0o644);
    writeFileSync(file(), Buffer.from([0x66, 0xff, 0x66]));
    await assert.rejects(publish(), refused(/UTF-8/u));
    symlinkSync('nowhere.md', file('AGENTS.md'));
    await assert.rejects(publish({ targets: ['agents'] }), refused(/link to a file that does not exist/u));
    mkdirSync(path.join(folder, '.github', 'copilot-instructions.md'), { recursive: true });
    await assert.rejects(publish({ targets: ['copilot'] }), refused(/is a folder/u));
  });

  it('refreshes an unedited section, with notes where the person included them', async () => {
    await project('The port is 1.');
    assert.deepEqual([await engine.publishing.refresh('claude'), existsSync(file())], [false, false]);
    writeFileSync(file(), 'Mine.\n');
    await publish({ withNotes: true });
    const first = read();
    assert.equal(await engine.publishing.refresh('claude'), false);
    await project('A model noted this.', { lane: 'note' });
    writeFileSync(file(), `${read()}More.\n`);
    assert.equal(await engine.publishing.refresh('claude', folder), true);
    assert.match(read(), /^Mine\.\n[\s\S]*- A model noted this\. \(noted[\s\S]*\nMore\.\n$/u);
    // An older checkout, with the ends of lines of another system.
    writeFileSync(file(), first.replaceAll('\n', '\r\n'));
    assert.equal(await engine.publishing.refresh('claude'), true);
    assert.match(read(), /A model noted/u);
    assert.equal(await engine.publishing.refresh('agents'), false);
  });

  it('does not refresh a section that was edited or removed', async () => {
    await project('The port is 1.');
    await publish();
    await project('The port is blue.');
    for (const text of [
      read().replace('port', 'harbour'),
      'Mine.\n',
      '<!-- recollect:start -->\n- Theirs.\n<!-- recollect:end -->\n',
    ]) {
      writeFileSync(file(), text);
      assert.deepEqual([await engine.publishing.refresh('claude'), read()], [false, text]);
    }
    writeFileSync(file(), '<!-- recollect:start -->\n');
    await assert.rejects(engine.publishing.refresh('claude'), refused(/never ends/u));
  });

  it('throws invalidInput without a workspace folder', async () => {
    const alone = await new TestHost().open();
    await assert.rejects(alone.publishing.preview(), (error: unknown) => EngineError.is(error, 'invalidInput'));
  });
});

describe('publish selection', () => {
  const memories = (counts: Partial<Record<Kind, number>>, rest: Partial<Memory> = {}): Memory[] =>
    Object.entries(counts).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, i) => {
        const memory = { id: `${kind} ${i}`, kind, gate: 'epistemic', store: 'project', lane: 'confirmed' };
        return { ...memory, content: `Boat ${i}`, provenance: { source: 'explicit' }, ...rest } as unknown as Memory;
      }),
    );
  const counted = (chosen: readonly Memory[]): Partial<Record<string, number>> => {
    const counts: Partial<Record<string, number>> = {};
    for (const { kind } of chosen) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };
  const facts: readonly Kind[] = ['architecture', 'decision', 'gotcha', 'context', 'pitfall', 'friction'];

  it('limits the memories of each kind that is no rule for work', () => {
    const all = memories(Object.fromEntries(facts.map(it => [it, 100])));
    const chosen = counted(selectForPublishing(all));
    assert.equal(
      Object.values(chosen).reduce((sum, it) => sum! + it!, 0),
      maxSectionMemories,
    );
    const limits = { decision: 25, gotcha: 20, context: 15 };
    assert.deepEqual({ ...chosen, architecture: 0 }, { ...limits, architecture: 0 });
  });

  it('has room for each correction and convention, however many facts there are', () => {
    const many = memories({ architecture: 100, decision: 100, gotcha: 100, context: 100 });
    const rules = [
      ...memories({ pitfall: 3 }, { gate: 'correction' }),
      ...memories({ preference: 4, procedure: 5, pattern: 2 }),
      ...memories({ decision: 1 }, { gate: 'behavioral' }),
    ];
    const chosen = selectForPublishing([...many, ...rules]);
    assert.deepEqual(
      rules.filter(it => !chosen.includes(it)),
      [],
    );
    assert.equal(chosen.length, maxSectionMemories);
  });

  it('gives unused room of a kind to the next memories in order', () => {
    assert.deepEqual(
      counted(selectForPublishing(memories({ preference: 20, decision: 200, gotcha: 100, context: 3 }))),
      {
        preference: 20,
        decision: 67,
        gotcha: 20,
        context: 3,
      },
    );
  });

  it('renders any text as one escaped list item', () => {
    const items: Readonly<Record<string, string>> = {
      '# Title': '- Title',
      '#hash': String.raw`- \#hash`,
      '--> <!-- recollect:end -->': String.raw`- \--> \<!-- recollect:end -->`,
      [String.raw`\<script>`]: String.raw`- \\\<script>`,
      'See @~/.ssh/id_rsa and @README.md, not a@b.c': String.raw`- See \@~/.ssh/id_rsa and \@README.md, not a@b.c`,
      '[x](javascript:alert)': '- x',
      '12) twelve': '- twelve',
      '2026. A year': String.raw`- 2026\. A year`,
      'src/**/*.ts has snake_case < 3 -> x': '- src/**/*.ts has snake_case < 3 -> x',
      '```sh\nrm -rf\n```': '- `rm -rf`',
      'Check it:\n```sh\nnpm test\nnpm run lint\n```': '- Check it:\n  ```\n  npm test\n  npm run lint\n  ```',
      'Ends it:\n```\n<!-- recollect:end -->\nmore\n```': String.raw`- Ends it: \<!-- recollect:end --> more`,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(items).map(it => [it, formatListItem({ content: it })])), items);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), content => {
        const item = formatListItem({ content });
        assert.match(item, /^- [^\r\n]*$/u);
        assert.doesNotMatch(item, /^- (?:[#>=~|]|[-+*](?:\s|$)|\d+[.)]|`)/u);
        assert.doesNotMatch(item.replaceAll(/\\\\/gu, ''), /(?<!\\)<[a-z/!?]|(?:^|\s)@\S/iu);
      }),
      { numRuns: 2_000 },
    );
  });
});
