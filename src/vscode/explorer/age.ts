import type { Memory } from '../../engine/model/memory.js';
import { dayMs } from '../../engine/model/duration.js';
import type { Age } from './treeNodes.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const weekMs = 7 * dayMs;
const yearMs = 365 * dayMs;

/** How long a memory is as it is: since it was stored, or since it was forgotten or replaced. */
export function ageOfState({ status, createdAt, archivedAt, updatedAt }: Memory, now: Date): Age {
  return ageOf(status === 'active' ? createdAt : (archivedAt ?? updatedAt), now);
}

/** No months: in many languages a short month looks like a minute. A time to come counts as now. */
export function ageOf(iso: string, now: Date): Age {
  const elapsedMs = Math.max(0, now.getTime() - Date.parse(iso));
  const inUnits = (unit: Age['unit'], unitMs: number): Age => ({ count: Math.floor(elapsedMs / unitMs), unit });
  if (elapsedMs < hourMs) return inUnits('minute', minuteMs);
  if (elapsedMs < dayMs) return inUnits('hour', hourMs);
  if (elapsedMs < 2 * weekMs) return inUnits('day', dayMs);
  return elapsedMs < yearMs ? inUnits('week', weekMs) : inUnits('year', yearMs);
}
