import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What may lie where a program expects a file of its own. */
export const oddKinds = ['link', 'pipe', 'device', 'folder', 'large'] as const;
export type OddKind = (typeof oddKinds)[number];

/** What a program did that found something odd in the place of a file. */
export interface OddOutcome {
  readonly place: string;
  readonly kind: OddKind;
  readonly command: string;
  /** It waited, and was stopped. */
  readonly hung: boolean;
  /** It ended by a signal or with a stack. */
  readonly crashed: boolean;
  /** It failed and did not name the file. */
  readonly unnamed: boolean;
  readonly text: string;
}

/** Far more than any of the calls takes. */
const hangsAfterMs = 60_000;

/** Files of the data folder, and what is asked while something else is there. */
const ownPlaces: readonly { readonly place: string; readonly commands: readonly (readonly string[])[] }[] = [
  {
    place: 'global/memory.db',
    commands: [
      ['recall', 'service'],
      ['remember', 'The quay opens at six.'],
    ],
  },
  { place: 'global/repair.lock', commands: [['recall', 'service']] },
  { place: 'global/damage.json', commands: [['recall', 'service']] },
  {
    place: 'global/memory.db-index',
    commands: [
      ['recall', 'service'],
      ['remember', 'The quay opens at six.'],
    ],
  },
  { place: 'global/memory.db-wal', commands: [['recall', 'service']] },
  { place: 'global/memory.db.damaged', commands: [['recall', 'service']] },
  { place: 'global/backups/2026-03-01T00-00-00-000Z-daily.db', commands: [['checkpoint', 'list'], ['verify']] },
  { place: 'settings.json', commands: [['recall', 'service'], ['config']] },
  { place: 'access/reads.jsonl', commands: [['recall', 'service'], ['audit'], ['clients']] },
  { place: 'heads', commands: [['verify'], ['remember', 'The quay opens at six.']] },
];

/** Files of a project and of other programs. */
const givenPlaces: typeof ownPlaces = [
  { place: 'notes.md', commands: [['import', 'notes.md']] },
  { place: 'export.jsonl', commands: [['import', 'export.jsonl']] },
  {
    place: 'CLAUDE.md',
    commands: [
      ['import', '.'],
      ['publish', '--yes'],
    ],
  },
  { place: '.recollect/memory/ferry.md', commands: [['sync']] },
  { place: 'session.jsonl', commands: [['capture', '--allow', '--session', 'session.jsonl']] },
  { place: 'port.ts', commands: [['index']] },
  { place: '.gitignore', commands: [['index']] },
  { place: '.git/config', commands: [['recall', 'service'], ['project']] },
  {
    place: '.git/HEAD',
    commands: [
      ['recall', 'service'],
      ['maintain', '--dry-run'],
    ],
  },
];

/**
 * Puts each odd thing in each place, and calls the commands that come across it.
 * @param template a data folder with memories and a backup; stays as it is
 * @param count of its memories
 * @returns the outcomes, and how many memories were gone after the odd thing was taken away again
 */
export async function probeOddFiles(
  folder: string,
  { template, count, kinds = oddKinds }: { template: string; count: number; kinds?: readonly OddKind[] },
): Promise<{ readonly outcomes: readonly OddOutcome[]; readonly lost: number; readonly tried: number }> {
  const outcomes: OddOutcome[] = [];
  let [lost, tried] = [0, 0];
  for (const [places, isOwn] of [
    [ownPlaces, true],
    [givenPlaces, false],
  ] as const) {
    for (const { place, commands } of places) {
      for (const kind of kinds) {
        // Large files are what databases are.
        if (kind === 'large' && /\.db(?:-\w+)?$|\.lock$|heads$/u.test(place)) continue;
        const rig = makeRig(folder, template);
        const file = path.join(isOwn ? rig.dataDir : rig.project, place);
        const before = existsSync(file) ? `${file}.before` : undefined;
        if (place === 'global/repair.lock') writeFileSync(path.join(rig.dataDir, 'global', 'memory.db'), '');
        if (before !== undefined) cpSync(file, before, { recursive: true });
        rmSync(file, { recursive: true, force: true });
        if (!putOdd(file, kind)) continue;
        for (const command of commands) {
          tried++;
          const ended = await runCli(command, rig);
          outcomes.push({ place, kind, command: command.join(' '), ...judge(ended, place) });
        }
        // What is still odd, as a program may have put a file of its own there.
        if (!lstatSync(file, { throwIfNoEntry: false })?.isFile() || kind === 'large') {
          rmSync(file, { recursive: true, force: true });
          if (before !== undefined) cpSync(before, file, { recursive: true });
        }
        if (before !== undefined) rmSync(before, { recursive: true, force: true });
        lost += Math.max(0, count - (await countMemories(rig)));
      }
    }
  }
  return { outcomes, lost, tried };
}

interface Rig {
  readonly dataDir: string;
  readonly project: string;
  readonly home: string;
}

function makeRig(folder: string, template: string): Rig {
  const [dataDir, project, home] = ['data', 'project', 'home'].map(it => path.join(folder, it)) as [
    string,
    string,
    string,
  ];
  for (const it of [dataDir, project, home]) rmSync(it, { recursive: true, force: true });
  cpSync(template, dataDir, { recursive: true });
  mkdirSync(path.join(project, '.recollect', 'memory'), { recursive: true });
  mkdirSync(home);
  mkdirSync(path.join(project, '.git', 'objects'), { recursive: true });
  mkdirSync(path.join(project, '.git', 'refs'));
  writeFileSync(path.join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(path.join(project, '.git', 'config'), '[core]\n\tbare = false\n');
  return { dataDir, project, home };
}

/** @returns false where the machine has no such thing, or may not make it */
function putOdd(file: string, kind: OddKind): boolean {
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    if (kind === 'link') symlinkSync('/dev/zero', file);
    else if (kind === 'folder') mkdirSync(file);
    else if (kind === 'pipe') execFileSync('mkfifo', [file], { stdio: 'ignore' });
    else if (kind === 'device') execFileSync('mknod', [file, 'c', '1', '5'], { stdio: 'ignore' });
    else {
      writeFileSync(file, '');
      truncateSync(file, 11 * 1024 * 1024);
    }
    return true;
  } catch {
    return false;
  }
}

interface Ended {
  readonly code: number | null;
  readonly isStopped: boolean;
  readonly text: string;
}

function judge({ code, isStopped, text }: Ended, place: string): Omit<OddOutcome, 'place' | 'kind' | 'command'> {
  const crashed = !isStopped && (code === null || code > 5 || /^\s+at .+:\d+/mu.test(text));
  const unnamed = !isStopped && !crashed && code !== 0 && !text.includes(path.basename(place));
  return { hung: isStopped, crashed, unnamed, text: `${code}: ${text.trim().slice(0, 300)}` };
}

async function countMemories(rig: Rig): Promise<number> {
  const { text, code } = await runCli(['list', '--scope', 'global-only', '--limit', '1000', '--json'], rig);
  if (code !== 0) return 0;
  return (text.match(/"content":/gu) ?? []).length;
}

function runCli(args: readonly string[], { dataDir, project, home }: Rig): Promise<Ended> {
  const child = spawn(process.execPath, [path.resolve('dist', 'cli.js'), ...args], {
    cwd: project,
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, isStopped] = ['', false];
  for (const it of [child.stdout, child.stderr])
    it.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(0, 5_000_000)));
  const watch = setTimeout(() => {
    isStopped = true;
    child.kill('SIGKILL');
  }, hangsAfterMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      clearTimeout(watch);
      resolve({ code, isStopped, text });
    });
  });
}
