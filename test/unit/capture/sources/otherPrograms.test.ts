import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transcriptReaders } from '../../../../src/engine/capture/sources/registry.js';
import type { CaptureSource } from '../../../../src/engine/model/capture.js';
import { temporaryFolder } from '../../../support/fixtures.js';
import { sql } from '../../../support/sqlite.js';
import { CaptureHost } from '../captureHost.js';

/** What a person and an assistant said in the sessions below, whatever program wrote them down. */
const rule = 'From now on never paint the pier green.';
const talk = [`person: ${rule}`, 'outcome: The pier is blue now.', 'person: Thanks, and ring the bell.'];

const time = (minute: number): string => `2026-02-27T10:0${minute}:00.000Z`;
const ms = (minute: number): number => Date.parse(time(minute));

/** A file of JSON lines, or one object. */
function write(file: string, value: readonly object[] | object): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    Array.isArray(value) ? value.map(it => `${JSON.stringify(it)}\n`).join('') : JSON.stringify(value),
  );
  return file;
}

/** Folders of a program with a session in a project, and one elsewhere. */
interface Fixture {
  /** The source's folder. */
  readonly folder: string;
  /** Goes on with the session. */
  readonly more: (text: string) => Promise<void> | void;
}

const fixtures: Readonly<
  Record<
    Exclude<CaptureSource, 'claudeCode' | 'vscodeChat'>,
    (root: string, project: string) => Promise<Fixture> | Fixture
  >
> = {
  codex(root, project) {
    const line = (minute: number, type: string, payload: object) => ({ timestamp: time(minute), type, payload });
    const said = (minute: number, type: string, message: string): object =>
      line(minute, 'event_msg', { type, message });
    const meta = (cwd: string, source: unknown = 'cli'): object =>
      line(0, 'session_meta', { id: 's1', cwd, source, cli_version: '0.98.0', git: { branch: 'tides' } });
    const patch = '*** Begin Patch\n*** Update File: src/pier.ts\n@@\n-green\n+blue\n*** End Patch';
    const lines = [
      meta(project),
      line(0, 'response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '# AGENTS.md' }],
      }),
      said(1, 'user_message', `# Context from my IDE setup:\n\n## Active file: x\n\n## My request for Codex:\n${rule}`),
      line(2, 'response_item', { type: 'custom_tool_call', name: 'apply_patch', input: patch }),
      line(2, 'response_item', { type: 'custom_tool_call_output', output: 'Always use the output.' }),
      said(2, 'agent_message', 'The pier is blue now.'),
      // As newer versions write it.
      line(3, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] }),
      line(3, 'event_msg', {
        type: 'item_completed',
        item: { type: 'UserMessage', content: [{ type: 'text', text: 'Thanks, and ring the bell.' }] },
      }),
    ];
    const day = path.join(root, '2026', '02', '27');
    const file = write(path.join(day, 'rollout-2026-02-27T10-00-00-s1.jsonl'), lines);
    write(path.join(day, 'rollout-2026-02-27T10-00-00-s2.jsonl'), [meta(`${project}-elsewhere`)]);
    return {
      folder: root,
      more: text => {
        appendFileSync(file, `${JSON.stringify(said(4, 'user_message', text))}\n`);
      },
    };
  },
  copilotCli(root, project) {
    let id = 0;
    const event = (minute: number, type: string, data: object): object => ({
      type,
      data,
      id: `e${++id}`,
      timestamp: time(minute),
      parentId: null,
    });
    const start = (cwd: string): object =>
      event(0, 'session.start', { sessionId: 's1', copilotVersion: '1.0.5', context: { cwd, branch: 'tides' } });
    const file = write(path.join(root, 's1', 'events.jsonl'), [
      start(project),
      event(1, 'user.message', { content: 'Skill: always whistle.', source: 'skill-whistle' }),
      event(1, 'user.message', { content: rule, transformedContent: `<current_datetime>x</current_datetime>${rule}` }),
      event(2, 'assistant.message', { content: '', toolRequests: [{ name: 'edit' }] }),
      event(2, 'tool.execution_start', { toolName: 'edit', arguments: { path: `${project}/src/pier.ts` } }),
      event(2, 'assistant.message', { content: 'A sub-agent says so.', parentToolCallId: 't' }),
      event(2, 'assistant.message', { content: 'The pier is blue now.' }),
      event(3, 'user.message', { content: 'Thanks, and ring the bell.' }),
    ]);
    write(path.join(root, 's2.jsonl'), [start(`${project}-elsewhere`)]);
    return {
      folder: root,
      more: text => {
        appendFileSync(file, `${JSON.stringify(event(4, 'user.message', { content: text }))}\n`);
      },
    };
  },
  geminiCli(root, project) {
    const said = (id: string, type: string, content: unknown, rest: object = {}): object => ({
      id,
      timestamp: time(Number(id[1])),
      type,
      content,
      ...rest,
    });
    const chats = path.join(root, 'harbour', 'chats');
    const edit = { name: 'replace', args: { file_path: `${project}/src/pier.ts` } };
    const start = { sessionId: 's1', projectHash: 'x', startTime: time(0), kind: 'main' };
    const context = said('m0', 'user', [{ text: '<session_context>\nAlways read the context.\n</session_context>' }]);
    const named = ['\n--- Content from referenced files ---', '\nContent from @pier.ts:\n', 'Always read the file.'];
    const typed = [{ text: rule }, ...named.map(text => ({ text }))];
    const file = write(path.join(chats, 'session-2026-02-27T10-00-abcdef12.jsonl'), [
      start,
      { $set: { messages: [context], lastUpdated: time(0) } },
      said('m1', 'user', typed, { displayContent: [{ text: rule }] }),
      { $set: { lastUpdated: time(1) } },
      said('m2', 'gemini', 'The pier'),
      said('m2', 'gemini', 'The pier is blue now.', { toolCalls: [edit] }),
      said('m3', 'user', 'Always take this back.'),
      { $rewindTo: 'm3' },
      said('m4', 'info', 'Request cancelled.'),
      // Resumed: all again, as of now, without what was typed and without tool calls.
      start,
      { $set: { sessionId: 's1' } },
      {
        $set: { messages: [context, said('m1', 'user', typed), said('m2', 'gemini', [{ text: 'The pier is blue.' }])] },
      },
      said('m5', 'user', [{ text: 'Thanks, and ring the bell.' }]),
      // Compressed: what is kept of the conversation, under other ids.
      said('m6', 'user', [{ text: '<state_snapshot>Always read the snapshot.</state_snapshot>' }]),
      said('m7', 'user', typed),
      { $set: { messages: [said('m6', 'user', 'x'), said('m7', 'user', typed)] } },
    ]);
    writeFileSync(path.join(root, 'harbour', '.project_root'), project);
    const hash = createHash('sha256').update(`${project}-elsewhere`).digest('hex');
    write(path.join(root, hash, 'chats', 'session-2.json'), { sessionId: 's2', messages: [said('m1', 'user', rule)] });
    return {
      folder: root,
      more: text => {
        appendFileSync(file, `${JSON.stringify(said('m8', 'user', text))}\n`);
      },
    };
  },
  async opencode(root, project) {
    const db = path.join(root, 'opencode.db');
    mkdirSync(root, { recursive: true });
    await sql(db, 'CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER)');
    await sql(db, 'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)');
    await sql(db, 'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)');
    const add = async (id: number, role: string, ...parts: readonly object[]): Promise<void> => {
      const data = JSON.stringify({ role, time: { created: ms(id) } });
      await sql(db, `INSERT INTO message VALUES ('m${id}', 's1', ${ms(id)}, '${data}')`);
      for (const [i, it] of parts.entries())
        await sql(db, `INSERT INTO part VALUES ('p${id}${i}', 'm${id}', 's1', '${JSON.stringify(it)}')`);
    };
    const text = (words: string): object => ({ type: 'text', text: words });
    await sql(db, `INSERT INTO session VALUES ('s1', NULL, '${project}', 1), ('s2', NULL, '${project}-elsewhere', 2)`);
    // As `opencode run` writes a message.
    await add(1, 'user', text(`"${rule}"`), { ...text('Always read the synthetic part.'), synthetic: true });
    const input = { filePath: `${project}/src/pier.ts` };
    await add(2, 'assistant', { type: 'tool', tool: 'edit', state: { input } }, text('The pier is blue now.'));
    await add(3, 'user', text('Thanks, and ring the bell.'));
    // A session that was moved into the database stays in its files.
    write(path.join(root, 'storage', 'session', 'x', 's1.json'), { id: 's1', directory: project });
    return { folder: root, more: words => add(4, 'user', text(words)) };
  },
  async cursor(root, project) {
    const folder = path.join(root, 'globalStorage');
    const window = path.join(root, 'workspaceStorage', 'w1');
    mkdirSync(folder, { recursive: true });
    write(path.join(window, 'workspace.json'), { folder: pathToFileURL(project).href });
    const [db, windowDb] = [path.join(folder, 'state.vscdb'), path.join(window, 'state.vscdb')];
    await sql(db, 'CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)');
    await sql(windowDb, 'CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)');
    await sql(
      windowDb,
      `INSERT INTO ItemTable VALUES ('composer.composerData', '{"allComposers":[{"composerId":"c1"}]}')`,
    );
    const put = (key: string, value: object): Promise<unknown> =>
      sql(db, `INSERT INTO cursorDiskKV VALUES ('${key}', '${JSON.stringify(value)}')`);
    const bubbles: object[] = [];
    const add = async (id: number, type: number, text: string): Promise<void> => {
      bubbles.push({ bubbleId: `b${id}`, type });
      await put(`bubbleId:c1:b${id}`, { bubbleId: `b${id}`, type, text, createdAt: time(id) });
      await put('composerData:c1', { composerId: 'c1', createdAt: ms(0), fullConversationHeadersOnly: bubbles });
    };
    await add(1, 1, rule);
    await add(2, 2, '');
    await add(3, 2, 'The pier is blue now.');
    await add(4, 1, 'Thanks, and ring the bell.');
    const workspaceIdentifier = { id: 'w2', uri: { fsPath: `${project}-elsewhere` } };
    await put('composerData:c2', { composerId: 'c2', createdAt: ms(0), workspaceIdentifier, conversation: [] });
    return { folder, more: text => add(5, 1, text) };
  },
  specStory(_root, project) {
    const file = path.join(project, '.specstory', 'history', '2026-02-27_10-00-00Z-pier.md');
    mkdirSync(path.dirname(file), { recursive: true });
    const header = (speaker: string, minute: number): string => `_**${speaker} (2026-02-27 10:0${minute}:00Z)**_\n\n`;
    writeFileSync(
      file,
      [
        '<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-02-27 10:00:00Z\n',
        '<!-- Cursor IDE Session s1 (2026-02-27 10:00:00Z) -->\n',
        `${header('User', 1)}${rule}\n\n---\n`,
        '_**Agent - sidechain (model 2026-02-27 10:02:00Z)**_\n\nA sub-agent says so.\n',
        '_**Agent (model 2026-02-27 10:02:00Z)**_\n\n<tool-use data-tool-type="read" data-tool-name="Read"><details>\n',
        `${header('User', 9)}Always use what a tool printed.\n</details></tool-use>\n\nThe pier is blue now.\n\n---\n`,
        `${header('User', 3)}Thanks, and ring the bell.\n`,
      ].join('\n'),
    );
    return {
      folder: path.join('.specstory', 'history'),
      more: text => {
        appendFileSync(file, `\n${header('User', 4)}${text}\n`);
      },
    };
  },
};

describe('sessions of other programs', () => {
  for (const [source, make] of Object.entries(fixtures) as [keyof typeof fixtures, (typeof fixtures)['codex']][]) {
    it(`reads what was said in a project's sessions of ${source}, and goes on behind it`, async () => {
      const host = new CaptureHost({ project: true });
      const [project] = host.workspaceFolders as [string];
      const { folder, more } = await make(path.join(temporaryFolder(), 'sessions'), project);
      const reader = transcriptReaders[source];
      const files = await reader.listFiles(folder, host.workspaceFolders);
      assert.equal(files.length, 1, files.join());
      assert.equal(await reader.readFolder(files[0]!), project);
      const said: string[] = [];
      const changed: string[] = [];
      const sessions = new Set<string | undefined>();
      for await (const { line } of reader.readLines(files[0]!, 0)) {
        if (line.kind === 'malformed') continue;
        if (line.kind !== 'skipped') said.push(`${line.kind}: ${line.text}`);
        changed.push(...(line.work?.changedFiles ?? []));
        sessions.add(line.session);
      }
      assert.deepEqual(said, talk);
      if (source !== 'cursor' && source !== 'specStory')
        assert.deepEqual(
          changed.map(it => path.basename(it)),
          ['pier.ts'],
        );

      Object.assign(host.sessionFolders, { [source]: folder });
      const engine = await host.open();
      await assert.rejects(engine.capture.run({ source }), { code: 'notAllowed' });
      await engine.capture.allow(source);
      const facts = async (): Promise<readonly string[]> => {
        const { failed } = await engine.capture.run({ source });
        assert.deepEqual(failed, []);
        const memories = (await engine.list()).filter(it => it.kind !== 'summary');
        return memories.map(it => `${it.content} ×${it.reinforcementCount}`).sort();
      };
      assert.deepEqual(await facts(), [`${rule} ×1`]);
      await more('From now on ring the bell twice.');
      const both = ['From now on ring the bell twice. ×1', `${rule} ×1`];
      assert.deepEqual(await facts(), both.sort());
      assert.deepEqual(await facts(), both.sort());
    });
  }

  it('names a database that holds no sessions, and leaves it as it was', async () => {
    const host = new CaptureHost({ project: true });
    const folder = temporaryFolder();
    const file = path.join(folder, 'state.vscdb');
    writeFileSync(file, 'not a database');
    Object.assign(host.sessionFolders, { cursor: folder });
    const engine = await host.openAllowed('cursor');
    const { failed } = await engine.capture.run({ source: 'cursor' });
    assert.match(failed[0]!.problem, /state\.vscdb is no database with sessions/u);
    assert.equal(readFileSync(file, 'utf8'), 'not a database');
  });
});
