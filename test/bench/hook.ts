/**
 * How long does an assistant wait for our hooks: `session-start`, which it waits for before the first request, `prompt`, which
 * it waits for before each, and `before-tool`, at each edit and command, where nothing is remembered about it? From the start of
 * the process to its whole answer, and the processor time of it and of its children, which a busy machine does not lengthen. Uses
 * generated texts; also measures the start of Node, which is included.
 * `--limit` is the number of memories.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { generateTexts } from './kit/syntheticTexts.js';
import { percentile } from './kit/metrics.js';
import type { BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';

const memoriesByDefault = 1_000;
const textsPerCall = 1_000;
const starts = 31;

interface Timing {
  readonly ms: number;
  /** Of the process and of the children that it has waited for. */
  readonly cpuMs: number;
  readonly out: string;
}

export async function run({ limit: count = memoriesByDefault }: BenchOptions): Promise<Report> {
  return inTemporaryFolder(async folder => {
    const engine = await openEngine(benchHost(folder, () => new Date()));
    const { texts } = generateTexts(count, 0);
    for (let at = 0; at < texts.length; at += textsPerCall) {
      const call = texts.slice(at, at + textsPerCall);
      await engine.rememberAll(call.map(content => ({ content, source: 'import', lane: 'confirmed' })));
    }
    await engine.close();

    const hook = (name: string, input: object): Promise<Timing> =>
      timed(
        [path.resolve('dist', 'cli.js'), 'hook', name, '--data-dir', folder],
        // A session of its own: a memory comes once in each.
        JSON.stringify({ session_id: randomUUID(), cwd: folder, ...input }),
      );
    const atStart = { hook_event_name: 'SessionStart', source: 'startup' };
    const atPrompt = { hook_event_name: 'UserPromptSubmit', prompt: texts[0] };
    const atCommand = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'uname -a' } };
    const timings = {
      start: [] as Timing[],
      prompt: [] as Timing[],
      silent: [] as Timing[],
      node: [] as Timing[],
      nodeAlone: [] as Timing[],
    };
    // By turns: whatever else this machine does then slows all.
    for (let i = 0; i < starts; i++) {
      timings.start.push(await hook('session-start', atStart));
      timings.prompt.push(await hook('prompt', atPrompt));
      timings.node.push(await timed(['-e', 'process.stdout.write("x")'], ''));
      timings.silent.push(await hook('before-tool', atCommand));
      timings.nodeAlone.push(await timed(['-e', '0'], ''));
    }
    const quantiles = (key: string, all: readonly Timing[]): Figures => {
      const [wall, cpu] = [all.map(it => it.ms), all.map(it => it.cpuMs)];
      return {
        [`${key}.p50@${count}`]: percentile(wall, 0.5),
        [`${key}.p95@${count}`]: percentile(wall, 0.95),
        [`${key}.cpu.p50@${count}`]: percentile(cpu, 0.5),
      };
    };
    const all = (start: readonly Timing[], prompt: readonly Timing[], silent: readonly Timing[]): Figures => ({
      ...quantiles('start', start),
      ...quantiles('prompt', prompt),
      ...quantiles('silent', silent),
    });
    const { start, prompt, silent, node, nodeAlone } = timings;
    return {
      name: 'hook',
      n: starts,
      figures: all(start, prompt, silent),
      baseline: all(node, node, nodeAlone),
      notes: [
        `${starts} starts of a process each, in milliseconds; Node ${process.version} alone is the baseline.`,
        'A silent hook is measured to the end of its process, as `node -e 0` beside it.',
        `Silent, for they were late: ${start.filter(isSilent).length} at the start and ${prompt.filter(isSilent).length} for a prompt.`,
        `The answers have ${start[0]!.out.length} and ${prompt[0]!.out.length} characters. The file system still holds the pages of the store.`,
        'A session that begins with a prompt, as `claude -p` does, waits for both where the hook for prompts is on; it is off by default.',
      ],
    };
  });
}

const isSilent = ({ out }: Timing): boolean => out === '';

/** Where it says nothing, to its end: a hook that is late is silent. */
async function timed(args: readonly string[], input: string): Promise<Timing> {
  const cpuBefore = childCpuMs();
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let [out, ms] = ['', NaN];
  child.stdout.setEncoding('utf8').on('data', (it: string) => {
    out += it;
    ms = performance.now() - from;
  });
  child.stdin.end(input);
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { ms: out === '' ? performance.now() - from : ms, out, cpuMs: childCpuMs() - cpuBefore };
}

/** Processor time of all processes that have ended below this one, to a hundredth of a second; not a number where it is not known. */
function childCpuMs(): number {
  if (process.platform !== 'linux') return NaN;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
