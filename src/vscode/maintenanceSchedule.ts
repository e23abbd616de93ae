import type { MaintenanceRun } from '../engine/model/maintenance.js';
import type { Log } from '../engine/model/host.js';
import type { readPowerSource } from './powerSource.js';
import type { EngineHolder } from './engineHolder.js';

/** When scheduled maintenance runs: only on mains power, on any power source, or never. */
export const automaticMaintenanceChoices = ['onMains', 'always', 'off'] as const;
export type AutomaticMaintenance = (typeof automaticMaintenanceChoices)[number];

/** Returns the default for any other value. */
export function parseAutomaticMaintenance(value: unknown): AutomaticMaintenance {
  return automaticMaintenanceChoices.find(it => it === value) ?? 'onMains';
}

/** Keeps the startup of a window free of maintenance. */
const initialDelayMs = 5 * 60_000;
/** The store records when maintenance is due; this is how often a window checks. */
const checkIntervalMs = 60 * 60_000;

export interface MaintenanceScheduleHost {
  readonly engineHolder: Pick<EngineHolder, 'state'>;
  readonly log: Log;
  readonly readAutomaticSetting: () => AutomaticMaintenance;
  readonly isTrusted: () => boolean;
  readonly readPowerSource: () => ReturnType<typeof readPowerSource>;
  /** Called with the runs that archived or deleted something. */
  readonly onArchived: (runs: readonly MaintenanceRun[]) => void;
  readonly onFailed: () => void;
}

/**
 * Runs maintenance when it is due while a window is open: only where the engine is open already, and never in an
 * untrusted workspace. A lease in the store ensures that only one of several windows runs it. Must not import `vscode`.
 */
export class MaintenanceSchedule {
  private timer: NodeJS.Timeout;
  private readonly controller = new AbortController();

  constructor(private readonly host: MaintenanceScheduleHost) {
    this.timer = setTimeout(() => void this.tick(), initialDelayMs).unref();
  }

  /** Runs what is due now. Never rejects. @returns why nothing was run, or the number of maintained stores */
  async runIfDue(): Promise<'off' | 'untrusted' | 'closed' | 'battery' | 'unknown power' | 'failed' | number> {
    const { engineHolder, readAutomaticSetting, isTrusted, readPowerSource, log, onArchived, onFailed } = this.host;
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
      onFailed();
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
