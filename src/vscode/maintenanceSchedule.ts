import type { MaintenanceRun } from '../engine/model/maintenance.js';
import type { Log } from '../engine/model/host.js';
import type { readPowerSource } from './powerSource.js';
import type { EngineHolder } from './engineHolder.js';

/** Whether maintenance begins by itself: where the machine is known to run on mains, whatever feeds it, or never. */
export const automaticMaintenanceChoices = ['onMains', 'always', 'off'] as const;
export type AutomaticMaintenance = (typeof automaticMaintenanceChoices)[number];

/** Anything that is not a choice is the default one. */
export function parseAutomaticMaintenance(value: unknown): AutomaticMaintenance {
  return automaticMaintenanceChoices.find(it => it === value) ?? 'onMains';
}

/** Long enough for a window to come up in peace. */
const initialDelayMs = 5 * 60_000;
/** When it is due stands in the store; this is how soon a window notices. */
const checkIntervalMs = 60 * 60_000;

export interface MaintenanceScheduleHost {
  readonly engineHolder: Pick<EngineHolder, 'state'>;
  readonly log: Log;
  readonly readAutomaticSetting: () => AutomaticMaintenance;
  readonly isTrusted: () => boolean;
  readonly readPowerSource: () => ReturnType<typeof readPowerSource>;
  /** Told of runs that took something out. */
  readonly onArchived: (runs: readonly MaintenanceRun[]) => void;
}

/**
 * Maintenance once an interval while a window is open. Only where somebody has opened the memory already, never in an
 * untrusted workspace, never on battery; the store sees to it that of several windows one does it. Knows nothing of
 * VS Code.
 */
export class MaintenanceSchedule {
  private timer: NodeJS.Timeout;
  private readonly controller = new AbortController();

  constructor(private readonly host: MaintenanceScheduleHost) {
    this.timer = setTimeout(() => void this.tick(), initialDelayMs).unref();
  }

  /** Looks now, and does what is due. Never rejects. @returns why nothing was done, or how many stores were maintained */
  async runIfDue(): Promise<'off' | 'untrusted' | 'closed' | 'battery' | 'unknown power' | 'failed' | number> {
    const { engineHolder, readAutomaticSetting, isTrusted, readPowerSource, log, onArchived } = this.host;
    const automaticChoice = readAutomaticSetting();
    if (automaticChoice === 'off') return 'off';
    if (!isTrusted()) return 'untrusted';
    if (engineHolder.state.kind !== 'open') return 'closed';
    if (automaticChoice === 'onMains') {
      const source = await readPowerSource();
      if (source !== 'mains') return source === 'battery' ? 'battery' : 'unknown power';
    }
    try {
      const { engine } = engineHolder.state;
      const runs = await engine.maintenance.runIfDue({ signal: this.controller.signal });
      const runsWithRemovals = runs.filter(
        ({ counts }) => counts.faded + counts.expired + counts.quota + counts.pruned > 0,
      );
      if (runsWithRemovals.length > 0) onArchived(runsWithRemovals);
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
    await this.runIfDue();
    if (this.controller.signal.aborted) return;
    this.timer = setTimeout(() => void this.tick(), checkIntervalMs).unref();
  }
}
