import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { storeMemory, TestHost } from '../../support/fixtures.js';

type Functions = Record<string, (...args: unknown[]) => unknown>;

/** Every way out of the process that Node has. */
const waysOut: readonly (readonly [object, readonly string[]])[] = [
  [net.Socket.prototype, ['connect']],
  [net.Server.prototype, ['listen']],
  [net, ['connect', 'createConnection']],
  [tls, ['connect']],
  [http, ['request', 'get']],
  [https, ['request', 'get']],
  [dgram, ['createSocket']],
  [dgram.Socket.prototype, ['send', 'bind', 'connect']],
  [dns, ['lookup', 'resolve', 'resolve4']],
  [dns.promises, ['lookup', 'resolve', 'resolve4']],
  [childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']],
  [globalThis, ['fetch', 'WebSocket', 'EventSource'].filter(it => it in globalThis)],
];

/** Calls through any of them while `work` runs. */
async function callsOut(work: () => Promise<void>): Promise<readonly string[]> {
  const calls: string[] = [];
  const undo: (() => void)[] = [];
  for (const [owner, names] of waysOut) {
    for (const name of names) {
      const functions = owner as Functions;
      const original = functions[name]!;
      functions[name] = function (...args) {
        calls.push(name);
        return original.apply(this, args);
      };
      undo.push(() => {
        functions[name] = original;
      });
    }
  }
  try {
    await work();
  } finally {
    for (const it of undo) it();
  }
  return calls;
}

describe('the network', () => {
  it('is never used in a whole session', async () => {
    const calls = await callsOut(async () => {
      const host = new TestHost({ project: true });
      const engine = await host.open();
      const listening = engine.onDidChange(() => undefined);
      const id = await storeMemory(engine, 'The api is at https://example.com/api and 10.0.0.1:8080.');
      await storeMemory(engine, 'Ship the beta before Friday.', { store: 'project' });
      await engine.recall({ query: 'https://example.com' });
      await engine.list();
      await engine.groups();
      for (const verb of ['pin', 'unpin', 'promote', 'forget', 'restore', 'markCritical'] as const)
        await engine[verb](id);
      await engine.feedback(id, true);
      host.advanceDays(2);
      await storeMemory(engine, 'This write makes a backup.');
      await engine.traces();
      for await (const chunk of engine.exchange.export('markdown')) assert.ok(chunk);
      await engine.verify();
      listening.dispose();
      await engine.close();
      await (await host.open()).close();
    });
    assert.deepEqual(calls, []);
  });

  it('would be noticed', async () => {
    const calls = await callsOut(async () => {
      net.connect({ port: 1, host: '127.0.0.1' }).on('error', () => undefined);
      await fetch('http://127.0.0.1:1/').catch(() => undefined);
      childProcess.execFileSync(process.execPath, ['--version']);
    });
    assert.ok(
      ['connect', 'fetch', 'execFileSync'].every(it => calls.includes(it)),
      calls.join(),
    );
  });
});
