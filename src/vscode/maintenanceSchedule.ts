import type { MaintenanceRun } from '../engine/model/maintenance.js';
import type { Log } from '../engine/model/host.js';
import type { powerSource } from './power.js';
import type { MemorySession } from './session.js';

/** Whether maintenance begins by itself: where the machine is known to run on mains, whatever feeds it, or never. */
export const automaticChoices = ['onMains', 'always', 'off'] as const;
export type Automatic = (typeof automaticChoices)[number];

/** Anything that is not a choice is the default one. */
export function readAutomatic(value: unknown): Automatic {
  return automaticChoices.find(it => it === value) ?? 'onMains';
}

/** Long enough for a window to come up in peace. */
const firstAfterMs = 5 * 60_000;
/** When it is due stands in the store; this is how soon a window notices. */
const everyMs = 60 * 60_000;

export interface ScheduleHost {
  readonly session: Pick<MemorySession, 'state'>;
  readonly log: Log;
  readonly automatic: () => Automatic;
  readonly isTrusted: () => boolean;
  readonly power: () => ReturnType<typeof powerSource>;
  /** Told of runs that took something out. */
  readonly onDone: (runs: readonly MaintenanceRun[]) => void;
}

/**
 * Maintenance once an interval while a window is open. Only where somebody has opened the memory already, never in an
 * untrusted workspace, never on battery; the store sees to it that of several windows one does it. Knows nothing of
 * VS Code.
 */
export class MaintenanceSchedule {
  private timer: NodeJS.Timeout;
  private readonly controller = new AbortController();

  constructor(private readonly host: ScheduleHost) {
    this.timer = setTimeout(() => void this.tick(), firstAfterMs).unref();
  }

  /** Looks now, and does what is due. Never rejects. @returns why nothing was done, or how many stores were maintained */
  async look(): Promise<'off' | 'untrusted' | 'closed' | 'battery' | 'unknown power' | 'failed' | number> {
    const { session, automatic, isTrusted, power, log, onDone } = this.host;
    const choice = automatic();
    if (choice === 'off') return 'off';
    if (!isTrusted()) return 'untrusted';
    if (session.state.kind !== 'open') return 'closed';
    if (choice === 'onMains') {
      const source = await power();
      if (source !== 'mains') return source === 'battery' ? 'battery' : 'unknown power';
    }
    try {
      const { engine } = session.state;
      const runs = await engine.maintenance.runIfDue({ signal: this.controller.signal });
      const tookOut = runs.filter(({ counts }) => counts.faded + counts.expired + counts.quota + counts.pruned > 0);
      if (tookOut.length > 0) onDone(tookOut);
      return runs.length;
    } catch (error) {
      log.error('The weekly maintenance failed.', error);
      return 'failed';
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }

  private async tick(): Promise<void> {
    await this.look();
    if (this.controller.signal.aborted) return;
    this.timer = setTimeout(() => void this.tick(), everyMs).unref();
  }
}
