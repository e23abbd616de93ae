/**
 * How long does an assistant wait for `recollect hook session-start`, from the start of the process to its whole answer?
 * Uses generated texts; also measures the start of Node, which is included. `--limit` is the number of memories.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { generateTexts } from './kit/syntheticTexts.js';
import { percentile } from './kit/metrics.js';
import type { BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';

const memoriesByDefault = 10_000;
const textsPerCall = 1_000;
const starts = 31;

export async function run({ limit: count = memoriesByDefault }: BenchOptions): Promise<Report> {
  return inTemporaryFolder(async folder => {
    const engine = await openEngine(benchHost(folder, () => new Date()));
    const { texts } = generateTexts(count, 0);
    for (let at = 0; at < texts.length; at += textsPerCall) {
      const call = texts.slice(at, at + textsPerCall);
      await engine.rememberAll(call.map(content => ({ content, source: 'import', lane: 'confirmed' })));
    }
    await engine.close();

    const hook = [path.resolve('dist', 'cli.js'), 'hook', 'session-start', '--data-dir', folder];
    const input = JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', cwd: folder });
    const [ours, node]: [number[], number[]] = [[], []];
    let characters = 0;
    // By turns: whatever else this machine does then slows both.
    for (let i = 0; i < starts; i++) {
      const answered = await timed(hook, input);
      ours.push(answered.ms);
      characters = answered.out.length;
      node.push((await timed(['-e', 'process.stdout.write("x")'], '')).ms);
    }
    const figures = (times: readonly number[]): Figures => ({
      [`p50@${count}`]: percentile(times, 0.5),
      [`p95@${count}`]: percentile(times, 0.95),
    });
    const notes = [
      `${starts} starts of a process each, in milliseconds; Node ${process.version} alone takes ${percentile(node, 0.5).toFixed(0)} of them (baseline).`,
      `The answer has ${characters} characters. The file system still holds the pages of the store.`,
    ];
    return {
      name: 'hook',
      n: starts,
      figures: figures(ours),
      baseline: figures(node),
      peers: { node: figures(node) },
      notes,
    };
  });
}

/** Milliseconds from the start of the process to the end of its output. */
function timed(args: readonly string[], input: string): Promise<{ readonly ms: number; readonly out: string }> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    let ms = NaN;
    child.stdout.setEncoding('utf8').on('data', (it: string) => {
      out += it;
      ms = performance.now() - from;
    });
    child.once('error', reject);
    child.once('close', () => {
      if (out === '') reject(new Error('It said nothing.'));
      else resolve({ ms, out });
    });
    child.stdin.end(input);
  });
}
