import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Database } from '../../src/engine/database/database.js';
import { TestHost, storeMemory, storeProblems, temporaryFolder } from '../support/fixtures.js';
import { connectClient, eras, openOtherEngine, remember } from './mcpClient.js';

const server = path.resolve('dist/cli.js');

const hello = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  },
  { method: 'notifications/initialized' },
];
const call = (id: number, name: string, input: object): object => {
  return { id, method: 'tools/call', params: { name, arguments: input } };
};
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

interface Raw {
  readonly process: ChildProcess;
  readonly stderr: Readable;
  readonly dataDir: string;
  readonly cwd: string;
  send(...messages: readonly object[]): void;
  /** The answer to a request. */
  answer(id: number): Promise<Message>;
  /** All that was written to stdout so far. */
  readonly out: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

interface Message {
  readonly id?: number;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
}

const started: ChildProcess[] = [];
const opened: number[] = [];
afterEach(() => {
  for (const it of started.splice(0)) it.kill('SIGKILL');
  for (const it of opened.splice(0)) closeSync(it);
});

/**
 * Starts it in a session of its own, as a terminal or a service manager does: in a container all the rest may share one.
 * @param wrapper a shell script that gets the server's command line as `"$@"`
 * @param input an open file that is its stdin, instead of a pipe that is closed when the child ends
 */
function start(wrapper?: string, input?: number): Raw {
  const [dataDir, cwd, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const command = [process.execPath, server, 'mcp'];
  const [program, ...args] = wrapper === undefined ? command : ['sh', '-c', wrapper, 'sh', ...command];
  const child = spawn(program!, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir },
    stdio: [input ?? 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(child);
  if (input !== undefined) opened.push(input);
  let out = '';
  let isOver = false;
  child.stdout!.setEncoding('utf8').on('data', (it: string) => (out += it));
  child.stdin?.on('error', () => undefined); // It may be gone already.
  return {
    process: child,
    stderr: child.stderr!,
    dataDir,
    cwd,
    send: (...messages) => {
      const text = messages.map(line).join('');
      if (input === undefined) child.stdin!.write(text);
      else writeSync(input, text);
    },
    answer: async id => {
      for (;;) {
        const complete = out
          .slice(0, out.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(it => it !== '');
        const found = complete.map(it => JSON.parse(it) as Message).find(it => it.id === id);
        if (found !== undefined) return found;
        if (isOver) throw new Error(`There is no answer to ${id}.`);
        await setTimeout(10);
      }
    },
    out: () => out,
    ended: new Promise(resolve => {
      child.once('close', (code, signal) => {
        isOver = true;
        resolve({ code, signal });
      });
    }),
  };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the process of an MCP server', () => {
  it('answers pending requests and exits when its client closes stdin', async () => {
    const it = start();
    it.send(...hello, call(2, 'remember', { content: 'The ferry leaves from pier seven.' }));
    it.process.stdin!.end();
    const { code } = await it.ended;
    assert.equal(code, 0);
    assert.match((await it.answer(2)).result?.content?.[0]?.text ?? '', /^Stored #/u);
  });

  it('answers a call whose arguments are null', async () => {
    const it = start();
    it.send(...hello, { id: 2, method: 'tools/call', params: { name: 'list', arguments: null } });
    assert.match((await it.answer(2)).result?.content?.[0]?.text ?? '', /^There are no such memories/u);
  });

  it('exits while another process holds the write lock of its store', async () => {
    const it = start();
    it.send(...hello, call(2, 'remember', { content: 'I prefer the ferry from pier seven.', appliesTo: 'user' }));
    await it.answer(2);
    const other = await Database.open(path.join(it.dataDir, 'global', 'memory.db'), { readOnly: false, wal: true });
    try {
      await other.write(async () => {
        it.send(call(3, 'remember', { content: 'I prefer blue umbrellas.', appliesTo: 'user' }));
        await setTimeout(500);
        it.process.stdin!.end();
        // It does not wait for SQLite, which would go on for ten seconds.
        assert.deepEqual(await it.ended, { code: null, signal: 'SIGKILL' });
      });
    } finally {
      await other.close();
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`exits with code 0 on ${signal} and keeps every acknowledged write`, async () => {
      const it = start();
      it.send(...hello, call(2, 'remember', { content: 'The ferry leaves from pier seven.' }));
      await it.answer(2);
      it.send(call(3, 'recall', { query: 'ferry' }));
      await it.answer(3);
      it.process.kill(signal);
      const { code } = await it.ended;
      assert.equal(code, 0);
      const host = new TestHost();
      host.dataDir = it.dataDir;
      host.workspaceFolders = [it.cwd];
      const engine = await host.open();
      const [memory] = await engine.list();
      // The buffered count of the recall was written as well.
      assert.deepEqual([memory?.accessCount, await storeProblems(engine)], [1, []]);
    });
  }

  for (const busy of [false, true]) {
    it(`exits when its parent process is killed while stdin stays open${busy ? ', in the middle of work' : ''}`, async () => {
      // The parent hands on a pipe that we have opened at both ends, so that its death closes neither.
      const parent = 'process.stderr.write(`${spawn(argv[1], argv.slice(2), { stdio: [0, 1, "ignore"] }).pid}`);';
      const script = `const { spawn } = require("node:child_process"); const { argv } = process; ${parent} setInterval(() => {}, 1e3);`;
      const pipe = path.join(temporaryFolder(), 'stdin');
      execFileSync('mkfifo', [pipe]);
      const stdin = openSync(pipe, 'r+');
      const it = start(`exec "$1" -e '${script}' "$@"`, stdin);
      const pid = await new Promise<number>(resolve => {
        it.stderr.once('data', (data: Buffer) => {
          resolve(Number(data.toString()));
        });
      });
      it.send(...hello, call(2, 'remember', { content: 'The ferry leaves from pier seven.' }));
      await it.answer(2);
      // Longer than it takes to see that a parent is gone: nothing but that ends it.
      await setTimeout(2_500);
      assert.ok(isAlive(pid) && pid !== it.process.pid);
      if (busy) for (let id = 3; id < 200; id++) it.send(call(id, 'remember', { content: `Pier ${id} has a lamp.` }));
      it.process.kill('SIGKILL');
      while (isAlive(pid)) await setTimeout(50);
      const host = new TestHost();
      host.dataDir = it.dataDir;
      host.workspaceFolders = [it.cwd];
      const engine = await host.open();
      const acknowledged = it.out().match(/"Stored #/gu)?.length;
      const kept = (await engine.list({ limit: 1_000 })).length;
      assert.ok(kept >= acknowledged! && acknowledged! >= 1, `${kept} kept, ${acknowledged} acknowledged`);
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  it('exits when its parent process died before the first check while stdin stays open', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = path.join(temporaryFolder(), 'stdin');
    execFileSync('mkfifo', [pipe]);
    const stdin = openSync(pipe, 'r+');
    // The server begins when the shell that started it is dead; its stdout is the test's.
    const it = start('exec 3<&0; (sleep 0.5; exec "$@" <&3) & echo $! >&2; kill -9 $$', stdin);
    const pid = await new Promise<number>(resolve => {
      it.stderr.once('data', (data: Buffer) => {
        resolve(Number(data.toString()));
      });
    });
    while (isAlive(pid)) await setTimeout(50);
  });

  it('answers malformed messages with an error and continues', async () => {
    const it = start();
    it.send(...hello);
    await it.answer(1);
    it.process.stdin!.write(
      'garbage\n\u0000\u0001\n{"jsonrpc":"2.0"}\n[]\n{"id":7,"method":5}\n{"jsonrpc":"2.0","id":8,\n',
    );
    it.send(call(9, 'recall', { query: 'ferry' }));
    assert.equal((await it.answer(9)).result?.content?.[0]?.text, 'Nothing is remembered about this.');
    for (const text of it.out().trimEnd().split('\n'))
      assert.equal((JSON.parse(text) as { jsonrpc: string }).jsonrpc, '2.0');
    assert.equal(it.out().match(/"id":null,"error":\{"code":-32700/gu)?.length, 3);
  });

  it('answers an unknown method, tool or key with an error and continues', async () => {
    const it = start();
    it.send(
      ...hello,
      { id: 2, method: 'memories/deleteAll' },
      call(3, 'purge', {}),
      call(4, 'recall', { query: 'ferry', everything: true }),
    );
    const [method, tool, key] = await Promise.all([it.answer(2), it.answer(3), it.answer(4)]);
    assert.equal(method.error?.code, -32601);
    assert.ok(tool.error !== undefined || tool.result?.isError === true);
    assert.match(key.result?.content?.[0]?.text ?? '', /Not an option of this tool, and ignored: everything\./u);
  });

  it('answers an initialize whose version is no text with an error about the parameters', async () => {
    const it = start();
    it.send({ id: 1, method: 'initialize', params: { protocolVersion: 5, capabilities: {}, clientInfo: {} } });
    assert.equal((await it.answer(1)).error?.code, -32602);
  });

  it('refuses a message of more than four megabytes and continues', async () => {
    const it = start();
    it.send(...hello);
    await it.answer(1);
    it.process.stdin!.write(`"${'x'.repeat(12_000_000)}"\n`);
    it.send(call(9, 'recall', { query: 'ferry' }));
    assert.equal((await it.answer(9)).result?.content?.[0]?.text, 'Nothing is remembered about this.');
    assert.equal(it.out().match(/"id":null,"error":\{"code":-32600/gu)?.length, 1);
  });

  it('takes no more from a client that does not read, keeps answering others, and answers all once it reads', async () => {
    const it = start();
    it.send(...hello, call(2, 'remember', { content: 'The ferry leaves from pier seven.' }));
    await it.answer(2);
    const { stdin, stdout } = it.process;
    stdout!.pause();
    const [first, count] = [10, 1_000];
    const params = { name: 'list', arguments: {}, _meta: { padding: 'x'.repeat(3_000) } };
    for (let i = 0; i < count; i++) it.send({ id: first + i, method: 'tools/call', params });
    // Until it takes in no more, or has taken all.
    for (let last = -1; last !== stdin!.writableLength;) {
      last = stdin!.writableLength;
      await setTimeout(2_000);
    }
    assert.ok(stdin!.writableLength > 0, 'all of it is in the memory of the server');
    const other = await connectClient({ dataDir: it.dataDir, cwd: it.cwd });
    assert.match((await other.call('recall', { query: 'ferry' })).text, /pier seven/u);
    stdout!.resume();
    await it.answer(first + count - 1);
    const answered = new Set(it.out().match(/"id":\d+/gu));
    assert.equal(answered.size, count + 2);
  });

  it('serves nothing before the handshake of the revisions of 2025', async () => {
    const it = start();
    it.send(call(2, 'recall', { query: 'ferry' }), { id: 3, method: 'tools/list' });
    const refused = await Promise.all([it.answer(2), it.answer(3)]);
    assert.deepEqual(
      refused.map(({ error }) => error?.code),
      [-32600, -32600],
    );
    assert.deepEqual(readdirSync(it.dataDir), []);
    it.send(...hello, { id: 4, method: 'tools/list' });
    assert.ok((await it.answer(4)).result !== undefined);
  });

  it('opens no store before the first tool call', async () => {
    const it = start();
    it.send(...hello, { id: 2, method: 'tools/list' });
    await it.answer(2);
    // The log of reads may say by then that the tools were listed.
    assert.deepEqual(
      readdirSync(it.dataDir).filter(name => name !== 'access'),
      [],
    );
  });

  it('does not execute or answer a canceled request', async () => {
    const it = start();
    it.send(...hello, call(2, 'remember', { content: 'The ferry leaves from pier seven.' }), {
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    });
    it.send(call(3, 'list', {}));
    assert.match((await it.answer(3)).result?.content?.[0]?.text ?? '', /no such memories/u);
    assert.doesNotMatch(it.out(), /"id":2\b/u);
  });
});

for (const era of eras) {
  describe(`MCP servers at once, ${era} protocol`, () => {
    it('share one store and see the acknowledged writes of each other at once', async () => {
      const one = await connectClient({ era });
      const two = await connectClient({ era, dataDir: one.dataDir, cwd: one.cwd });
      await Promise.all(
        [one, two].map(async (it, which) => {
          for (let i = 0; i < 10; i++) await remember(it, `Pier ${which * 10 + i} has a red lamp.`);
        }),
      );
      await remember(one, 'The lighthouse keeper is called Solveig.');
      assert.match((await two.call('recall', { query: 'lighthouse keeper' })).text, /Solveig/u);
      const engine = await openOtherEngine(one);
      assert.deepEqual([(await engine.list()).length, await storeProblems(engine)], [21, []]);
    });

    it('report progress to a client that asks for it', async () => {
      const { client, progress } = await connectClient({ era });
      await client.callTool({ name: 'recall', arguments: { query: 'ferry' } }, { onprogress: () => undefined });
      assert.deepEqual(progress, ['Recalling "ferry"']);
    });

    it('see the writes of any other process', async () => {
      const it = await connectClient({ era });
      const engine = await openOtherEngine(it);
      assert.equal((await it.call('recall', { query: 'ferry' })).text, 'Nothing is remembered about this.');
      await storeMemory(engine, 'The ferry leaves from pier seven.');
      assert.match((await it.call('recall', { query: 'ferry' })).text, /pier seven/u);
    });
  });
}
