import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { MaintenanceRun } from '../../../src/engine/model/maintenance.js';
import type { DecayClass, Gate, Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { generateTexts } from './syntheticTexts.js';
import { benchHost, inTemporaryFolder } from './corpus.js';
import { seeded } from './random.js';

const writesADay = 40;
const recallsADay = 60;
const dayMs = 86_400_000;
const start = Date.parse('2026-01-05T08:00:00.000Z');

/** A sixteenth of the defaults, which would hold such a year without any quota being reached. */
const quotas = {
  ...defaultConfig.maintenance.quotas,
  'short-term': 32 * 1024,
  'long-term': 128 * 1024,
  permanent: 640 * 1024,
};
export const yearConfig: Config = {
  ...defaultConfig,
  // Embedding 14,600 texts would double the duration, and maintenance does not use vectors.
  embeddings: 'off',
  maintenance: { ...defaultConfig.maintenance, quotas },
};

/** State of a store at the end of a day. */
export interface DaySample {
  readonly day: number;
  readonly archived: number;
  /** Active memories by effective confidence: from 70, from 40, below. */
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  /** Bytes of all tiers. */
  readonly bytes: number;
  /** Distinct memories stored until then: the contents of a store without maintenance. */
  readonly remembered: number;
  readonly rememberedBytes: number;
}

export interface YearReport {
  readonly samples: readonly DaySample[];
  readonly runs: readonly MaintenanceRun[];
  /** Number of ids that must exist at the end, and of those that do not. */
  readonly pinned: number;
  readonly pinnedLost: number;
  readonly recalled: number;
  readonly recalledLost: number;
  /** Memories recalled in the last 30 days that are neither lost nor archived. */
  readonly recalledActive: number;
  /** Tiers over all runs that exceeded both their quota and their protected memories. */
  readonly quotasBroken: number;
  readonly problems: readonly string[];
  readonly maintenanceMs: readonly number[];
  readonly quotas: typeof quotas;
}

/**
 * Simulates the days of a user with the real engine on a real store and a simulated clock: 40 facts a day, some of them
 * known, and 60 recalls, some of them rated; a pin every tenth day; maintenance every seventh day and at the end.
 * Deterministic.
 */
export async function simulateYear(days: number, onDay: (day: number) => void = () => undefined): Promise<YearReport> {
  return inTemporaryFolder(async folder => {
    let time = start;
    const engine = await openEngine(benchHost(folder, () => new Date(time), yearConfig));
    try {
      const user = new SimulatedUser(engine, days);
      const runs: MaintenanceRun[] = [];
      const maintenanceMs: number[] = [];
      const samples: DaySample[] = [];
      for (let day = 0; day < days; day++) {
        time = start + day * dayMs;
        await user.rememberDay(day, () => (time += 60_000));
        await user.recallDay(() => (time += 60_000));
        await engine.traces(1); // Writes the buffered usage before the clock moves on.
        const isLast = day === days - 1;
        if (day % 7 === 6 || isLast) {
          const started = performance.now();
          runs.push(...(await engine.maintenance.run()));
          maintenanceMs.push(performance.now() - started);
        }
        if (day % 3 === 0 || isLast) samples.push(await sample(engine, day, user));
        onDay(day);
      }
      const since = time - 30 * dayMs;
      const recalled = [...user.recalledAt].filter(([, at]) => at >= since).map(([id]) => id);
      const there = new Map((await engine.getMany([...recalled, ...user.pinned])).map(it => [it.id, it]));
      const broken = runs.flatMap(run =>
        Object.values(run.tiers).filter(it => it.after > Math.max(it.quota, it.protected)),
      );
      return {
        samples,
        runs,
        pinned: user.pinned.size,
        pinnedLost: [...user.pinned].filter(it => there.get(it)?.status !== 'active').length,
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

/** A user whose actions are drawn from a seeded generator. */
class SimulatedUser {
  readonly pinned = new Set<string>();
  /** Time of the last recall that returned a memory, by id. */
  readonly recalledAt = new Map<string, number>();
  readonly contents = new Map<string, string>();
  private readonly random = seeded(2026);
  private readonly texts: readonly string[];
  private next = 0;
  private readonly promises: { readonly id: string; readonly day: number }[] = [];

  constructor(
    private readonly engine: MemoryEngine,
    days: number,
  ) {
    this.texts = generateTexts(days * writesADay, 1).texts;
  }

  /** Stores the facts in four sittings. A sixth is known; promises are kept after two weeks. */
  async rememberDay(day: number, tick: () => number): Promise<void> {
    for (let sitting = 0; sitting < 4; sitting++) {
      tick();
      const inputs = Array.from({ length: writesADay / 4 }, () => this.fact());
      for (const [i, [outcome]] of (await this.engine.rememberAll(inputs)).entries()) {
        if (outcome === undefined || outcome.outcome === 'refused') continue;
        this.contents.set(outcome.id, outcome.content);
        if (inputs[i]!.gate === 'promissory') this.promises.push({ id: outcome.id, day });
      }
    }
    if (day % 10 === 0) {
      const [id] = [...this.contents.keys()].slice(-1);
      await this.engine.pin(id!);
      this.pinned.add(id!);
    }
    while (this.promises[0] !== undefined && day - this.promises[0].day > 14) {
      const { id } = this.promises.shift()!;
      if (!this.pinned.has(id) && (await this.engine.getMany([id])).length > 0) await this.engine.forget(id);
    }
  }

  /** Recalls mostly recent facts. One answer in ten is rated, mostly as useful. */
  async recallDay(tick: () => number): Promise<void> {
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
    const [gate, decayClass] = drawSort(draw);
    const lane = this.random() < 0.4 ? 'confirmed' : 'note';
    return { content, gate, decayClass, lane, source: 'conversation', whole: true };
  }
}

function drawSort(draw: number): readonly [Gate, DecayClass] {
  if (draw < 0.05) return ['promissory', 'session'];
  if (draw < 0.15) return ['epistemic', 'ephemeral'];
  if (draw < 0.4) return ['epistemic', 'session'];
  if (draw < 0.5) return ['correction', 'durable'];
  return [draw < 0.65 ? 'behavioral' : 'epistemic', 'durable'];
}

async function sample(engine: MemoryEngine, day: number, { contents }: SimulatedUser): Promise<DaySample> {
  const active: Memory[] = [];
  for (;;) {
    const page = await engine.list({ limit: 1_000, offset: active.length });
    active.push(...page);
    if (page.length < 1_000) break;
  }
  const confidences = active.map(it => engine.effectiveConfidence(it));
  const groups = await engine.groups();
  return {
    day,
    archived: groups.reduce((sum, it) => sum + (it.status === 'archived' ? it.count : 0), 0),
    high: confidences.filter(it => it >= 70).length,
    medium: confidences.filter(it => it >= 40 && it < 70).length,
    low: confidences.filter(it => it < 40).length,
    bytes: active.reduce((sum, it) => sum + bytesOf(it.content), 0),
    remembered: contents.size,
    rememberedBytes: [...contents.values()].reduce((sum, it) => sum + bytesOf(it), 0),
  };
}

/** Size as the store counts it, without a vector: the content and `[]` for no tags. */
function bytesOf(content: string): number {
  return Buffer.byteLength(content) + 2;
}
