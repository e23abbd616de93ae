/**
 * Does an MCP server stay small over many calls (`--calls`, 10,000), and does a client that does not read its answers slow only
 * itself? Memory is what the process holds (RSS) after a tenth of the calls and at their end.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { percentile } from './kit/metrics.js';
import type { OptionValues } from './kit/options.js';
import { RawClient } from './kit/rawClient.js';
import type { Report } from './kit/report.js';

export const extraOptions = { calls: 'number' } as const;

const memories = 200;
/** Requests that the slow reader sends without reading an answer. */
const floodSize = 3_000;

export function run({ calls = 10_000 }: OptionValues<typeof extraOptions>): Promise<Report> {
  return inTemporaryFolder(async folder => {
    mkdirSync(path.join(folder, 'data'));
    const client = new RawClient(folder, path.join(folder, 'home'));
    await client.start('many-calls');
    for (let i = 0; i < memories; i += 20) {
      const facts = Array.from({ length: 20 }, (_, j) => ({
        content: `Service ${i + j} listens on port ${3_000 + i + j}.`,
      }));
      await client.call('remember', { facts });
    }
    const failures = { count: 0 };
    const early = await makeCalls(client, Math.ceil(calls / 10), failures);
    const late = await makeCalls(client, calls - Math.ceil(calls / 10), failures);
    const slow = await measureSlowReader(folder, client);
    await client.end();
    const growth = Math.round((late / early) * 100) / 100;
    if (growth > 1.5 || failures.count > 0 || slow.unanswered > 0) process.exitCode = 1;
    return {
      name: 'protocol',
      n: calls,
      figures: {
        megabytesEarly: toMegabytes(early),
        megabytesLate: toMegabytes(late),
        growth,
        failures: failures.count,
        ...slow,
      },
      baseline: {},
      notes: [
        `growth: what the server holds after ${calls} calls by what it holds after a tenth of them. Half are recalls; the others list, remember, revise, judge, show metrics, or are refused.`,
        `slow…: another client sends ${floodSize} requests and reads no answer. idle, beside: milliseconds of a recall of the first client, half within, before it and meanwhile; slowMegabytes: how much the server of the slow one grows; slowTaken: percent of the requests that it took in; unanswered: requests without an answer once the slow one reads.`,
      ],
    };
  });
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

/** @returns the bytes that the server holds afterwards */
async function makeCalls(client: RawClient, count: number, failures: { count: number }): Promise<number> {
  for (let i = 0; i < count; i++) {
    const [name, input, isRefused = false] = drawCall(i);
    const { error, result } = await client.call(name, input);
    if ((error !== undefined || result?.isError === true) !== isRefused) failures.count++;
    if (i % 500 === 0) reportProgress(`${i} of ${count} calls, ${toMegabytes(client.residentBytes())} MB`);
  }
  return client.residentBytes();
}

/** The calls of an assistant, and some that are wrong. */
function drawCall(i: number): readonly [name: string, input: object, isRefused?: boolean] {
  const service = i % memories;
  switch (i % 10) {
    case 0:
      return ['remember', { content: `Service ${service} was restarted for the ${i}th time.` }];
    case 1:
      return ['list', { limit: 50 }];
    case 2:
      return ['recall', { query: '' }, true];
    case 3:
      return i % 50 === 3 ? ['metrics', {}] : ['context', { task: `Look after service ${service}` }];
    case 4:
      return ['revise', { id: 'ffffffff', stillTrue: true }, true];
    default:
      return ['recall', { query: `Which port does service ${service} listen on, asked ${i}?` }];
  }
}

async function measureSlowReader(
  folder: string,
  client: RawClient,
): Promise<Readonly<Record<string, number>> & { readonly unanswered: number }> {
  const idle = await timeRecalls(client);
  const slow = new RawClient(folder, path.join(folder, 'slow-home'));
  await slow.start('slow-reader');
  await slow.call('list', { limit: 50 });
  const before = slow.residentBytes();
  const { stdin, stdout } = slow.child;
  stdout!.pause();
  let answered = 0;
  // Larger than what a pipe holds by itself.
  const padded = { name: 'list', arguments: { limit: 50 }, _meta: { padding: 'x'.repeat(3_000) } };
  const written = stdin!.writableLength;
  const answers = Array.from({ length: floodSize }, () => slow.request('tools/call', padded).then(() => answered++));
  const total = stdin!.writableLength - written;
  // Until it takes in no more.
  for (let last = -1; last !== stdin!.writableLength;) {
    last = stdin!.writableLength;
    await pause(2_000);
  }
  const left = stdin!.writableLength;
  const beside = await timeRecalls(client);
  const grown = slow.residentBytes() - before;
  stdout!.resume();
  await Promise.race([Promise.all(answers), pause(300_000, undefined, { ref: false })]);
  const unanswered = floodSize - answered;
  await slow.end();
  return {
    idle,
    beside,
    slowMegabytes: toMegabytes(grown),
    slowTaken: Math.round(100 * (1 - left / total)),
    unanswered,
  };
}

/** Milliseconds of a recall, half within. */
async function timeRecalls(client: RawClient): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const from = performance.now();
    await client.call('recall', { query: `Where is service ${i} of the slow test?` });
    times.push(performance.now() - from);
  }
  return Math.round(percentile(times, 0.5) * 10) / 10;
}
