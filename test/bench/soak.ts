/**
 * Do many processes keep a store consistent while one of them is killed every second? Engines, MCP servers and command
 * lines on the same stores, in two projects and three sets; the parent keeps the ledger of what was acknowledged.
 * `--minutes` (10), `--processes` (8), `--seed` (1).
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { percent, type Report } from './kit/report.js';
import { percentile } from './kit/metrics.js';
import type { OptionValues } from './kit/options.js';
import { seeded } from './kit/random.js';
import {
  Ledger,
  projects,
  realmsOf,
  sets,
  violations,
  type LedgerEntry,
  type Project,
  type StoreView,
} from './kit/soakLedger.js';
import {
  CliActor,
  EngineActor,
  CallFailedError,
  ProcessExitedError,
  McpActor,
  type Actor,
  type ActorFolders,
} from './kit/soakActors.js';

const killEveryMs = 1_000;
/** Between two calls of a process: together some forty calls a second, many more than eight busy assistants make. */
const pauseMs = [20, 180] as const;
/** Pause between two command lines, each a separate process. */
const commandLinePauseMs = [250, 1_750] as const;
/** Of ten processes. The rest are MCP servers. */
const [engines, commandLines] = [5, 1];
/** Reopenings between two full checks of a store, which read its audit log. */
const verifyEvery = 25;
const scopes = ['project-then-global', 'project-only', 'global-only'] as const;

/** Duration, number of processes, and seed. */
export const extraOptions = { minutes: 'number', processes: 'number', seed: 'number' } as const;

type Options = OptionValues<typeof extraOptions>;

export async function run(options: Options): Promise<Report> {
  return inTemporaryFolder(async folder => new Soak(folder, options).run());
}

class Soak {
  private readonly ledger: Ledger;
  private readonly random: () => number;
  private readonly slots: readonly Slot[];
  private readonly times: Record<'firstRecall' | 'laterRecall' | 'remember' | 'change', number[]> = {
    firstRecall: [],
    laterRecall: [],
    remember: [],
    change: [],
  };
  private readonly durationMs: number;
  private readonly seed: number;
  private kills = 0;
  private reopened = 0;
  private checked = 0;
  private others = 0;
  private known = 0;
  private isOver = false;

  constructor(
    private readonly root: string,
    { minutes = 10, processes = 8, seed = 1 }: Options,
  ) {
    this.seed = seed;
    this.durationMs = minutes * 60_000;
    this.ledger = new Ledger(seed);
    this.random = seeded(seed + 1);
    for (const it of ['home', ...projects]) mkdirSync(path.join(root, it), { recursive: true });
    const share = (parts: number): number => Math.max(1, Math.round((parts / 10) * processes));
    const onDeath = (what: string): void => {
      this.ledger.report('died', what);
    };
    this.slots = Array.from({ length: processes }, (_, i) => {
      const project = projects[i % projects.length]!;
      const place = this.place(project, `slot-${i}`);
      if (i < share(commandLines)) return { project, actor: new CliActor(place) };
      if (i < share(commandLines) + share(engines)) return { project, actor: new EngineActor(place, onDeath) };
      return { project, actor: new McpActor(place, onDeath) };
    });
  }

  async run(): Promise<Report> {
    const end = Date.now() + this.durationMs;
    const working = this.slots.map(it => this.work(it));
    while (Date.now() < end) {
      await pause(killEveryMs);
      const { actor } = this.draw(this.slots);
      if (actor.kill()) this.kills++;
      reportProgress(`${this.ledger.entries.length} kept, ${this.kills} kills, ${this.ledger.found.length} violations`);
    }
    this.isOver = true;
    await Promise.all(working);
    await this.lookAtAll();
    return this.report();
  }

  /** One process after another, until the time is over. */
  private async work(slot: Slot): Promise<void> {
    while (!this.hasEnded()) {
      try {
        await slot.actor.start();
        this.reopened++;
        await this.check(slot);
        let isFirst = slot.actor.kind !== 'cli';
        while (!this.hasEnded()) {
          await this.act(slot, isFirst);
          isFirst = false;
          const [least, most] = slot.actor.kind === 'cli' ? commandLinePauseMs : pauseMs;
          await pause(least + this.random() * (most - least));
        }
      } catch (error) {
        if (!(error instanceof ProcessExitedError)) this.failed(slot, error);
      }
    }
    await slot.actor.end();
  }

  /** Checks at a reopening that all acknowledged memories exist. */
  private async check({ actor, project }: Slot): Promise<void> {
    if (!(actor instanceof EngineActor)) return;
    this.checked++;
    const entries = this.ledger.sample(project);
    const at = performance.now();
    this.ledger.checkSome(await actor.some(entries.map(it => it.id)), entries, at);
    if (this.checked % verifyEvery !== 0) return;
    for (const it of await actor.problems()) this.ledger.report('damaged', it);
  }

  private async act(slot: Slot, isFirst: boolean): Promise<void> {
    const share = this.random();
    try {
      if (isFirst || share < 0.4) await this.recall(slot, isFirst);
      else if (share < 0.8) await this.remember(slot);
      // What a client that cannot ask wants to change stays a request.
      else if (share < 0.93 && slot.actor.kind !== 'mcp') await this.change(slot, share < 0.87 ? 'pin' : 'forget');
      else await this.callOther(slot);
    } catch (error) {
      if (error instanceof ProcessExitedError) {
        // A command line is one process per call.
        if (slot.actor.kind === 'cli') return;
        throw error;
      }
      this.failed(slot, error);
    }
  }

  private async remember({ actor, project }: Slot): Promise<void> {
    const set = actor.hasSets ? this.draw(sets) : '';
    const drawn = this.random() < 0.5 ? 'project' : 'global';
    // All of a set is in one store. What an assistant says of berths is the project's, however it files it.
    const store = actor.kind === 'mcp' || set === 'blue' ? 'project' : set === 'red' ? 'global' : drawn;
    const realm = (store === 'project' ? project : 'global') + set;
    const { code, content } = this.ledger.make(realm);
    const from = performance.now();
    const kept = await actor.remember(content, { project, set, scope: 'project-then-global' }, store);
    if (actor.kind !== 'cli') this.times.remember.push(performance.now() - from);
    if (kept === undefined) this.known++;
    else this.ledger.acknowledge({ code, realm, content, id: kept.id, at: performance.now() });
  }

  private async recall({ actor, project }: Slot, isFirst: boolean): Promise<void> {
    const view: StoreView = { project, set: actor.hasSets ? this.draw(sets) : '', scope: this.draw(scopes) };
    const { entries } = this.ledger;
    if (entries.length === 0) return;
    // Mostly new memories, sometimes those of other views.
    const visible = entries.filter(it => realmsOf(view).includes(it.realm));
    const from = this.random() < 0.75 && visible.length > 0 ? visible : entries;
    const wanted = from[from.length - 1 - Math.floor(this.random() ** 2 * from.length)]!;
    const query = wanted.content.replace(/^Berth (\w+) of \w+ holds the (.*)\.$/u, '$1 $2');
    const at = performance.now();
    const mode = this.random() < 0.5 ? 'fast' : 'fresh';
    const shown = await actor.recall(query, view, mode);
    if (actor.kind !== 'cli') this.times[isFirst ? 'firstRecall' : 'laterRecall'].push(performance.now() - at);
    this.ledger.checkAnswer(shown, view, at);
    if (from !== visible) return;
    const how = `${Math.round(at - wanted.at)} ms after it was acknowledged, ${mode}, ${actor.kind}${isFirst ? ', first' : ''}, among ${shown.length} of ${view.scope}`;
    if (this.ledger.checkFound(wanted, shown, how)) return;
    // A second query distinguishes a stale index from a bad rank.
    const again = await actor.recall(query, view, 'fresh');
    this.ledger.found.push(`  ${wanted.content} Asked again: ${again.map(it => it.content).join(' ')}`);
  }

  private async change({ actor, project }: Slot, what: 'pin' | 'forget'): Promise<void> {
    const key = what === 'pin' ? 'pinned' : 'forgotten';
    const mine = this.ledger.entries.filter(
      it => (it.realm.startsWith(project) || it.realm.startsWith('global')) && isFree(it),
    );
    if (mine.length === 0) return;
    const entry = this.draw(mine);
    entry.busy = true;
    const from = performance.now();
    try {
      await actor.change(what, entry.id);
      entry[key] = { at: performance.now() };
      if (actor.kind !== 'cli') this.times.change.push(performance.now() - from);
    } catch (error) {
      entry[key] = 'unknown';
      throw error;
    } finally {
      entry.busy = false;
    }
  }

  private async callOther({ actor, project }: Slot): Promise<void> {
    const visible = this.ledger.entries.filter(
      it => (it.realm === project || it.realm === 'global') && it.forgotten === undefined && !it.busy,
    );
    if (visible.length === 0) return;
    this.others++;
    try {
      await actor.callOther(this.draw(visible).id, this.random());
    } catch (error) {
      if (!(error instanceof CallFailedError) || !harmless.test(error.message)) throw error;
    }
  }

  /** Final checks with processes that are not killed. */
  private async lookAtAll(): Promise<void> {
    for (const project of projects) {
      const place = this.place(project, 'end');
      const actor = new EngineActor(place, what => {
        this.ledger.report('died', what);
      });
      await actor.start();
      for (const set of sets) {
        const view = { project, set, scope: 'project-then-global' } as const;
        const at = performance.now();
        this.ledger.checkAll(await actor.all(view), view, at);
      }
      await actor.end();
      const { ok, stores } = (await new CliActor(place).run('verify')) as { ok: boolean; stores: unknown };
      if (!ok) this.ledger.report('damaged', JSON.stringify(stores));
    }
  }

  private failed({ actor }: Slot, error: unknown): void {
    const what = error instanceof CallFailedError ? error.message : String(error);
    this.ledger.report('errors', `${actor.kind}: ${what.slice(0, 200)}`);
  }

  private place(project: Project, name: string): ActorFolders {
    const home = path.join(this.root, 'home', name);
    mkdirSync(home, { recursive: true });
    return { dataDir: path.join(this.root, 'memory'), folder: path.join(this.root, project), home };
  }

  private draw<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  private hasEnded(): boolean {
    return this.isOver;
  }

  private report(): Report {
    const { ledger, times } = this;
    if (ledger.found.length > 0) process.exitCode = 1;
    const recalls = [...times.firstRecall, ...times.laterRecall];
    const calls = recalls.length + times.remember.length + times.change.length;
    return {
      name: 'soak',
      n: calls,
      figures: {
        recalls: recalls.length,
        recallP50: percentile(recalls, 0.5),
        recallP95: percentile(recalls, 0.95),
        laterRecallP50: percentile(times.laterRecall, 0.5),
        laterRecallP95: percentile(times.laterRecall, 0.95),
        firstRecalls: times.firstRecall.length,
        firstRecallP50: percentile(times.firstRecall, 0.5),
        firstRecallP95: percentile(times.firstRecall, 0.95),
        rememberP50: percentile(times.remember, 0.5),
        rememberP95: percentile(times.remember, 0.95),
        changeP95: percentile(times.change, 0.95),
        otherCalls: this.others,
        acknowledged: ledger.entries.length,
        kills: this.kills,
        reopened: this.reopened,
        found: percent(ledger.asked === 0 ? 1 : ledger.answered / ledger.asked),
        ...Object.fromEntries(violations.map(it => [it, ledger.counts[it]])),
      },
      baseline: {},
      notes: [
        `${this.slots.map(it => it.actor.kind).join(', ')}; ${this.durationMs / 60_000} minutes, seed ${this.seed}; times in milliseconds as the client sees them, without the command lines.`,
        `recall is every one; firstRecall is the first of each process, which reads its code, its model and the index, laterRecall every other one. found is the share of recalls by a memory's own words that had it.`,
        `${ledger.entries.length} memories were acknowledged; the newest 100 and 200 others were looked for at each of ${this.checked} reopenings, and all at the end; ${this.known} facts were taken for known ones.`,
        ...ledger.found,
      ],
    };
  }
}

/** Another process maintains the store, the memory has just been forgotten, or only a person may decide. */
const harmless = /is maintaining|There is no memory|The request is kept/u;

interface Slot {
  readonly project: Project;
  readonly actor: Actor;
}

const isFree = ({ busy, pinned, forgotten }: LedgerEntry): boolean =>
  !busy && pinned === undefined && forgotten === undefined;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
