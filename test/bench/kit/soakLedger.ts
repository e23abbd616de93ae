import { seeded } from './random.js';

/** Locations of memories: one of two projects or the global store, and an isolation set in it ('' for none). */
export const projects = ['north', 'south'] as const;
export type Project = (typeof projects)[number];
export const sets = ['', 'red', 'blue'] as const;
export type MemorySet = (typeof sets)[number];
export type Scope = 'project-then-global' | 'project-only' | 'global-only';

/** Memories visible to a reader: of a project, in a set, through a scope. */
export interface StoreView {
  readonly project: Project;
  readonly set: MemorySet;
  readonly scope: Scope;
}

/** An acknowledged change; `unknown` when its process was killed during the call. */
type Change = { readonly at: number } | 'unknown' | undefined;

/** An acknowledged memory. Times are milliseconds of one clock. */
export interface LedgerEntry {
  readonly code: string;
  readonly realm: string;
  readonly content: string;
  /** The id or short id that its process returned. */
  readonly id: string;
  readonly at: number;
  pinned: Change;
  forgotten: Change;
  /** Whether a change is in progress. */
  busy: boolean;
}

/** A memory as a process returns it. */
export interface ListedMemory {
  readonly content: string;
  readonly status: string;
  readonly pinned: boolean;
}

/** `stale`: forgotten before the query; `missed`: not in the answer to its own words. */
export const violations = ['lost', 'mixed', 'stale', 'missed', 'damaged', 'died', 'errors'] as const;
export type Violation = (typeof violations)[number];

const subjectNouns = 'rope lamp anchor tide gull crate mast sail buoy chart oar keel winch net hull deck'.split(' ');

/** Number of acknowledged memories that are checked at a reopening: the newest, and a sample of the others. */
const [newest, some] = [100, 200];

/** Record of acknowledged changes that checks the answers of processes against them. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  readonly counts: Record<Violation, number> = {
    lost: 0,
    mixed: 0,
    stale: 0,
    missed: 0,
    damaged: 0,
    died: 0,
    errors: 0,
  };
  /** The first of them, in words. */
  readonly found: string[] = [];
  asked = 0;
  answered = 0;
  private readonly byCode = new Map<string, LedgerEntry>();
  private readonly random: () => number;
  private made = 0;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  report(violation: Violation, what: string): void {
    this.counts[violation]++;
    if (this.found.length < 20) this.found.push(`${violation}: ${what}`);
  }

  /** A unique fact. */
  make(realm: string): { readonly code: string; readonly content: string } {
    const draw = (): string => subjectNouns[Math.floor(this.random() * subjectNouns.length)]!;
    const number = Math.floor(this.random() * 36 ** 4)
      .toString(36)
      .padStart(4, '0');
    const code = `q${number}z${(this.made++).toString(36)}`;
    return { code, content: `Berth ${code} of ${realm} holds the ${draw()} and the ${draw()}.` };
  }

  acknowledge(entry: Omit<LedgerEntry, 'pinned' | 'forgotten' | 'busy'>): void {
    const whole: LedgerEntry = { ...entry, pinned: undefined, forgotten: undefined, busy: false };
    this.entries.push(whole);
    this.byCode.set(entry.code, whole);
  }

  /**
   * An answer holds memories of the view alone, and none that was forgotten before it was asked for.
   * @param at when it was asked for
   */
  checkAnswer(shown: readonly Pick<ListedMemory, 'content'>[], view: StoreView, at: number): void {
    const allowed = realmsOf(view);
    for (const { content } of shown) {
      const { code, realm } = readContent(content);
      if (!allowed.includes(realm)) this.report('mixed', `${code} of ${realm} was shown to ${allowed.join(', ')}`);
      if (isBefore(this.byCode.get(code)?.forgotten, at)) this.report('stale', `${code} had been forgotten`);
    }
  }

  /** Checks that a memory is found by its own words, unless it may have been forgotten. */
  checkFound(entry: LedgerEntry, shown: readonly Pick<ListedMemory, 'content'>[], how: string): boolean {
    if (entry.forgotten !== undefined || entry.busy) return true;
    this.asked++;
    const isThere = shown.some(it => readContent(it.content).code === entry.code);
    if (isThere) this.answered++;
    else this.report('missed', `${entry.code} of ${entry.realm} was not found, ${how}`);
    return isThere;
  }

  /**
   * Checks that a view, archived memories included, holds exactly the acknowledged memories.
   * @param at when it was asked for
   */
  checkAll(shown: readonly ListedMemory[], view: StoreView, at: number): void {
    const held = new Map(shown.map(it => [readContent(it.content).code, it]));
    const allowed = realmsOf(view);
    for (const { content } of shown) {
      const { code, realm } = readContent(content);
      if (!allowed.includes(realm)) this.report('mixed', `${code} of ${realm} is listed for ${allowed.join(', ')}`);
    }
    this.checkHeld(
      held,
      this.entries.filter(it => allowed.includes(it.realm)),
      at,
    );
  }

  /** The newest memories visible to a project and a sample of the others, without those known only by a short id. */
  sample(project: Project): readonly LedgerEntry[] {
    const visible = this.entries.filter(
      ({ realm, id }) => id.length > 8 && (realm.startsWith(project) || realm.startsWith('global')),
    );
    const others = visible.slice(0, -newest);
    const drawn = Array.from({ length: Math.min(some, others.length) }, () => {
      return others[Math.floor(this.random() * others.length)]!;
    });
    return [...visible.slice(-newest), ...drawn];
  }

  /** Single memories are as they were acknowledged. @param shown all that there are of them @param at when they were asked for */
  checkSome(shown: readonly ListedMemory[], entries: readonly LedgerEntry[], at: number): void {
    this.checkHeld(new Map(shown.map(it => [readContent(it.content).code, it])), entries, at);
  }

  private checkHeld(held: ReadonlyMap<string, ListedMemory>, entries: readonly LedgerEntry[], at: number): void {
    for (const entry of entries) {
      if (entry.at >= at) continue;
      const it = held.get(entry.code);
      if (it?.content !== entry.content) {
        this.report('lost', `${entry.code} of ${entry.realm} is gone`);
        continue;
      }
      const { forgotten, pinned, busy } = entry;
      if (isBefore(forgotten, at) && it.status !== 'archived')
        this.report('lost', `${entry.code} is no longer forgotten`);
      if (isBefore(pinned, at) && !it.pinned) this.report('lost', `${entry.code} is no longer pinned`);
      if (busy) continue;
      if (forgotten === undefined && it.status !== 'active') this.report('lost', `${entry.code} is ${it.status}`);
      if (pinned === undefined && it.pinned) this.report('lost', `${entry.code} is pinned without a call that pins it`);
    }
  }
}

/** Realms visible in a view. */
export function realmsOf({ project, set, scope }: StoreView): readonly string[] {
  const all = { 'project-then-global': [project, 'global'], 'project-only': [project], 'global-only': ['global'] };
  return all[scope].map(it => it + set);
}

function isBefore(change: Change, at: number): boolean {
  return typeof change === 'object' && change.at < at;
}

function readContent(content: string): { readonly code: string; readonly realm: string } {
  const [, code = content.slice(0, 40), realm = 'nowhere'] = /^Berth (\w+) of (\w+) holds/u.exec(content) ?? [];
  return { code, realm };
}
