import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import type { EngineHost } from '../model/host.js';
import {
  agingTime,
  clockStateId,
  isUpkeepHeld,
  observeClock,
  type ClockGap,
  type ClockState,
} from '../scoring/agingTime.js';
import { dayMs } from '../model/duration.js';
import type { Store } from './store.js';

/**
 * The time by which memories age. More than a month in which no program used the memory may be a wrong clock as well as a
 * holiday; it makes no memory older until a person confirms the date.
 */
export class AgingClock {
  private state: ClockState | undefined;
  /** The latest change of a store, where that is after now: the clock went back. ISO-8601 UTC. */
  private lead: string | undefined;

  /** @param stores the newest entry of their audit logs counts as a use */
  constructor(
    private readonly host: Pick<EngineHost, 'now' | 'client' | 'log'>,
    private readonly globalStore: Store,
    private readonly stores: readonly Store[],
  ) {}

  now(): Date {
    return agingTime(this.seenNow(), this.host.now());
  }

  /** Now, for what is written: never before what was written earlier, so that an order by time stays true. */
  writeTime(): Date {
    const now = this.host.now();
    return this.lead === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(this.lead) + 1));
  }

  /** A time without use that no person has confirmed; undefined where there is none. */
  get gap(): ClockGap | undefined {
    return this.state?.gap;
  }

  get isUpkeepHeld(): boolean {
    return isUpkeepHeld(this.seenNow(), this.host.now());
  }

  /** An open engine is a use: a gap begins and ends in `observe` alone. */
  private seenNow(): ClockState {
    return { ...this.state, seen: this.host.now().toISOString() };
  }

  /** Notes that the memory is used now. A disk that cannot be written is logged: the state then holds for this engine. */
  async observe(): Promise<void> {
    const now = this.host.now();
    const recorded = (await this.globalStore.record<ClockState>('state', clockStateId))?.body;
    const changes = await Promise.all(this.stores.map(it => it.lastChangeAt()));
    const times = [recorded?.seen, ...changes].filter(it => it !== undefined && it <= now.toISOString());
    const seen = times.sort().at(-1) ?? recorded?.seen;
    const known = seen === undefined ? undefined : { ...recorded, seen };
    this.state = observeClock(known, now);
    const latest = changes
      .filter(it => it !== undefined && it > now.toISOString())
      .sort()
      .at(-1);
    const wasPutRight = recorded?.gap !== undefined && this.state.gap === undefined;
    const disproved = wasPutRight ? latest : recorded?.disproved;
    if (disproved !== undefined && disproved > now.toISOString()) this.state = { ...this.state, disproved };
    this.lead = latest !== undefined && latest > (disproved ?? '') ? latest : undefined;
    const isNews =
      recorded === undefined ||
      this.state.gap?.to !== recorded.gap?.to ||
      now.getTime() - Date.parse(recorded.seen) > dayMs;
    if (isNews) await this.save(this.state);
  }

  /** A person says that the date is right: the time without use counts from now on. */
  async confirm(): Promise<void> {
    this.state = { seen: this.host.now().toISOString() };
    await this.globalStore.write(this.host.client, async tx => {
      await tx.putRecord('state', clockStateId, this.state);
      await tx.log('maintain', { clockConfirmed: true });
      await tx.announce();
    });
  }

  private async save(state: ClockState): Promise<void> {
    if (this.globalStore.readOnly) return;
    try {
      await this.globalStore.write(this.host.client, tx => tx.putRecord('state', clockStateId, state));
    } catch (error) {
      this.host.log.error('The time of this use could not be recorded.', error);
    }
  }
}

/** Notice about a long time without use. */
export function clockNotices({ gap, isUpkeepHeld }: Pick<AgingClock, 'gap' | 'isUpkeepHeld'>): LocalizableMessage[] {
  if (gap === undefined || !isUpkeepHeld) return [];
  const [from, to] = [gap.from, gap.to].map(it => it.slice(0, 10)) as [string, string];
  return [
    message`No program used the memory from ${from} to ${to}, or the clock of this machine is wrong. Nothing is forgotten or deleted for that time. If the date is right and the time should count, confirm it: recollect maintain --confirm-clock`,
  ];
}
