import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { MaintenanceRun } from '../../../src/engine/model/maintenance.js';
import type { DecayClass, Gate, Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { madeTexts } from './madeTexts.js';
import { benchHost, inTemporaryFolder } from './memory.js';
import { seeded } from './random.js';

const writesADay = 40;
const recallsADay = 60;
const dayMs = 86_400_000;
const start = Date.parse('2026-01-05T08:00:00.000Z');

/** A sixteenth of the defaults: those hold such a year by far, and nothing would be proven. */
const quotas = { 'short-term': 32 * 1024, 'long-term': 128 * 1024, permanent: 640 * 1024 };
export const yearConfig: Config = {
  ...defaultConfig,
  // Embedding 14,600 texts would take as long as all the rest, and maintenance does not ask for meaning.
  embeddings: 'off',
  maintenance: { ...defaultConfig.maintenance, quotas },
};

/** How a store stood at the end of a day. */
export interface DaySample {
  readonly day: number;
  readonly archived: number;
  /** Active memories by effective confidence: from 70, from 40, below. */
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  /** Bytes of all tiers. */
  readonly bytes: number;
  /** Memories that had been told by then, each once: what a store without maintenance would hold. */
  readonly told: number;
  readonly toldBytes: number;
}

export interface YearReport {
  readonly samples: readonly DaySample[];
  readonly runs: readonly MaintenanceRun[];
  /** Ids that must be there at the end, and of those the ones that are not. */
  readonly pinned: number;
  readonly pinnedLost: number;
  readonly recalled: number;
  readonly recalledLost: number;
  /** Of what was recalled in the last 30 days: neither lost nor archived. */
  readonly recalledActive: number;
  /** Tiers, over all runs, that held more than their quota, or than what no quota takes. */
  readonly quotasBroken: number;
  readonly problems: readonly string[];
  readonly maintenanceMs: readonly number[];
  readonly quotas: typeof quotas;
}

/**
 * Somebody's days with the real engine on a real store and a clock of its own: each 40 facts told, of which some are
 * known already, and 60 recalls, of which some are judged; a pin every tenth day; maintenance every seventh and at the
 * end. The same seed gives the same days.
 */
export async function simulate(days: number, onDay: (day: number) => void = () => undefined): Promise<YearReport> {
  return inTemporaryFolder(async folder => {
    let time = start;
    const engine = await openEngine(benchHost(folder, () => new Date(time), yearConfig));
    try {
      const person = new Person(engine, days);
      const runs: MaintenanceRun[] = [];
      const maintenanceMs: number[] = [];
      const samples: DaySample[] = [];
      for (let day = 0; day < days; day++) {
        time = start + day * dayMs;
        await person.tell(day, () => (time += 60_000));
        await person.ask(() => (time += 60_000));
        await engine.traces(1); // What recalls returned is written at the time at which they did.
        const isLast = day === days - 1;
        if (day % 7 === 6 || isLast) {
          const started = performance.now();
          runs.push(...(await engine.maintenance.run()));
          maintenanceMs.push(performance.now() - started);
        }
        if (day % 3 === 0 || isLast) samples.push(await sample(engine, day, person));
        onDay(day);
      }
      const since = time - 30 * dayMs;
      const recalled = [...person.recalledAt].filter(([, at]) => at >= since).map(([id]) => id);
      const there = new Map((await engine.getMany([...recalled, ...person.pinned])).map(it => [it.id, it]));
      const broken = runs.flatMap(run =>
        Object.values(run.tiers).filter(it => it.after > Math.max(it.quota, it.protected)),
      );
      return {
        samples,
        runs,
        pinned: person.pinned.size,
        pinnedLost: [...person.pinned].filter(it => there.get(it)?.status !== 'active').length,
        recalled: recalled.length,
        recalledLost: recalled.filter(it => !there.has(it)).length,
        recalledActive: recalled.filter(it => there.get(it)?.status === 'active').length,
        quotasBroken: broken.length,
        problems: (await engine.verify()).flatMap(it => it.problems),
        maintenanceMs,
        quotas,
      };
    } finally {
      await engine.close();
    }
  });
}

/** What somebody does, drawn from seeded numbers. */
class Person {
  readonly pinned = new Set<string>();
  /** By id: when a recall last returned it. */
  readonly recalledAt = new Map<string, number>();
  readonly told = new Map<string, string>();
  private readonly random = seeded(2026);
  private readonly texts: readonly string[];
  private next = 0;
  private readonly promises: { readonly id: string; readonly day: number }[] = [];

  constructor(
    private readonly engine: MemoryEngine,
    days: number,
  ) {
    this.texts = madeTexts(days * writesADay, 1).texts;
  }

  /** In four sittings. A sixth of it was told before; promises are kept after two weeks. */
  async tell(day: number, tick: () => number): Promise<void> {
    for (let sitting = 0; sitting < 4; sitting++) {
      tick();
      const inputs = Array.from({ length: writesADay / 4 }, () => this.fact());
      for (const [i, [outcome]] of (await this.engine.rememberAll(inputs)).entries()) {
        if (outcome === undefined || outcome.outcome === 'refused') continue;
        this.told.set(outcome.id, outcome.content);
        if (inputs[i]!.gate === 'promissory') this.promises.push({ id: outcome.id, day });
      }
    }
    if (day % 10 === 0) {
      const [id] = [...this.told.keys()].slice(-1);
      await this.engine.pin(id!);
      this.pinned.add(id!);
    }
    while (this.promises[0] !== undefined && day - this.promises[0].day > 14) {
      const { id } = this.promises.shift()!;
      if (!this.pinned.has(id) && (await this.engine.getMany([id])).length > 0) await this.engine.forget(id);
    }
  }

  /** Mostly about what was told lately. Of ten answers one is judged, and mostly found useful. */
  async ask(tick: () => number): Promise<void> {
    for (let i = 0; i < recallsADay; i++) {
      const at = tick();
      const back = Math.floor(this.next * (this.random() < 0.7 ? 0.02 : 1) * this.random());
      const words = this.texts[Math.max(0, this.next - 1 - back)]!.match(/\w{4,}/g)!;
      const from = Math.floor(this.random() * Math.max(1, words.length - 3));
      const { hits } = await this.engine.recall({ query: words.slice(from, from + 3).join(' '), limit: 5 });
      for (const { memory } of hits) this.recalledAt.set(memory.id, at);
      const [first] = hits;
      if (first !== undefined && this.random() < 0.1) await this.engine.feedback(first.memory.id, this.random() < 0.8);
    }
  }

  private fact(): RememberInput {
    const draw = this.random();
    const isKnown = this.next > 100 && this.random() < 1 / 6;
    const content = isKnown ? this.texts[Math.floor(this.random() * this.next)]! : this.texts[this.next++]!;
    const [gate, decayClass] = sort(draw);
    const lane = this.random() < 0.4 ? 'confirmed' : 'note';
    return { content, gate, decayClass, lane, source: 'conversation', whole: true };
  }
}

function sort(draw: number): readonly [Gate, DecayClass] {
  if (draw < 0.05) return ['promissory', 'session'];
  if (draw < 0.15) return ['epistemic', 'ephemeral'];
  if (draw < 0.4) return ['epistemic', 'session'];
  if (draw < 0.5) return ['correction', 'durable'];
  return [draw < 0.65 ? 'behavioral' : 'epistemic', 'durable'];
}

async function sample(engine: MemoryEngine, day: number, { told }: Person): Promise<DaySample> {
  const active: Memory[] = [];
  for (;;) {
    const page = await engine.list({ limit: 1_000, offset: active.length });
    active.push(...page);
    if (page.length < 1_000) break;
  }
  const left = active.map(it => engine.effectiveConfidence(it));
  const groups = await engine.groups();
  return {
    day,
    archived: groups.reduce((sum, it) => sum + (it.status === 'archived' ? it.count : 0), 0),
    high: left.filter(it => it >= 70).length,
    medium: left.filter(it => it >= 40 && it < 70).length,
    low: left.filter(it => it < 40).length,
    bytes: active.reduce((sum, it) => sum + bytesOf(it.content), 0),
    told: told.size,
    toldBytes: [...told.values()].reduce((sum, it) => sum + bytesOf(it), 0),
  };
}

/** As the store counts it: without tags and vector, the content and `[]`. */
function bytesOf(content: string): number {
  return Buffer.byteLength(content) + 2;
}
