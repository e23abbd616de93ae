import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { spawnEngineProcess } from '../support/spawnEngineProcess.js';
import type { CaptureSource } from '../../src/engine/model/capture.js';
import { storeProblems, temporaryFolder } from '../support/fixtures.js';
import { chatExchange, pushLine, initialLine, writeChat } from '../unit/capture/sources/chatLogLines.js';
import { assistantLine, CaptureHost, listRemembered, userLine } from '../unit/capture/captureHost.js';

const batches = 12;
const perBatch = 10;
/** Seeded: milliseconds after the first write. */
const killDelaysMs = fc.sample(fc.integer({ min: 0, max: 30 }), { numRuns: 8, seed: 20260302 });

/** Facts for both stores, in batches of their own. */
const lines = Array.from({ length: batches }, (_, batch) => [
  ...Array.from({ length: perBatch }, (_, i) =>
    userLine(
      i % 2 === 0
        ? `From now on never paint pier ${batch * perBatch + i} green.`
        : `Remember that the port of service ${batch * perBatch + i} is 80${batch}${i} in production.`,
    ),
  ),
  assistantLine(`Batch ${batch} is done. ${'The harbour was quiet all day. '.repeat(2_000)}`),
]).flat();

/** Of every store's files. */
function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(it =>
    /memory\.db(?:-wal)?$/u.test(it),
  );
  return files.reduce((sum, it) => sum + statSync(path.join(folder, it)).size, 0);
}

/** The same facts as requests of a chat. */
const requests = Array.from({ length: batches }, (_, batch) =>
  Array.from({ length: perBatch }, (_, i) =>
    chatExchange(
      i % 2 === 0
        ? `From now on never paint pier ${batch * perBatch + i} green.`
        : `Remember that the port of service ${batch * perBatch + i} is 80${batch}${i} in production.`,
      'The harbour was quiet all day. '.repeat(200),
    ),
  ),
).flat();

describe('a capture', () => {
  check('claudeCode', host => host.writeSession(lines));
  check('vscodeChat', () =>
    writeChat(temporaryFolder(), [initialLine(), ...requests.map(it => pushLine(['requests'], [it]))]),
  );
});

function check(source: CaptureSource, write: (host: CaptureHost) => string): void {
  it(`of ${source} that is killed ${killDelaysMs.length} times stores each fact exactly once`, async function () {
    const untroubled = new CaptureHost({ project: true });
    const reference = await untroubled.openAllowed(source);
    const file = write(untroubled);
    await reference.capture.run({ source, files: [file] });
    const expected = await listRemembered(reference);
    assert.equal(expected.facts.length, batches * perBatch);

    // On a busy machine it may happen that no process is killed in the middle.
    let kept: readonly number[];
    do kept = await killedCaptures(source, file, expected);
    while (!kept.some(it => it > 0 && it < batches * perBatch));
  });
}

/** Captures a file in processes that are killed, then undisturbed. Returns the number of facts after each kill. */
async function killedCaptures(
  source: CaptureSource,
  file: string,
  expected: Awaited<ReturnType<typeof listRemembered>>,
): Promise<readonly number[]> {
  const host = new CaptureHost({ project: true });
  await (await host.openAllowed(source)).close();
  const plan = {
    dataDir: host.dataDir,
    folders: host.workspaceFolders,
    calls: [
      // The model is loaded before, so that the moment falls into the capture.
      ['recall', { query: 'tides', isUntracked: true }],
      ['capture.run', { source, files: [file] }],
    ],
  } as const;
  const kept: number[] = [];
  for (const delayMs of killDelaysMs) {
    const child = spawnEngineProcess(plan, {
      onAnswer: count => {
        if (count !== 2) return;
        const before = bytesOf(host.dataDir);
        const watch = setInterval(() => {
          if (bytesOf(host.dataDir) === before) return;
          clearInterval(watch);
          setTimeout(() => child.process.kill('SIGKILL'), delayMs);
        }, 1);
        child.process.once('close', () => {
          clearInterval(watch);
        });
      },
    });
    await child.answers;
    const engine = await host.open();
    kept.push((await listRemembered(engine)).facts.length);
    assert.deepEqual(await storeProblems(engine), []);
    await engine.close();
  }
  const engine = await host.open();
  await engine.capture.run({ source, files: [file] });
  assert.deepEqual(await listRemembered(engine), expected);
  return kept;
}
