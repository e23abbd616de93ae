import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { participantId, type ChatCommand } from '../../../src/vscode/contributions.js';
import { handleChatRequest } from '../../../src/vscode/participant/participant.js';
import type { ChatAnswerMetadata } from '../../../src/vscode/participant/chatContext.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';
import { openEngineAt, waitUntil } from './engineFixtures.js';
import { Recorder, scriptedModel } from './recorder.js';

const outcomeOf = ({ metadata = {} }: vscode.ChatResult): ChatAnswerMetadata => metadata;

describe('@recollect', () => {
  let folder: string;
  let engineHolder: EngineHolder;
  let engine: MemoryEngine;
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const log = {
    info: note,
    warn: note,
    error: (message: string, error?: unknown): void => {
      note(`${message} ${String(error)}`);
    },
  };
  /** The turns of one chat. */
  let history: vscode.ChatResponseTurn[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-participant-'));
    mkdirSync(join(folder, 'project'));
    engineHolder = new EngineHolder(() => openEngineAt(join(folder, 'data'), [join(folder, 'project')]));
    engine = await engineHolder.engine();
    history = [];
    logged.length = 0;
  });
  afterEach(async () => {
    await engineHolder.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const keep = async (content: string, rest: object = {}): Promise<string> => {
    const [outcome] = await engine.remember({ content, source: 'explicit', lane: 'confirmed', whole: true, ...rest });
    if (outcome === undefined || outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome));
    return outcome.id;
  };

  interface Said extends Recorder {
    readonly result: vscode.ChatResult;
    readonly outcome: ChatAnswerMetadata;
  }
  async function say(
    command: ChatCommand | undefined,
    prompt: string,
    {
      model,
      token = new vscode.CancellationTokenSource().token,
      stream = new Recorder(),
    }: {
      readonly model?: vscode.LanguageModelChat;
      readonly token?: vscode.CancellationToken;
      readonly stream?: Recorder;
    } = {},
  ): Promise<Said> {
    const request = { command, prompt, references: [], ...(model === undefined ? {} : { model }) };
    const result = await handleChatRequest({ engineHolder, log }, request, history, stream, token);
    const turn = Object.create(vscode.ChatResponseTurn.prototype, {
      result: { value: structuredClone(result) },
      participant: { value: participantId },
    }) as vscode.ChatResponseTurn;
    history.push(turn);
    return Object.assign(stream, { result, outcome: outcomeOf(result) });
  }
  const short = (id: string): string => id.slice(-8);

  it('recalls, and references each memory and its code', async () => {
    const uri = vscode.Uri.file(join(folder, 'ferry.ts')).toString();
    const id = await keep('The ferry is called Perpetua.', { uri, range: { startLine: 3, endLine: 9 } });
    const said = await say('recall', 'what is the ferry called');
    assert.match(
      said.text,
      new RegExp(`^- #${short(id)} The ferry is called Perpetua\\. \\*\\d+ \\w+ \\d{4} · confirmed\\*$`, 'mu'),
    );
    assert.deepEqual(
      said.anchors.map(it => [it.scheme, it.query]),
      [['recollect-memory', short(id)]],
    );
    const document = await vscode.workspace.openTextDocument(said.anchors[0]!).then(
      it => it.uri.scheme,
      () => 'not open',
    );
    assert.equal(document, 'recollect-memory');
    const [page, code] = said.references;
    assert.ok(page instanceof vscode.Uri && page.query === id);
    assert.ok(code instanceof vscode.Location && code.uri.toString() === uri);
    assert.deepEqual([code.range.start.line, code.range.end.line], [3, 8]);
    assert.deepEqual(
      said.outcome.next?.map(it => it.command),
      ['why'],
    );
    const [trace] = await engine.traces(1);
    assert.deepEqual([trace?.id, trace?.asker], [said.outcome.trace, 'person']);
  });

  it('shows progress after a second in which nothing is written, as while the memory is opened', async () => {
    const stream = new Recorder();
    const slow = new EngineHolder(async () => {
      await waitUntil(
        () => Promise.resolve(stream.progresses.length),
        shown => shown > 0,
      );
      return openEngineAt(join(folder, 'slow'), [join(folder, 'project')]);
    });
    const { token } = new vscode.CancellationTokenSource();
    const request = { command: 'status', prompt: '', references: [] };
    try {
      await handleChatRequest({ engineHolder: slow, log }, request, [], stream, token);
      assert.deepEqual(stream.progresses, ['Looking in the memory']);
      assert.notEqual(stream.text, '');
    } finally {
      await slow.close();
    }
  });

  it('answers a question with the model of the chat, with citations as links', async () => {
    const id = short(await keep('The ferry is called Perpetua.'));
    const { model, asked } = scriptedModel([
      `It is **Perp`,
      `etua** [#${id.slice(0, 3)}`,
      `${id.slice(3)}], #ffffffff.`,
    ]);
    const said = await say(undefined, 'What is the ferry called?', { model });
    assert.equal(said.text.trim(), `It is **Perpetua** #${id}, #ffffffff.`);
    assert.deepEqual(
      said.anchors.map(it => it.query),
      [id],
    );
    assert.match(asked[0]!, /<recollect_memories [\s\S]*Perpetua[\s\S]*The question: What is the ferry called\?$/u);
    const silent = await say(undefined, 'What is the ferry called?', scriptedModel(['Perpetua.']));
    assert.equal(silent.text.trim().replace(/\s+/gu, ' '), `Perpetua. Recalled: #${id}`);
  });

  it('lists the memories when the model is missing, fails, refuses or is silent', async () => {
    const id = short(await keep('The ferry is called Perpetua.'));
    const listed = new RegExp(`^- #${id} The ferry is called Perpetua\\.`, 'mu');
    assert.match((await say(undefined, 'ferry name')).text, listed);
    const failures: readonly (readonly [readonly string[] | Error, RegExp])[] = [
      [new Error('Perpetua is down'), /^\*Scripted did not answer\. This is/u],
      [vscode.LanguageModelError.NoPermissions('no'), /^\*Scripted did not answer\. This is/u],
      [new Error('Response got filtered: off_topic'), /^\*Scripted declined to answer\. This is/u],
      [[' ', '\n'], /^\s*\*Scripted did not answer\. This is/u],
    ];
    for (const [answer, sentence] of failures) {
      const { text } = await say(undefined, 'ferry name', scriptedModel(answer));
      assert.match(text, sentence);
      assert.match(text, listed);
    }
    assert.doesNotMatch(logged.join('\n'), /Perpetua|ferry/u);
  });

  it('does not call the model when nothing was recalled', async () => {
    const { model, asked } = scriptedModel(['I made it up.']);
    const said = await say(undefined, 'What is the ferry called?', { model });
    assert.deepEqual([said.text.trim(), asked], ['Nothing is remembered about this.', []]);
  });

  it('stores a note, with a button that confirms it', async () => {
    const said = await say('remember', 'The ferry is called Perpetua.');
    const id = /Stored #([0-9a-f]{8}) for /u.exec(said.text)?.[1];
    assert.ok(id !== undefined, said.text);
    assert.equal((await engine.get(id)).lane, 'note');
    // A person asked for it, so that it has no end of its own, as a captured note has, and none is announced.
    assert.equal((await engine.get(id)).expiresAt, undefined);
    assert.match(said.text, /A note until you confirm it: notes weigh less\.\*$/mu);
    const confirm = said.buttons.find(it => it.title === 'Confirm');
    assert.deepEqual(
      [confirm?.command, confirm?.arguments],
      ['recollect.decideInChat', ['confirm', [(await engine.get(id)).id]]],
    );
    const asked = await say('remember', `#${id}`);
    assert.match(asked.text, /^\*\*Still a note\*\*[^]*The ferry is called Perpetua\./u);
    assert.equal((await engine.get(id)).lane, 'note', 'naming it confirms nothing: only the button does');
    await engine.promote(id);
    const confirmed = await say('remember', `#${id}`);
    assert.match(
      confirmed.text,
      /^\*\*Confirmed: it counts as your word, and outranks notes\.\*\*[^]*The ferry is called/u,
    );
    assert.deepEqual(confirmed.buttons, []);
    await engine.forget(id);
    const forgotten = await say('forget', `#${id}`);
    assert.match(forgotten.text, /^\*\*Forgotten: assistants no longer get it\.\*\*[^]*The ferry is called/u);
    assert.deepEqual(
      forgotten.buttons.map(it => it.title),
      ['Restore'],
    );
    await engine.restore(id);
    const again = await say('remember', 'The ferry is called Perpetua.');
    assert.match(again.text, /^Already known, reinforced/u);
    assert.deepEqual(again.buttons, []);
    assert.match(
      (await say('remember', `The token is ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 53))).text,
      /^Refused: /u,
    );
  });

  it('forgets nothing without a button', async () => {
    const id = await keep('The ferry is called Perpetua.');
    for (const prompt of ['the ferry', id, `#${short(id)}`]) {
      const said = await say('forget', prompt);
      assert.match(said.text, /The ferry is called Perpetua\./u);
      assert.deepEqual(
        said.buttons.map(it => it.command),
        ['recollect.decideInChat'],
      );
      const [decision, ids] = said.buttons[0]!.arguments as [string, readonly string[]];
      assert.deepEqual([decision, ids.map(short)], ['forget', [short(id)]]);
    }
    assert.equal((await engine.get(id)).status, 'active');
  });

  it('explains the last recall of this chat in parts that add up', async () => {
    const id = await keep('The ferry is called Perpetua.');
    for (let i = 0; i < 14; i++) await keep(`The ferry number ${i} has ${i + 2} decks and a bell from ${1900 + i}.`);
    const recalled = await say('recall', 'ferry');
    await engine.recall({ query: 'somebody else asked about decks' });
    await say('status', '');
    const said = await say('why', '');
    assert.match(said.text, /^"ferry": 8 recalled of 15 found, in [\d.]+ ms\.$/mu);
    const { trace } = await engine.explainer.explainTrace(recalled.outcome.trace!);
    const sums = [...said.text.matchAll(/^ {2}- (\d\.\d\d) = (.*)$/gmu)];
    assert.equal(sums.length, 8);
    for (const [index, [, sum, terms]] of sums.entries()) {
      const parts = [...terms!.matchAll(/\d\.\d\d/gu)].map(it => Math.round(Number(it[0]) * 100));
      assert.equal(
        parts.reduce((a, b) => a + b, 0),
        Math.round(Number(sum) * 100),
      );
      const candidate = trace.candidates[index < 5 ? index : index + 3]!;
      assert.ok(Math.abs(candidate.factors.rank - Number(sum)) < 0.011, `${sum} ${candidate.factors.rank}`);
    }
    assert.match(said.text, /Left out[\s\S]*others rank higher, and the answer has a limit/u);
    assert.deepEqual(
      said.buttons.map(it => [it.command, it.arguments]),
      [['recollect.explainLastAnswer', [trace.id]]],
    );
    assert.ok(said.text.includes(short(id)) || trace.candidates.length === 15);
  });

  it('lists merge proposals, and the status of the stores', async () => {
    const short = 'The departures board refreshes every 30 seconds from the tide service.';
    const long = 'The departures board of the harbour refreshes every 30 seconds from the tide service, never faster.';
    for (const it of [short, long]) await keep(it, { gate: 'epistemic', kind: 'context' });
    const said = await say('consolidate', '');
    assert.match(said.text, /^These could be merged\. Nothing is until/u);
    assert.ok(said.text.includes(short) && said.text.includes(long), said.text);
    const [proposal] = await engine.consolidation.listProposals();
    assert.deepEqual(
      said.buttons.map(it => [it.title, it.command, it.arguments]),
      [['Review 1', 'recollect.consolidate', [proposal?.id]]],
    );
    assert.match((await say('status', '')).text, /^The project memory: 2 active \(2 confirmed, 0 notes\)/mu);
  });

  it('indexes the files of the workspace', async () => {
    writeFileSync(
      join(folder, 'project', 'tides.ts'),
      '/** When the tide is high. */\nexport function highTide() {}\n',
    );
    assert.match((await say('index', '')).text, /^1 file indexed: \d+ descriptions made/u);
    assert.match((await say('index', '')).text, /^The code index is up to date: 1 file/u);
    assert.match((await say('recall', 'when is the tide high')).text, /highTide/u);
  });

  it('suggests what to type when a prompt is missing', async () => {
    const bad: readonly (readonly [ChatCommand | undefined, string, RegExp])[] = [
      [undefined, '  ', /Say what to recall, such as `@recollect \/recall /u],
      ['recall', '', /Say what to recall, such as `@recollect \/recall /u],
      ['remember', '', /Say what to remember, such as `@recollect \/remember /u],
      ['forget', '', /Say what to forget, or the id of a memory, such as `@recollect \/forget /u],
      ['forget', 'ffffffff', /There is no memory "ffffffff"\. List or recall memories to see their ids\./u],
      ['why', '', /Nothing has been recalled in this chat yet\. Ask first, such as `@recollect /u],
    ];
    for (const [command, prompt, sentence] of bad) {
      const said = await say(command, prompt);
      assert.match(said.text, sentence);
      assert.equal(said.result.errorDetails, undefined);
    }
  });

  it('shows memory text literally', async () => {
    const hostile =
      '[run](command:workbench.action.terminal.new) ![](https://evil.example/x) <img src=x> $(trash) `rm` **now** #ffffffff';
    const id = await keep(hostile);
    for (const [command, prompt] of [
      ['recall', 'run now'],
      ['forget', 'run now'],
      ['forget', id],
      ['remember', hostile],
      ['why', ''],
    ] as const) {
      const { text, markdownText } = await say(command, prompt);
      // An image of the network would be loaded: it is no image any more where memories are recalled.
      const shown = [hostile, hostile.replace('![', '! [').replace('<img', '‹img')];
      assert.ok(
        // What was just typed is not repeated.
        command === 'remember' || shown.some(it => text.includes(it)),
        `${command}: ${text}`,
      );
      assert.doesNotMatch(markdownText, /(?<!\\)(?:\]\(|!\[|\$\(|`rm)|<img/u, command);
    }
  });

  it('does nothing when it is cancelled', async () => {
    await keep('The ferry is called Perpetua.');
    const before = new vscode.CancellationTokenSource();
    before.cancel();
    assert.equal((await say('remember', 'The slipway is closed.', before)).text, '');
    assert.equal((await engine.list()).length, 1);
    const during = new vscode.CancellationTokenSource();
    const stream = new Recorder();
    stream.onMarkdown = () => {
      during.cancel();
    };
    const { model } = scriptedModel(['First line.\n', 'Second line.\n']);
    const stopping: vscode.LanguageModelChat['sendRequest'] = async (messages, options, token) => {
      const response = await model.sendRequest(messages, options, token);
      const text = (async function* () {
        for await (const it of response.text) {
          if (token?.isCancellationRequested === true) throw new vscode.CancellationError();
          yield it;
        }
      })();
      return { text, stream: text };
    };
    const said = await say(undefined, 'ferry', {
      model: { ...model, sendRequest: stopping },
      token: during.token,
      stream,
    });
    assert.equal(said.text.trim(), 'First line.');
  });
});
