import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTeam, summarize, type TeamMember } from '../../support/teamMember.js';

describe('sharing with a team', function () {
  let a: TeamMember;
  let b: TeamMember;

  beforeEach(async () => {
    [a, b] = await createTeam();
  });

  it('looks up the ids before it asks for a name', async () => {
    await assert.rejects(a.engine.team.previewShare({ references: ['00000000'] }), { code: 'notFound' });
    const id = await a.keep('The ferry leaves Bergen at noon.');
    await assert.rejects(a.engine.team.previewShare({ references: [id] }), {
      code: 'invalidInput',
      message: /--as NAME/u,
    });
  });

  it('withdraws a deleted memory by its full or short id alone', async () => {
    const id = await a.keep('The ferry leaves Bergen at noon.');
    await a.share([id]);
    await a.engine.deletion.purge([id]);
    for (const it of ['', '#', id.slice(-1), id.slice(-7), id.slice(-9), 'The ferry leaves Bergen at noon.'])
      await assert.rejects(a.engine.team.previewShare({ references: [it], withdraw: true }), { code: 'notFound' }, it);
    for (const it of [id, id.slice(-8), `#${id.slice(-8).toUpperCase()}`]) {
      const { memories } = await a.engine.team.previewShare({ references: [it], withdraw: true });
      assert.deepEqual(memories, [{ id, content: 'The ferry leaves Bergen at noon.' }]);
    }
  });

  it('begins another file before one is larger than reading takes', async () => {
    const first = await a.keep('The ferry leaves Bergen at noon.');
    const { file } = await a.share([first]);
    const full = path.join(a.clone, file);
    appendFileSync(full, `${' '.repeat(4 * 1024 * 1024 - statSync(full).size - 50)}\n`);
    const second = await a.share([await a.keep('Dogs travel free of charge.')]);
    assert.equal(second.file, file.replace('.jsonl', '-2.jsonl'));
    const third = await a.share([await a.keep('Cars board first.')]);
    assert.equal(third.file, second.file);
    a.push();
    const { changes, refused } = await b.pull();
    assert.deepEqual([changes.length, refused], [3, []]);
  });

  it('records nothing where the file does not take the lines', async () => {
    const id = await a.keep('The ferry leaves Bergen at noon.');
    const preview = await a.engine.team.previewShare({ references: [id], as: 'Ada' });
    const file = path.join(a.clone, preview.file);
    for (const block of [
      () => {
        mkdirSync(file);
      },
      () => {
        symlinkSync(path.join(a.clone, 'elsewhere'), file);
      },
      () => {
        writeFileSync(file, ' '.repeat(4 * 1024 * 1024 - 10));
      },
    ]) {
      block();
      await assert.rejects(a.engine.team.share(preview), { code: 'unsupportedFile' });
      rmSync(file, { recursive: true });
      assert.equal((await a.engine.team.status()).name, undefined);
      assert.equal((await a.engine.team.previewShare({ references: [id], as: 'Ada' })).isFirst, true);
    }
    assert.deepEqual(a.files, []);
  });

  it('uses one folder, whichever part of the working copy is open', async () => {
    const openPart = async (member: TeamMember, part: string): Promise<void> => {
      await member.engine.close();
      mkdirSync(path.join(member.clone, part), { recursive: true });
      member.host.workspaceFolders = [path.join(member.clone, part)];
      await member.open();
    };
    await openPart(a, 'packages/shop');
    assert.deepEqual((await a.engine.team.previewInit()).changes, []);
    const { file } = await a.share([await a.keep('The ferry leaves Bergen at noon.')]);
    assert.deepEqual([path.dirname(file), a.files], ['.recollect/team', [path.basename(file)]]);
    a.push();
    b.git('pull', '-q', '--no-rebase', 'origin', 'main');
    await openPart(b, 'docs');
    const { changes } = await b.read();
    assert.deepEqual(summarize(changes), [['added', 'The ferry leaves Bergen at noon.', 'Ada <ada@example.com>']]);
    await openPart(b, '.');
    assert.deepEqual((await b.read()).changes, []);
    await openPart(b, 'docs');
    await b.engine.team.init(await b.engine.team.previewInit('notes/team'));
    assert.ok(existsSync(path.join(b.clone, 'notes', 'team', '.gitattributes')));
    await openPart(b, '.');
    assert.equal((await b.engine.team.status()).folder, 'notes/team');
  });

  it('refuses names of a folder that are none, each with its reason', async () => {
    for (const [given, reason] of [
      ['', /^The folder has no name\./u],
      ['  ', /^The folder has no name\./u],
      ['.', /is the project itself/u],
      ['a/..', /is the project itself/u],
      [a.clone, /is the project itself/u],
      ['team\nred', /control character/u],
      ['team\u001b[2J', /control character/u],
      ['team\u202e', /control character/u],
      ['..', /is not below/u],
    ] as const)
      await assert.rejects(a.engine.team.previewInit(given), { code: 'invalidInput', message: reason }, given);
  });

  it('names in a preview the file that is then written, and warns of what looks personal', async () => {
    const ids = [
      await a.keep('The harbor office answers on Mondays.', { tags: ['my phone is +47 5555 0199'] }),
      await a.keep('Ich mag keine langen Antworten.', { gate: 'behavioral', kind: 'preference' }),
      await a.keep('Wir deployen freitags nie.', { gate: 'behavioral', kind: 'preference', tags: ['meine regel'] }),
      await a.keep('Ask ada@example.com for access.'),
    ];
    const team = await a.keep('Nous déployons le mardi.', { gate: 'behavioral', kind: 'preference' });
    const { file } = await a.engine.team.previewShare({ references: [...ids, team], as: 'Ada' });
    const shared = await a.share([...ids, team]);
    assert.deepEqual([shared.file, a.files], [file, [path.basename(file)]]);
    assert.deepEqual([shared.memories.length, shared.refused, shared.personal.map(it => it.id)], [5, [], ids]);
    assert.match(shared.personal.map(it => it.reason).join(' '), /phone number.*“I”, “my”.*“I”, “my”.*e-mail address/u);
  });
});
