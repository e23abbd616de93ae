import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { SharePreview, TeamStatus } from '../../../src/engine/model/team.js';
import { PostgresServer } from '../../support/postgresServer.js';
import { benchHost, reportProgress } from './corpus.js';
import { percentile } from './metrics.js';
import type { Figures } from './report.js';
import { generateTexts } from './syntheticTexts.js';
import { clone, createOrigin, git, ProgramUser, type McpProcess } from './teamPrograms.js';
import { teamRules } from './teamRules.js';

const maxQuestions = 100;

interface Remembered {
  readonly outcomes: readonly { readonly id: string }[];
}

/** How many of the rules of a team, confirmed in a project, can be shared. @param file one rule a line */
export async function measureRules(folder: string, file: string | undefined): Promise<Figures> {
  const rules =
    file === undefined
      ? teamRules
      : readFileSync(file, 'utf8')
          .split('\n')
          .filter(it => it.trim() !== '');
  const ada = new ProgramUser('Ada', folder, clone(createOrigin(folder), path.join(folder, 'ada')));
  for (const it of rules) await ada.must('remember', it, '--store', 'project');
  await ada.must('team', 'init', '--yes');
  const { memories } = await ada.json<SharePreview>('team', 'share', '--all', '--as', 'Ada', '--yes');
  return { rules: rules.length, shared: memories.length };
}

/** Commands besides the team's own commit and pull, until what one shares is in the next answer of another one's assistant. */
export async function measureActs(folder: string): Promise<Figures> {
  const origin = createOrigin(folder);
  const [ada, ben] = ['Ada', 'Ben'].map(it => new ProgramUser(it, folder, clone(origin, path.join(folder, `${it}s`))));
  await ada!.must('team', 'init', '--yes');
  const share = async (text: string): Promise<void> => {
    const { outcomes } = await ada!.json<Remembered>('remember', text, '--store', 'project');
    await ada!.must('team', 'share', outcomes[0]!.id, '--as', 'Ada', '--yes');
    ada!.git('add', '-A');
    ada!.git('commit', '-q', '-m', 'Shared memories');
    ada!.git('push', '-q', 'origin', 'HEAD:main');
    ben!.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
  };
  await share('The warehouse in Bergen closes at six.');
  await ben!.must('team', 'join', '--yes');
  const mcp = await ben!.openMcp();
  await mcp.recall('when does the warehouse close');
  await share('Staging has moved to the host stg-pg-02.');
  let answer = await mcp.recall('which host is staging on');
  let questions = 1;
  // On a busy machine the reading takes longer than an answer waits, which says so.
  for (; answer.includes('being read') && questions < maxQuestions; questions++) {
    await pause(250);
    answer = await mcp.recall('which host is staging on');
  }
  await mcp.close();
  return { sharerActs: 1, receiverActs: answer.includes('stg-pg-02') ? 0 : 1, questionsUntilFound: questions };
}

/** Milliseconds from the start of an assistant's server to its first answer; `own` has as many facts that are not shared. */
export async function measureOpening(folder: string, facts: number, rounds: number): Promise<Figures> {
  const origin = createOrigin(folder);
  const plain = new ProgramUser('Plain', folder, clone(origin, path.join(folder, 'plain')));
  const writer = new ProgramUser('Ada', folder, clone(origin, path.join(folder, 'writer')));
  const { texts } = generateTexts(facts, 0);
  const lines = path.join(writer.clone, '.recollect', 'team');
  mkdirSync(lines, { recursive: true });
  const members = 5;
  for (let i = 0; i < members; i++) {
    const own = texts.filter((_, number) => number % members === i).map(it => `${lineOf(it)}\n`);
    writeFileSync(path.join(lines, `member${i}-2026-03.jsonl`), own.join(''));
  }
  writer.git('add', '-A');
  writer.git('commit', '-q', '-m', 'Shared memories');
  writer.git('push', '-q', 'origin', 'HEAD:main');
  const known = new ProgramUser('Known', folder, clone(origin, path.join(folder, 'known')));
  await plain.must('remember', 'The warehouse closes at six.', '--store', 'project');
  await known.must('remember', 'The warehouse closes at six.', '--store', 'project');
  const own = new ProgramUser('Own', folder, clone(origin, path.join(folder, 'own')));
  rmSync(path.join(own.clone, '.recollect'), { recursive: true });
  await rememberTexts(path.join(own.home, 'memory'), own.clone, texts);
  const times = {
    plain: [] as number[],
    own: [] as number[],
    known: [] as number[],
    first: [] as number[],
    all: [] as number[],
  };
  const open = async (user: ProgramUser): Promise<readonly [number, McpProcess]> => {
    const start = performance.now();
    const mcp = await user.openMcp();
    await mcp.recall('when does the warehouse close');
    return [performance.now() - start, mcp];
  };
  await known.must('team', 'join', '--yes');
  for (let i = 0; i < rounds; i++) {
    const fresh = new ProgramUser(`Fresh${i}`, folder, clone(origin, path.join(folder, `fresh${i}`)));
    await fresh.must('remember', 'The warehouse closes at six.', '--store', 'project');
    // With `--json` it is joined, and not read.
    await fresh.must('team', 'join', '--yes', '--json');
    for (const [name, user] of [
      ['plain', plain],
      ['own', own],
      ['known', known],
      ['first', fresh],
    ] as const) {
      const [ms, mcp] = await open(user);
      times[name].push(ms);
      if (name === 'first') times.all.push(await untilRead(mcp));
      await mcp.close();
    }
  }
  const median = (name: keyof typeof times): number => percentile(times[name], 0.5);
  return {
    openPlainMs: median('plain'),
    openOwnMs: median('own'),
    openKnownMs: median('known'),
    openFirstMs: median('first'),
    knownMore: median('known') - median('plain'),
    knownMoreThanOwn: median('known') - median('own'),
    firstMore: median('first') - median('plain'),
    allReadMs: median('all'),
  };
}

async function rememberTexts(data: string, project: string, texts: readonly string[]): Promise<void> {
  const host = benchHost(data, () => new Date(), { ...defaultConfig, embeddings: 'static' });
  const engine = await openEngine({ ...host, workspaceFolders: [project] });
  for (let from = 0; from < texts.length; from += 1_000) {
    if (from % 10_000 === 0) reportProgress(`${String(from)} memories`);
    const some = texts.slice(from, from + 1_000);
    const rest = { source: 'import', lane: 'confirmed', store: 'project', whole: true } as const;
    await engine.rememberAll(some.map(content => ({ content, ...rest })));
  }
  await engine.close();
}

/** How long until all is read; questions are answered meanwhile. */
async function untilRead(mcp: McpProcess): Promise<number> {
  const start = performance.now();
  while ((await mcp.recall('when does the warehouse close')).includes('being read')) await pause(250);
  return performance.now() - start;
}

function lineOf(content: string): string {
  const at = '2026-03-01T09:00:00.000Z';
  return JSON.stringify({
    ...{ v: 1, id: randomUUID(), at, by: 'Ada', content, gate: 'epistemic', kind: 'context', tags: [], said: at },
  });
}

/**
 * Members at their terminals on a server that dies in between, and one whose programs are killed now and then. What was
 * acknowledged must be everyone's at the end, once.
 */
export async function measureLoad(folder: string, minutes: number, random: () => number): Promise<Figures> {
  const server = await PostgresServer.start();
  try {
    const admin = new ProgramUser('Admin', folder, folder, server.environment('admin', 'admin'));
    await admin.must('team', 'init', '--server', 'Bench');
    const members: LoadMember[] = [];
    for (const name of ['Ada', 'Ben', 'Cy']) members.push(await LoadMember.join(admin, server, folder, name));
    const end = Date.now() + minutes * 60_000;
    const work = Promise.all(members.map(it => it.work(end, random)));
    let killed = 0;
    const killing = (async () => {
      while (Date.now() < end) {
        await pause(2_000 + random() * 6_000);
        if (members[2]!.user.kill()) killed++;
      }
    })();
    await pause((minutes * 60_000) / 2);
    reportProgress('The server dies.');
    await server.halt();
    await pause(3_000);
    await server.resume();
    await Promise.all([work, killing]);
    for (let round = 0; round < 2; round++) for (const it of members) await it.sync();
    return { ...(await checkLoad(members)), killed };
  } finally {
    await server.stop();
  }
}

class LoadMember {
  /** What a command said is shared, by id. */
  readonly acknowledged = new Map<string, string>();
  readonly withdrawn = new Set<string>();
  private number = 0;

  private constructor(readonly user: ProgramUser) {}

  static async join(admin: ProgramUser, server: PostgresServer, folder: string, name: string): Promise<LoadMember> {
    const login = name.toLowerCase();
    const { password } = await admin.json<{ readonly password: string }>(
      'team',
      'members',
      'add',
      login,
      '--name',
      name,
    );
    const project = path.join(folder, login, 'shop');
    mkdirSync(project, { recursive: true });
    git(project, 'init', '-q');
    git(project, 'remote', 'add', 'origin', 'https://git.example.com/acme/shop.git');
    const user = new ProgramUser(name, folder, project, server.environment(login, password));
    await user.must('team', 'join', '--yes');
    return new LoadMember(user);
  }

  async work(end: number, random: () => number): Promise<void> {
    while (Date.now() < end) {
      const dice = random();
      const [id] = [...this.acknowledged.keys()].filter(it => !this.withdrawn.has(it));
      if (dice < 0.2 && id !== undefined) {
        // Killed or not, it may have been done.
        this.withdrawn.add(id);
        await this.user.run('team', 'withdraw', id, '--yes');
      } else if (dice < 0.8) await this.share();
      else await this.user.run('team', 'sync');
    }
  }

  /** What was killed in the middle of a sync keeps others from it for a minute. */
  async sync(): Promise<void> {
    for (let tries = 0; (await this.user.run('team', 'sync')).code !== 0; tries++) {
      if (tries === 60) throw new Error(`${this.user.name} cannot sync.`);
      await pause(2_000);
    }
  }

  private async share(): Promise<void> {
    const text = `Crate ${this.number++} of ${this.user.name} stands in hall ${this.number} of the depot.`;
    const stored = await this.user.run('remember', text, '--store', 'project', '--json');
    if (stored.code !== 0) return;
    const { id } = (JSON.parse(stored.out) as Remembered).outcomes[0]!;
    if ((await this.user.run('team', 'share', id, '--yes')).code === 0) this.acknowledged.set(id, text);
  }
}

async function checkLoad(members: readonly LoadMember[]): Promise<Figures> {
  const states = await Promise.all(members.map(it => it.user.json<TeamStatus>('team')));
  let [lost, stale, twice, shared, withdrawn] = [0, 0, 0, 0, 0];
  for (const [i, member] of members.entries()) {
    const own = new Map(states[i]!.own.map(it => [it.id, it.content]));
    shared += own.size;
    withdrawn += member.withdrawn.size;
    lost += [...member.acknowledged.keys()].filter(id => !member.withdrawn.has(id) && !own.has(id)).length;
    const others = states.filter((_, other) => other !== i).flatMap(it => it.own.map(share => share.content));
    const received = states[i]!.received.map(it => it.content);
    lost += others.filter(it => !received.includes(it)).length;
    stale += received.filter(it => !others.includes(it)).length;
    const listed = await member.user.json<readonly Memory[]>('list', '--limit', '1000');
    const active = listed.map(it => it.content);
    lost += others.filter(it => !active.includes(it)).length;
    twice += active.length - new Set(active).size + received.length - new Set(received).size;
  }
  return { shared, withdrawn, lost, stale, twice };
}

/** A question to an assistant's server: the memories in a file, and moved to a PostgreSQL server of this machine, by turns. */
export async function measureMovedRecall(folder: string, memories: number): Promise<Figures> {
  const server = await PostgresServer.start();
  try {
    await server.halt();
    await server.resume(['shared_buffers=128MB']);
    const project = path.join(folder, 'shop');
    mkdirSync(project);
    git(project, 'init', '-q');
    const file = new ProgramUser('File', folder, project);
    const moved = new ProgramUser('Moved', folder, project, server.environment('admin', 'admin'));
    const { texts, queries } = generateTexts(memories, 120);
    const data = path.join(file.home, 'memory');
    await rememberTexts(data, project, texts);
    cpSync(data, path.join(moved.home, 'memory'), { recursive: true });
    reportProgress('moving');
    await moved.must('store', 'move', '--yes');
    await server.asAdmin('VACUUM ANALYZE');
    const [inFile, onServer] = [await file.openMcp(), await moved.openMcp()];
    const times = { file: [] as number[], server: [] as number[] };
    let same = 0;
    for (const [i, query] of queries.entries()) {
      const answers: string[] = [];
      for (const [name, mcp] of [
        ['file', inFile],
        ['server', onServer],
      ] as const) {
        const start = performance.now();
        answers.push(await mcp.recall(query));
        if (i >= 20) times[name].push(performance.now() - start);
      }
      if (i >= 20 && answers[0] === answers[1]) same++;
    }
    await inFile.close();
    await onServer.close();
    const [a, b] = [percentile(times.file, 0.5), percentile(times.server, 0.5)];
    return {
      ...{ fileP50: a, serverP50: b, ratio: b / a, sameAnswers: (100 * same) / times.file.length },
      fileP95: percentile(times.file, 0.95),
      serverP95: percentile(times.server, 0.95),
    };
  } finally {
    await server.stop();
  }
}
