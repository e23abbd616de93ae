import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readChatTranscript } from '../../../../src/engine/capture/sources/vscodeChat.js';
import { temporaryFolder } from '../../../support/memory.js';
import { chat, done, exchange, markdown, push, remove, request, set, tool, whole, writeChat } from '../chatKit.js';
import { CaptureHost, remembered } from '../kit.js';

const source = 'vscodeChat' as const;

/** What is read of a session, a line each: `person: …`, `outcome: …`, `- why it is left out`, `broken`. */
async function read(lines: readonly string[], name?: string): Promise<string[]> {
  const told: string[] = [];
  for await (const { line } of readChatTranscript(writeChat(temporaryFolder(), lines, undefined, name), 0)) {
    if (line.kind === 'malformed') told.push('malformed');
    else told.push(line.kind === 'skipped' ? `- ${line.reason}` : `${line.kind}: ${line.text}`);
  }
  return told;
}

function check(name: string, lines: readonly string[], expected: readonly string[], file?: string): void {
  it(name, async () => {
    assert.deepEqual(await read(lines, file), expected);
  });
}

describe('a chat session of VS Code', () => {
  check('that was never used says nothing', [whole()], []);
  check(
    'is replayed: a request, its answer as it was streamed, and what replaced it',
    [
      whole(),
      set(['responderUsername'], 'GitHub Copilot'),
      push(['requests'], [request('Never paint the pier green.')]),
      push(['requests', 0, 'response'], [{ kind: 'mcpServersStarting' }, markdown('I will look')]),
      push(['requests', 0, 'response'], [tool('rm -rf pier'), markdown('The pier is '), markdown('blue.')], 1),
      set(['requests', 0, 'modelState'], done.modelState),
    ],
    ['person: Never paint the pier green.', 'outcome: The pier is blue.'],
  );
  check(
    'has no outcome while it is being written, and one once another request follows',
    [whole([request('Paint the pier.'), request('And the boat.')])],
    ['person: Paint the pier.', '- nothingSaid', 'person: And the boat.'],
  );
  check(
    'forgets what was taken back',
    [
      whole([exchange('Always moor at pier one.', 'Done.')]),
      push(['requests'], [exchange('Always moor at pier two.', 'Done.')], 0),
      push(['requests'], [exchange('Use rope.', 'Yes.')]),
      remove(['requests', 1, 'response']),
    ],
    ['person: Always moor at pier two.', 'outcome: Done.', 'person: Use rope.', '- nothingSaid'],
  );
  check(
    'is read without attachments, participants, commands, quotes, code, what is said to us and what was undone',
    [
      whole([
        request('', {
          ...done,
          message: {
            text: '@workspace /fix the leak in #file:pier.ts',
            parts: [
              { kind: 'agent', text: '@workspace' },
              { kind: 'text', text: ' ' },
              { kind: 'subcommand', text: '/fix' },
              { kind: 'text', text: ' the leak in ' },
              { kind: 'dynamic', text: '#file:pier.ts' },
            ],
          },
        }),
        request('Keep <recollect-memories>- never</recollect-memories> it.\n> quoted\n```\ncode\n```', done),
        request('/remember the tide', { ...done, agent: { extensionId: { value: 'recollect.recollect' } } }),
        request('Undone.', { ...done, shouldBeRemovedOnSend: { afterUndoStop: 'x' } }),
        request('Fails.', { modelState: { value: 3 }, result: { errorDetails: { message: 'quota' } } }),
        request('Only tools.', { ...done, response: [markdown('First I look.'), tool('x')] }),
      ]),
    ],
    [
      'person: the leak in #file:pier.ts',
      '- nothingSaid',
      'person: Keep  it.',
      '- nothingSaid',
      ...['- meta', '- meta', '- meta', '- meta'],
      'person: Fails.',
      '- apiError',
      'person: Only tools.',
      '- toolUse',
    ],
  );
  check(
    'is read although lines are broken, each of which is counted',
    [
      '{"kind":0,"v":',
      '[]',
      'null',
      '{"kind":7}',
      '{"kind":1,"k":"requests"}',
      set(['requests', 9, 'modelState'], done.modelState),
      set(['requests', -1], {}),
      push(['requests'], [exchange('Use rope.', 'Yes.')]),
      push(['requests', 0, 'response'], [null, 7, { kind: 4 }]),
    ],
    [
      'malformed',
      'malformed',
      'malformed',
      'malformed',
      'malformed',
      'malformed',
      'person: Use rope.',
      'outcome: Yes.',
    ],
  );
  check('that is nothing but broken is said to be', ['nonsense'], ['malformed']);
  check(
    'is one object where an older VS Code wrote it',
    [JSON.stringify({ sessionId: chat, requests: [exchange('Use rope.', 'Yes.')] }, undefined, 2)],
    ['person: Use rope.', 'outcome: Yes.'],
    `${chat}.json`,
  );
  check('is one object that is broken', ['{"requests": ['], ['malformed'], `${chat}.json`);
});

describe('capturing chats of VS Code', () => {
  const rule = exchange('Never paint the pier green.', 'The pier is blue now.');

  /** An engine that may capture them, and how to. */
  async function opened(): Promise<{ file: (lines: readonly string[]) => string; run: () => Promise<string[]> }> {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow(source);
    const storage = temporaryFolder();
    return {
      file: lines => writeChat(storage, lines, host.workspaceFolders[0]),
      run: async () => {
        await engine.capture.run({ source, files: [path.join(storage, 'chatSessions', `${chat}.jsonl`)] });
        return (await remembered(engine)).facts;
      },
    };
  }

  it('is allowed by itself, and shows what it would read first', async () => {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow('claudeCode');
    const file = writeChat(temporaryFolder(), [whole([rule]), 'broken']);
    const preview = await engine.capture.preview({ source, files: [file] });
    assert.deepEqual(
      [preview.isAllowed, preview.sends, preview.sessions.map(it => [it.session, it.unread])],
      [false, undefined, [[chat, { lines: 3, broken: 1, personTurns: 1, outcomes: 1, characters: 48, leftOut: {} }]]],
    );
    await assert.rejects(engine.capture.run({ source, files: [file] }), { code: 'notAllowed' });
    assert.deepEqual(await remembered(engine), { facts: [], summaries: [] });
  });

  it('keeps rules as notes and sums the session up, once', async () => {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow(source);
    const file = writeChat(temporaryFolder(), [whole([rule])], host.workspaceFolders[0]);
    const { sessions } = await engine.capture.run({ source, files: [file] });
    assert.equal(sessions[0]!.session, chat);
    const { facts, summaries } = await remembered(engine);
    assert.deepEqual(facts, ['Never paint the pier green.']);
    assert.match(summaries.join(), /^Session of 2026-02-27\. Asked: .*pier green\. Outcome: The pier is blue now\.$/u);
    const [note] = (await engine.list({ limit: 10 })).filter(it => it.kind !== 'summary');
    assert.deepEqual([note!.lane, note!.provenance.source, note!.provenance.session], ['note', 'conversation', chat]);
    assert.deepEqual((await engine.capture.run({ source, files: [file] })).sessions, []);
    assert.equal((await engine.capture.preview({ source, files: [file] })).sessions[0]!.unread.lines, 0);
  });

  it('goes on in a log that grows, is rewritten, or loses requests, and repeats nothing', async () => {
    const { file, run } = await opened();
    const log = file([whole(), push(['requests'], [rule])]);
    assert.deepEqual(await run(), ['Never paint the pier green.']);
    const second = exchange('Always moor at pier two.', 'Moored.');
    appendFileSync(log, `${push(['requests'], [second])}\n`);
    assert.deepEqual(await run(), ['Never paint the pier green.', 'Always moor at pier two.']);
    const third = exchange('Never sail at night.', 'No.');
    file([whole([rule, second, third])]);
    const three = ['Never paint the pier green.', 'Always moor at pier two.', 'Never sail at night.'];
    assert.deepEqual(await run(), three);
    const fourth = exchange('Always log the wind.', 'Logged.');
    file([whole([second, third, fourth])]);
    assert.deepEqual(await run(), [...three, 'Always log the wind.']);
    assert.deepEqual(await run(), [...three, 'Always log the wind.']);
  });

  it('waits for the end of an answer and of a line', async () => {
    const { file, run } = await opened();
    const log = file([whole([request('Never paint the pier green.')])]);
    assert.deepEqual(await run(), ['Never paint the pier green.']);
    const next = push(['requests'], [exchange('Never sail at night.', 'No.')]);
    appendFileSync(log, next.slice(0, 40));
    assert.deepEqual(await run(), ['Never paint the pier green.']);
    appendFileSync(log, `${next.slice(40)}\n`);
    assert.deepEqual(await run(), ['Never paint the pier green.', 'Never sail at night.']);
  });

  it('finds the sessions of the open folder among all workspaces, each in one format', async () => {
    const host = new CaptureHost({ project: true });
    const storage = path.join(temporaryFolder(), 'workspaceStorage');
    const [mine] = host.workspaceFolders;
    writeChat(path.join(storage, 'a'), [whole([rule])], mine);
    writeChat(path.join(storage, 'a'), ['{}'], mine, `${chat}.json`);
    writeChat(path.join(storage, 'b'), [whole([rule])], temporaryFolder());
    writeChat(path.join(storage, 'c'), [whole([rule])]);
    writeFileSync(path.join(storage, 'd'), 'no folder');
    Object.assign(host.sessionFolders, { vscodeChat: storage });
    const engine = await host.open();
    const files = async (): Promise<string[]> =>
      (await engine.capture.preview({ source })).sessions.map(it => path.relative(storage, it.file));
    assert.deepEqual(await files(), [path.join('a', 'chatSessions', `${chat}.jsonl`)]);
    rmSync(storage, { recursive: true });
    assert.deepEqual(await files(), []);
  });

  it('finds those of a window of several folders, by its workspace file', async () => {
    const host = new CaptureHost({ project: true });
    const storage = path.join(temporaryFolder(), 'workspaceStorage');
    const [mine = ''] = host.workspaceFolders;
    const window = (name: string, workspaceFile: string, content?: string): void => {
      writeChat(path.join(storage, name), [whole([rule])]);
      const workspace = pathToFileURL(workspaceFile).href;
      writeFileSync(path.join(storage, name, 'workspace.json'), JSON.stringify({ workspace }, undefined, 2));
      if (content !== undefined) writeFileSync(workspaceFile, content);
    };
    const beside = path.join(path.dirname(mine), 'harbour.code-workspace');
    const relative = JSON.stringify(path.basename(mine));
    window('a', beside, `{\n  // Both.\n  "folders": [{ "path": "elsewhere" }, { "path": ${relative} },],\n}\n`);
    const other = path.join(temporaryFolder(), 'by uri.code-workspace');
    window(
      'b',
      other,
      JSON.stringify({ folders: [{ uri: pathToFileURL(mine).href }, { uri: 'vscode-vfs://github/a' }] }),
    );
    window('c', path.join(temporaryFolder(), 'other.code-workspace'), '{ "folders": [{ "path": "x" }, null, 1] }');
    window('d', path.join(temporaryFolder(), 'gone.code-workspace'));
    Object.assign(host.sessionFolders, { vscodeChat: storage });
    const engine = await host.open();
    const { sessions } = await engine.capture.preview({ source });
    assert.deepEqual(
      sessions.map(it => [path.relative(storage, it.file).slice(0, 1), it.folder]),
      [
        ['a', undefined],
        ['b', mine],
      ],
    );
  });
});
