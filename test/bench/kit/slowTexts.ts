/**
 * Does a text that makes a careless pattern run for hours hold up a server? Every string that a tool takes gets texts of
 * 20 KB and of 80 KB, and so do the commands that read files. What counts is the processor time of the program, so that a
 * busy machine changes nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reportProgress } from './corpus.js';
import { RawClient } from './rawClient.js';

/** UTF-16 units. */
const [shortLength, longLength] = [20_000, 80_000];
/** How much longer a text four times as long may take. */
const maxRatio = 6;
/** Below it the clock of a process, which ticks a hundred times a second, says nothing of a ratio. */
const minShortSeconds = 0.05;

/** What a text repeats, by its name. */
const pieces: Readonly<Record<string, string>> = {
  password: 'password:',
  token: 'token=',
  'password in Chinese': '密码是',
  letters: 'a',
  digits: '1',
  spaces: ' ',
  lines: '\n',
  brackets: '(',
  'square brackets': '[a](',
  'angle brackets': '<a ',
  backticks: '`',
  quotes: '"',
  dashes: '-',
  'at signs': 'a@a@',
  addresses: 'http://',
  'table bars': '|a|b|\n|-|-|\n',
  'zero width': '\u200b',
  'zero width between letters': 'p\u200ba\u200b',
  'combining marks': 'e\u0301',
  'stops and letters': 'a.a',
  slashes: 'a/a\\',
  codes: 'PIN is code for the door ',
  copulas: 'password is is is ',
  base64: 'eyJhbGciOi',
  fences: '```\n',
  entities: '&#112;',
  'half tokens': 'xoxb-1-',
  dates: 'next Friday ',
  clauses: 'Sarah leads auth and ',
  'log in': 'log in as a with b and ',
  backslashes: '\\',
  emphasis: '**a',
};

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

export interface SlowTexts {
  readonly measured: number;
  /** The largest ratio of all. */
  readonly worst: number;
  readonly tooSlow: readonly string[];
}

/** A way in for a text. @returns seconds of a processor that it took */
type Entrance = (text: string) => Promise<number> | number;

export async function measureSlowTexts(root: string): Promise<SlowTexts> {
  const [project, home] = [path.join(root, 'project'), path.join(root, 'home')];
  mkdirSync(project, { recursive: true });
  const client = new RawClient(project, home);
  await client.start('attacker');
  const tooSlow: string[] = [];
  let [measured, worst] = [0, 0];
  try {
    const entrances = { ...(await toolEntrances(client)), ...commandEntrances(project, home) };
    for (const [entrance, give] of Object.entries(entrances)) {
      reportProgress(entrance);
      for (const [name, piece] of Object.entries(pieces)) {
        const ratio = await compare(give, piece);
        measured++;
        worst = Math.max(worst, ratio);
        if (ratio > maxRatio) tooSlow.push(`${entrance}, ${name}: ${ratio.toFixed(1)} x`);
      }
    }
  } finally {
    await client.end();
  }
  return { measured, worst, tooSlow };
}

/** A slow pattern is slow each time; what is slow once met the program at other work. */
async function compare(give: Entrance, piece: string): Promise<number> {
  const once = async (): Promise<number> => {
    const long = await give(fill(piece, longLength));
    if (long <= maxRatio * minShortSeconds) return long / minShortSeconds;
    return long / Math.max(await give(fill(piece, shortLength)), minShortSeconds);
  };
  let least = await once();
  for (let i = 0; i < 2 && least > maxRatio; i++) least = Math.min(least, await once());
  return least;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Each string that each tool takes, as `tool.field`. */
async function toolEntrances(client: RawClient): Promise<Readonly<Record<string, Entrance>>> {
  const { result } = await client.request('tools/list', {});
  const tools = (result as unknown as { tools: readonly { name: string; inputSchema: Schema }[] }).tools;
  const pid = client.child.pid!;
  const fields = tools.flatMap(({ name, inputSchema }) =>
    stringFields(inputSchema).map(([field, build]): readonly [string, Entrance] => [
      `${name} ${field}`,
      async text => {
        const before = processorSeconds(pid);
        await client.call(name, build(text) as object);
        return processorSeconds(pid) - before;
      },
    ]),
  );
  return Object.fromEntries(fields);
}

type Build = (text: string) => unknown;

/** The strings of a schema, each with a value that holds a text there, and what is required besides. */
function stringFields(schema: Schema): readonly (readonly [field: string, build: Build])[] {
  if (schema.enum !== undefined) return [];
  if (schema.type === 'string') return [['', it => it]];
  if (schema.type === 'array') return stringFields(schema.items ?? {}).map(([at, build]) => [at, it => [build(it)]]);
  if (schema.type !== 'object') return [];
  const required = Object.fromEntries((schema.required ?? []).map(it => [it, sample(schema.properties![it]!)]));
  return Object.entries(schema.properties ?? {}).flatMap(([name, it]) =>
    stringFields(it).map(([at, build]): readonly [string, Build] => [
      at === '' ? name : `${name}.${at}`,
      text => ({ ...required, [name]: build(text) }),
    ]),
  );
}

function sample({ type }: Schema): unknown {
  if (type === 'boolean') return true;
  return type === 'array' ? [] : 'The harbor opens at seven.';
}

/** Fields of a process's `stat` in /proc: what it had of a processor, and what the children had that it waited for. */
const ownTicks = [11, 12] as const;
const childTicks = [13, 14] as const;
const ticksPerSecond = 100;

function processorSeconds(pid: number | 'self', [user, system]: readonly [number, number] = ownTicks): number {
  if (process.platform !== 'linux') return performance.now() / 1000;
  // The name of the program may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /u, '')
    .split(' ');
  return (Number(fields[user]) + Number(fields[system])) / ticksPerSecond;
}

/** Commands that read what others wrote. */
function commandEntrances(project: string, home: string): Readonly<Record<string, Entrance>> {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, RECOLLECT_HOME: path.join(home, 'memory') };
  const run = (args: readonly string[], input = ''): number => {
    const before = processorSeconds('self', childTicks);
    const program = [path.resolve('dist', 'cli.js'), ...args];
    spawnSync(process.execPath, program, { cwd: project, env, input, stdio: ['pipe', 'ignore', 'ignore'] });
    return processorSeconds('self', childTicks) - before;
  };
  const startSeconds = Math.min(...[0, 1, 2].map(() => run(['list'])));
  const command = (args: readonly string[], input?: string): number => Math.max(0, run(args, input) - startSeconds);
  const file = (name: string, text: string): string => {
    const written = path.join(project, name);
    mkdirSync(path.dirname(written), { recursive: true });
    writeFileSync(written, text);
    return written;
  };
  const turn = (content: string): string => {
    const message = { role: 'user', content };
    return JSON.stringify({ type: 'user', uuid: 'a', sessionId: 's', cwd: project, message });
  };
  const memory = (content: string): string => {
    const fields = { gate: 'epistemic', kind: 'context', lane: 'note', decayClass: 'durable', confidence: 80 };
    const at = { id: '019a0000-0000-7000-8000-000000000001', createdAt: '2026-03-01T00:00:00.000Z' };
    const lines = [
      { format: 'recollect', version: 1 },
      { type: 'memory', store: 'global', tags: [], ...fields, ...at, content },
    ];
    return lines.map(it => JSON.stringify(it)).join('\n');
  };
  run(['sync']);
  return {
    'import of instructions': it => command(['import', file('CLAUDE.md', `# Rules\n\n- ${it}\n`)]),
    'import of memories': it => command(['import', '--format', 'recollect', file('memories.jsonl', memory(it))]),
    sync: it => {
      file('.recollect/memory/a.md', `---\ntitle: Gate\n---\n\n${it}\n`);
      return command(['sync']);
    },
    capture: it => command(['capture', '--allow', '--session', file('session.jsonl', turn(it))]),
    'hook at a prompt': it => command(['hook', 'prompt'], JSON.stringify({ cwd: project, prompt: it })),
    index: it => {
      file('tides.ts', `/** ${it} */\nexport function tides(): void {}\n`);
      return command(['index']);
    },
  };
}
