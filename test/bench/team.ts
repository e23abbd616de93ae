/**
 * What does a team's memory cost, and does it lose anything? By the real programs, a part each; without a flag all but `--outage`:
 * `--rules` how many ordinary rules can be shared (`--file` with other ones, one a line); `--acts` commands of who shares and who
 * receives; `--opening` of a project with 5,000 shared facts (`--limit`), known and for the first time, against one without;
 * `--load` three members for two minutes (`--minutes`), one of them killed now and then, and the server once; `--recall` of 50,000
 * memories (`--memories`) that were moved to a server, against the file's. `--outage` has `--members` (20) engines of one process
 * share, change and withdraw for `--minutes` (5), while the server dies once. `--seed` (1). Needs PostgreSQL's programs.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { defaultConfig } from '../../src/engine/model/config.js';
import { addMember, makeTeam } from '../../src/engine/team/server/teamAdministration.js';
import { PostgresServer } from '../support/postgresServer.js';
import { benchHost, inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { percentile } from './kit/metrics.js';
import type { BenchOptions, OptionValues } from './kit/options.js';
import { seeded } from './kit/random.js';
import type { Figures, Report } from './kit/report.js';
import { measureActs, measureLoad, measureMovedRecall, measureOpening, measureRules } from './kit/teamParts.js';

export const extraOptions = {
  rules: 'flag',
  acts: 'flag',
  opening: 'flag',
  load: 'flag',
  recall: 'flag',
  outage: 'flag',
  file: 'file',
  members: 'number',
  minutes: 'number',
  memories: 'number',
  seed: 'number',
} as const;

const team = 'Bench';
const project = 'shop';
/** Openings of each kind. */
const openings = 3;
/** How long the server is away. */
const outageMs = 3_000;

export async function run(options: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  const { members = 20, minutes, seed = 1, memories = 50_000, limit = 5_000, file } = options;
  if (options.outage === true) return runOutage(members, minutes ?? 5, seed);
  const random = seeded(seed);
  const parts: readonly (readonly [name: keyof typeof extraOptions, measure: (folder: string) => Promise<Figures>])[] =
    [
      ['rules', folder => measureRules(folder, file)],
      ['acts', measureActs],
      ['opening', folder => measureOpening(folder, limit, openings)],
      ['load', folder => measureLoad(folder, minutes ?? 2, random)],
      ['recall', folder => measureMovedRecall(folder, memories)],
    ];
  const chosen = parts.filter(([name]) => options[name] === true);
  const figures: Record<string, number> = {};
  for (const [name, measure] of chosen.length === 0 ? parts : chosen) {
    reportProgress(name);
    Object.assign(figures, await inTemporaryFolder(measure));
  }
  return { name: 'team', n: chosen.length === 0 ? parts.length : chosen.length, figures, baseline: {}, notes: [] };
}

function runOutage(members: number, minutes: number, seed: number): Promise<Report> {
  return inTemporaryFolder(async folder => {
    const server = await PostgresServer.start();
    try {
      return await new TeamRun({ folder, server, random: seeded(seed) }).run(members, minutes);
    } finally {
      await server.stop();
    }
  });
}

interface Member {
  readonly name: string;
  readonly engine: MemoryEngine;
  /** What the team should read of this member, by id. */
  readonly shared: Map<string, string>;
}

class TeamRun {
  private readonly syncMs: number[] = [];
  private readonly counts = { shared: 0, changed: 0, withdrawn: 0, offline: 0 };
  private number = 0;

  constructor(
    private readonly parts: { readonly folder: string; readonly server: PostgresServer; readonly random: () => number },
  ) {}

  async run(count: number, minutes: number): Promise<Report> {
    const { server } = this.parts;
    const members: Member[] = [];
    for (let i = 0; i < count; i++) members.push(await this.join(`Member ${String(i)}`));
    const end = Date.now() + minutes * 60_000;
    const work = Promise.all(members.map(it => this.work(it, end)));
    await pause((minutes * 60_000) / 2);
    reportProgress('The server dies.');
    await server.halt();
    await pause(outageMs);
    await server.resume();
    await work;
    reportProgress('All sync once more.');
    // Twice: the second time everyone has seen what everyone has sent.
    for (let round = 0; round < 2; round++) for (const it of members) await this.sync(it);
    const [lost, stale, twice] = await this.violations(members);
    const [size] = await server.asAdmin(
      "SELECT pg_total_relation_size('recollect.memories') AS bytes, count(*) AS rows FROM recollect.memories",
    );
    await Promise.all(members.map(it => it.engine.close()));
    return {
      name: 'team',
      n: count,
      figures: {
        ...this.counts,
        syncs: this.syncMs.length,
        lost,
        stale,
        twice,
        syncP50: percentile(this.syncMs, 0.5),
        syncP95: percentile(this.syncMs, 0.95),
        bytesPerRow: Number(size!.bytes) / Number(size!.rows),
      },
      baseline: {},
      notes: ['All members run in one process; the times include their waiting for one another.'],
    };
  }

  private async join(name: string): Promise<Member> {
    const { folder, server } = this.parts;
    const login = name.toLowerCase().replace(' ', '');
    const address = (user: string, password: string): string =>
      `postgres://${user}:${password}@127.0.0.1:${String(server.port)}/team`;
    const admin = await PostgresConnection.open((await readPostgresSettings(address('admin', 'admin'), {}))!);
    await makeTeam(admin, team);
    const { password } = await addMember(admin, { team, role: login, name });
    await admin.close();
    const workspace = path.join(folder, login, project);
    mkdirSync(workspace, { recursive: true });
    const engine = await openEngine({
      ...benchHost(path.join(folder, login), () => new Date(), { ...defaultConfig, embeddings: 'off' }),
      workspaceFolders: [workspace],
      secret: it => Promise.resolve(it === 'teamConnection' ? address(login, password!) : undefined),
    });
    await engine.team.connect(await engine.team.previewConnect({ project }));
    return { name, engine, shared: new Map() };
  }

  private async work(member: Member, end: number): Promise<void> {
    const { random } = this.parts;
    while (Date.now() < end) {
      const [id, text] = [...member.shared][Math.floor(random() * member.shared.size)] ?? [];
      const dice = random();
      if (id === undefined || text === undefined || dice < 0.7) await this.share(member);
      else if (dice < 0.85) await this.change(member, id, text);
      else await this.withdraw(member, id);
      await this.sync(member);
      await pause(200 * random());
    }
  }

  private newText(member: Member): string {
    const number = String(this.number++);
    return `Crate ${number} of ${member.name} stands in hall ${number} of the depot.`;
  }

  private async share(member: Member): Promise<void> {
    const content = this.newText(member);
    const input = {
      content,
      source: 'explicit',
      lane: 'confirmed',
      store: 'project',
      gate: 'epistemic',
      whole: true,
    } as const;
    const [outcome] = await member.engine.remember(input);
    if (outcome?.outcome !== 'stored') return;
    await this.send(member, outcome.id);
    member.shared.set(outcome.id, content);
    this.counts.shared++;
  }

  private async change(member: Member, id: string, before: string): Promise<void> {
    const content = this.newText(member);
    await member.engine.editText(id, { before, content });
    await this.send(member, id);
    member.shared.set(id, content);
    this.counts.changed++;
  }

  private async withdraw(member: Member, id: string): Promise<void> {
    await this.send(member, id, true);
    member.shared.delete(id);
    this.counts.withdrawn++;
  }

  private async send({ engine }: Member, id: string, withdraw = false): Promise<void> {
    const preview = await engine.team.previewShare({ references: [id], withdraw });
    if (preview.memories.length === 0) throw new Error(preview.refused[0]?.reason);
    await engine.team.share(preview);
  }

  private async sync({ engine }: Member): Promise<void> {
    const started = performance.now();
    const { problem } = await engine.team.sync();
    if (problem === undefined) this.syncMs.push(performance.now() - started);
    else this.counts.offline++;
  }

  /** What is missing, what should be gone and what is there twice, over all members. */
  private async violations(members: readonly Member[]): Promise<readonly [number, number, number]> {
    let [lost, stale, twice] = [0, 0, 0];
    for (const member of members) {
      const others = members.filter(it => it !== member).flatMap(it => [...it.shared.values()]);
      const wanted = new Set(others);
      const { own, received } = await member.engine.team.status();
      const seen = received.map(it => it.content);
      lost +=
        others.filter(it => !seen.includes(it)).length +
        [...member.shared.keys()].filter(id => !own.some(it => it.id === id)).length;
      stale += seen.filter(it => !wanted.has(it)).length;
      twice += seen.length - new Set(seen).size;
      const active: string[] = [];
      for (let offset = 0; ; offset += 500) {
        const page = await member.engine.list({ scope: 'project-only', statuses: ['active'], limit: 500, offset });
        active.push(...page.map(it => it.content));
        if (page.length < 500) break;
      }
      twice += active.length - new Set(active).size;
      lost += others.filter(it => !active.includes(it)).length;
    }
    return [lost, stale, twice];
  }
}
