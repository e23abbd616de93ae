import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CaptureCandidate, CaptureResult } from '../../src/engine/model/capture.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { chatExchange, initialLine, writeChat } from '../unit/capture/sources/chatLogLines.js';
import { assistantLine, userLine, sessionId } from '../unit/capture/captureHost.js';
import { Shell } from './shell.js';

describe('recollect capture', function () {
  it('previews the sessions, asks for consent, captures once, and stops after --forbid', async () => {
    const shell = new Shell();
    const project = realpathSync(shell.project);
    const folder = path.join(shell.home, '.claude', 'projects', project.replaceAll(/[^A-Za-z0-9]/gu, '-'));
    mkdirSync(folder, { recursive: true });
    const rest = { cwd: project };
    const lines = [
      userLine('From now on never paint the pier green.', rest),
      '{"cut',
      assistantLine('The pier is blue.', rest),
    ];
    writeFileSync(path.join(folder, `${sessionId}.jsonl`), lines.join('\n'));

    const first = await shell.run('capture');
    assert.equal(first.code, 1);
    assert.match(
      first.out,
      /^1 session file with something new below .*\n.*: 3 lines, 1 broken; 1 turn of yours, 1 answer,/u,
    );
    assert.match(first.out, /Nothing is sent/u);
    assert.match(first.err, /recollect capture --allow/u);
    assert.deepEqual((await shell.json('list')).data, []);
    assert.equal((await shell.run('capture --dry-run')).code, 0);

    const allowed = await shell.json('capture --allow');
    assert.equal((allowed.data as CaptureResult).sessions[0]!.outcomes.length, 1);
    const kept = (await shell.json('list')).data as Memory[];
    // Nothing was done in the session, so that there is no summary.
    assert.deepEqual(
      kept.map(it => [it.lane, it.kind === 'summary']),
      [['note', false]],
    );
    assert.equal((await shell.run('capture')).out, 'There is nothing new.\n');
    assert.equal((await shell.run('capture --session nothing.jsonl')).code, 3);
    assert.equal((await shell.run('capture --forbid')).code, 0);
    assert.equal((await shell.run('capture')).code, 1);
    assert.equal((await shell.run('verify')).code, 0);
  });

  it('lists what may be lasting as candidates, and keeps or drops them in one go', async () => {
    const shell = new Shell();
    const rest = { cwd: realpathSync(shell.project) };
    const file = path.join(shell.home, `${sessionId}.jsonl`);
    const said = [
      'We have three ferries that share one timetable.',
      'Never paint the crane green, only red.',
      'Open the map. Our piers are made of oak.',
    ];
    writeFileSync(file, said.map(it => userLine(it, rest)).join('\n') + '\n');
    const captured = await shell.run(['capture', '--allow', '--session', file]);
    assert.match(captured.err, /3 statements may be lasting: recollect candidates/u);
    const listed = (await shell.json('candidates')).data as CaptureCandidate[];
    assert.deepEqual(
      listed.map(it => [it.content, it.said, it.session]),
      [
        ['Never paint the crane green, only red.', undefined, sessionId],
        ['We have three ferries that share one timetable.', undefined, sessionId],
        ['Our piers are made of oak.', 'Open the map. Our piers are made of oak.', sessionId],
      ],
    );
    const shown = (await shell.run('candidates')).out;
    assert.match(shown, /\d{4}-\d\d-\d\d {2}Our piers are made of oak\.\n +in: Open the map\. Our piers/u);
    assert.equal((await shell.run('candidates --keep 0000')).code, 3);
    const [crane, , oak] = listed.map(it => it.id);
    assert.equal((await shell.run(['candidates', '--keep', crane!, oak!, '--as', 'One for two.'])).code, 2);
    const words = 'All piers are made of oak.';
    const kept = await shell.run(['candidates', '--keep', oak!, '--as', words, '--rest', 'drop']);
    assert.match(kept.out, /^stored #\w{8} {2}All piers are made of oak\.\n2 dropped\.\n$/u);
    assert.deepEqual((await shell.json('candidates')).data, []);
    const [memory] = (await shell.json('list --lane confirmed')).data as Memory[];
    const { session, said: turn } = memory!.provenance;
    assert.deepEqual([memory?.content, session, turn], [words, sessionId, 'Open the map. Our piers are made of oak.']);
  });

  it('reads the chats of a window of several folders, one of which is the project', async () => {
    const shell = new Shell();
    const user = path.join(shell.home, '.config', 'Code', 'User');
    const workspaceFile = path.join(shell.home, 'harbour.code-workspace');
    const folders = [{ path: 'elsewhere' }, { path: path.relative(shell.home, shell.project) }];
    writeFileSync(workspaceFile, JSON.stringify({ folders, settings: {} }));
    const storage = path.join(user, 'workspaceStorage', '0a53e3caebd8d7dd3cd3aef7a4a83d9d');
    writeChat(storage, [initialLine([chatExchange('From now on never paint the pier green.', 'The pier is blue.')])]);
    const workspace = pathToFileURL(workspaceFile).href;
    writeFileSync(path.join(storage, 'workspace.json'), JSON.stringify({ workspace }));
    const chats = ['capture', '--source', 'vscodeChat'];

    assert.match((await shell.run(chats)).out, /^1 session file with .*\n.*: 2 lines; 1 turn of yours, 1 answer,/u);
    assert.equal((await shell.run([...chats, '--allow'])).code, 0);
    const kept = (await shell.json('list --lane note')).data as Memory[];
    assert.ok(kept.some(it => it.content === 'From now on never paint the pier green.' && it.kind !== 'summary'));
    assert.doesNotMatch(JSON.stringify(kept), /output of a tool/u);

    writeFileSync(workspaceFile, JSON.stringify({ folders: folders.slice(0, 1) }));
    assert.match((await shell.run([...chats, '--dry-run'])).out, /^0 session files/u);
  });
});
