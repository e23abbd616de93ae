import type { Config } from '../model/config.js';
import { dayMs } from '../model/duration.js';

/** A store's record of when its maintenance interval began, ISO-8601 UTC. */
export interface MaintenanceState {
  readonly from: string;
}
export const maintenanceStateId = 'maintenance';

/** When the next scheduled run of a store is due. */
export function nextDue(from: string, { maintenance }: Config): Date {
  return new Date(Date.parse(from) + maintenance.intervalDays * dayMs);
}
