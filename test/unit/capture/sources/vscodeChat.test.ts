import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readChatTranscript } from '../../../../src/engine/capture/sources/vscodeChat.js';
import { temporaryFolder } from '../../../support/fixtures.js';
import {
  chatId,
  completedState,
  chatExchange,
  markdownPart,
  pushLine,
  removeLine,
  chatRequest,
  setLine,
  toolPart,
  initialLine,
  writeChat,
} from './chatLogLines.js';
import { CaptureHost, listRemembered } from '../captureHost.js';

const source = 'vscodeChat' as const;

/** The lines of a session as `person: …`, `outcome: …`, `- reason for skipping` or `malformed`. */
async function read(lines: readonly string[], name?: string): Promise<string[]> {
  const described: string[] = [];
  for await (const { line } of readChatTranscript(writeChat(temporaryFolder(), lines, undefined, name), 0)) {
    if (line.kind === 'malformed') described.push('malformed');
    else described.push(line.kind === 'skipped' ? `- ${line.reason}` : `${line.kind}: ${line.text}`);
  }
  return described;
}

function check(name: string, lines: readonly string[], expected: readonly string[], file?: string): void {
  it(name, async () => {
    assert.deepEqual(await read(lines, file), expected);
  });
}

describe('a chat session of VS Code', () => {
  check('without requests has no lines', [initialLine()], []);
  check(
    'is replayed: a request, its streamed answer, and its replacement',
    [
      initialLine(),
      setLine(['responderUsername'], 'GitHub Copilot'),
      pushLine(['requests'], [chatRequest('From now on never paint the pier green.')]),
      pushLine(['requests', 0, 'response'], [{ kind: 'mcpServersStarting' }, markdownPart('I will look')]),
      pushLine(
        ['requests', 0, 'response'],
        [toolPart('rm -rf pier'), markdownPart('The pier is '), markdownPart('blue.')],
        1,
      ),
      setLine(['requests', 0, 'modelState'], completedState.modelState),
    ],
    ['person: From now on never paint the pier green.', 'outcome: The pier is blue.'],
  );
  check(
    'has no outcome before the answer is complete or another request follows',
    [initialLine([chatRequest('Paint the pier.'), chatRequest('And the boat.')])],
    ['person: Paint the pier.', '- nothingSaid', 'person: And the boat.'],
  );
  check(
    'has no undone requests',
    [
      initialLine([chatExchange('From now on always moor at pier one.', 'Done.')]),
      pushLine(['requests'], [chatExchange('From now on always moor at pier two.', 'Done.')], 0),
      pushLine(['requests'], [chatExchange('Use rope.', 'Yes.')]),
      removeLine(['requests', 1, 'response']),
    ],
    ['person: From now on always moor at pier two.', 'outcome: Done.', 'person: Use rope.', '- nothingSaid'],
  );
  check(
    'is read without attachments, participants, commands, quotes, code, turns to Recollect and undone requests',
    [
      initialLine([
        chatRequest('', {
          ...completedState,
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
        chatRequest(
          'Keep <recollect-memories>- never</recollect-memories> it.\n> quoted\n```\ncode\n```',
          completedState,
        ),
        chatRequest('/remember the tide', {
          ...completedState,
          agent: { extensionId: { value: 'recollect.recollect' } },
        }),
        chatRequest('Undone.', { ...completedState, shouldBeRemovedOnSend: { afterUndoStop: 'x' } }),
        chatRequest('Fails.', { modelState: { value: 3 }, result: { errorDetails: { message: 'quota' } } }),
        chatRequest('Only tools.', { ...completedState, response: [markdownPart('First I look.'), toolPart('x')] }),
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
    'is read despite malformed lines, which are counted',
    [
      '{"kind":0,"v":',
      '[]',
      'null',
      '{"kind":7}',
      '{"kind":1,"k":"requests"}',
      setLine(['requests', 9, 'modelState'], completedState.modelState),
      setLine(['requests', -1], {}),
      pushLine(['requests'], [chatExchange('Use rope.', 'Yes.')]),
      pushLine(['requests', 0, 'response'], [null, 7, { kind: 4 }]),
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
  check('without a valid line is malformed', ['nonsense'], ['malformed']);
  check(
    'is read from the single object of an older VS Code',
    [JSON.stringify({ sessionId: chatId, requests: [chatExchange('Use rope.', 'Yes.')] }, undefined, 2)],
    ['person: Use rope.', 'outcome: Yes.'],
    `${chatId}.json`,
  );
  check('that is one invalid object is malformed', ['{"requests": ['], ['malformed'], `${chatId}.json`);
});

describe('capturing chats of VS Code', () => {
  const rule = chatExchange('From now on never paint the pier green.', 'The pier is blue now.');

  /** An engine with consent to capture them. */
  async function opened(): Promise<{ file: (lines: readonly string[]) => string; run: () => Promise<string[]> }> {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow(source);
    const storage = temporaryFolder();
    return {
      file: lines => writeChat(storage, lines, host.workspaceFolders[0]),
      run: async () => {
        await engine.capture.run({ source, files: [path.join(storage, 'chatSessions', `${chatId}.jsonl`)] });
        return (await listRemembered(engine)).facts;
      },
    };
  }

  it('needs its own consent, and has a preview', async () => {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow('claudeCode');
    const file = writeChat(temporaryFolder(), [initialLine([rule]), 'broken']);
    const preview = await engine.capture.preview({ source, files: [file] });
    assert.deepEqual(
      [preview.isAllowed, preview.sends, preview.sessions.map(it => [it.session, it.unread])],
      [false, undefined, [[chatId, { lines: 3, broken: 1, personTurns: 1, outcomes: 1, characters: 60, leftOut: {} }]]],
    );
    await assert.rejects(engine.capture.run({ source, files: [file] }), { code: 'notAllowed' });
    assert.deepEqual(await listRemembered(engine), { facts: [], summaries: [] });
  });

  it('keeps rules as notes, and no summary of a session that does not say what was done', async () => {
    const host = new CaptureHost({ project: true });
    const engine = await host.open();
    await engine.capture.allow(source);
    const file = writeChat(temporaryFolder(), [initialLine([rule])], host.workspaceFolders[0]);
    const { sessions } = await engine.capture.run({ source, files: [file] });
    assert.equal(sessions[0]!.session, chatId);
    const { facts, summaries } = await listRemembered(engine);
    assert.deepEqual(facts, ['From now on never paint the pier green.']);
    // A chat does not say what was done.
    assert.deepEqual(summaries, []);
    const [note] = (await engine.list({ limit: 10 })).filter(it => it.kind !== 'summary');
    assert.deepEqual([note!.lane, note!.provenance.source, note!.provenance.session], ['note', 'conversation', chatId]);
    assert.deepEqual((await engine.capture.run({ source, files: [file] })).sessions, []);
    assert.equal((await engine.capture.preview({ source, files: [file] })).sessions[0]!.unread.lines, 0);
  });

  it('resumes a log that grows, is rewritten or loses requests, without duplicates', async () => {
    const { file, run } = await opened();
    const log = file([initialLine(), pushLine(['requests'], [rule])]);
    assert.deepEqual(await run(), ['From now on never paint the pier green.']);
    const second = chatExchange('From now on always moor at pier two.', 'Moored.');
    appendFileSync(log, `${pushLine(['requests'], [second])}\n`);
    assert.deepEqual(await run(), ['From now on never paint the pier green.', 'From now on always moor at pier two.']);
    const third = chatExchange('From now on never sail at night.', 'No.');
    file([initialLine([rule, second, third])]);
    const three = [
      'From now on never paint the pier green.',
      'From now on always moor at pier two.',
      'From now on never sail at night.',
    ];
    assert.deepEqual(await run(), three);
    const fourth = chatExchange('From now on always log the wind.', 'Logged.');
    file([initialLine([second, third, fourth])]);
    assert.deepEqual(await run(), [...three, 'From now on always log the wind.']);
    assert.deepEqual(await run(), [...three, 'From now on always log the wind.']);
  });

  it('waits for a complete answer and a complete line', async () => {
    const { file, run } = await opened();
    const log = file([initialLine([chatRequest('From now on never paint the pier green.')])]);
    assert.deepEqual(await run(), ['From now on never paint the pier green.']);
    const next = pushLine(['requests'], [chatExchange('From now on never sail at night.', 'No.')]);
    appendFileSync(log, next.slice(0, 40));
    assert.deepEqual(await run(), ['From now on never paint the pier green.']);
    appendFileSync(log, `${next.slice(40)}\n`);
    assert.deepEqual(await run(), ['From now on never paint the pier green.', 'From now on never sail at night.']);
  });

  it('lists the sessions of the open folder among all workspaces, each in one format', async () => {
    const host = new CaptureHost({ project: true });
    const storage = path.join(temporaryFolder(), 'workspaceStorage');
    const [mine] = host.workspaceFolders;
    writeChat(path.join(storage, 'a'), [initialLine([rule])], mine);
    writeChat(path.join(storage, 'a'), ['{}'], mine, `${chatId}.json`);
    writeChat(path.join(storage, 'b'), [initialLine([rule])], temporaryFolder());
    writeChat(path.join(storage, 'c'), [initialLine([rule])]);
    writeFileSync(path.join(storage, 'd'), 'no folder');
    Object.assign(host.sessionFolders, { vscodeChat: storage });
    const engine = await host.open();
    const files = async (): Promise<string[]> =>
      (await engine.capture.preview({ source })).sessions.map(it => path.relative(storage, it.file));
    assert.deepEqual(await files(), [path.join('a', 'chatSessions', `${chatId}.jsonl`)]);
    rmSync(storage, { recursive: true });
    assert.deepEqual(await files(), []);
  });

  it('lists the sessions of a window with several folders, by its workspace file', async () => {
    const host = new CaptureHost({ project: true });
    const storage = path.join(temporaryFolder(), 'workspaceStorage');
    const [mine = ''] = host.workspaceFolders;
    const window = (name: string, workspaceFile: string, content?: string): void => {
      writeChat(path.join(storage, name), [initialLine([rule])]);
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
