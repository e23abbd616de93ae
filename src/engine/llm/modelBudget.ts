import { z } from 'zod';
import type { ModelTokenUsage } from '../model/modelStatus.js';
import type { ModelUsage } from './languageModel.js';

/** Token usage per day, shared by all processes on a data folder. */
export interface UsageLedger {
  /** Undefined if the day has no record. */
  read(day: string): Promise<unknown>;
  /** Replaces a record atomically across processes. */
  update(day: string, change: (before: unknown) => ModelTokenUsage): Promise<void>;
}

/** Tokens reserved for one call. */
export interface Reservation {
  readonly day: string;
  readonly tokens: number;
}

/**
 * The daily token budget of language models, shared by all processes. Tokens are reserved before a call and replaced by
 * its actual usage; the reservation of a process that crashed in between stays, so that a lost answer still counts.
 *
 * Days are in UTC, so that processes with different time zones share a budget.
 */
export class ModelBudget {
  constructor(
    private readonly ledger: UsageLedger,
    private readonly now: () => Date,
  ) {}

  /** Reserves tokens; undefined if they exceed the rest of today's budget. */
  async reserve(tokens: number, dailyTokens: number): Promise<Reservation | undefined> {
    const day = dayOf(this.now());
    let reservation: Reservation | undefined;
    await this.ledger.update(day, record => {
      const spent = parseTokenUsage(record, day);
      if (spent.inputTokens + spent.outputTokens + spent.reservedTokens + tokens > dailyTokens) return spent;
      reservation = { day, tokens };
      return { ...spent, reservedTokens: spent.reservedTokens + tokens };
    });
    return reservation;
  }

  /** Replaces a reservation by the actual usage, on the day of the reservation. */
  async commit(reservation: Reservation, usage: ModelUsage): Promise<void> {
    const used = usage.inputTokens + usage.outputTokens > 0 ? 1 : 0;
    await this.ledger.update(reservation.day, record => {
      const spent = parseTokenUsage(record, reservation.day);
      return {
        day: spent.day,
        calls: spent.calls + used,
        inputTokens: spent.inputTokens + usage.inputTokens,
        outputTokens: spent.outputTokens + usage.outputTokens,
        reservedTokens: Math.max(0, spent.reservedTokens - reservation.tokens),
        costUsd: spent.costUsd + (usage.costUsd ?? 0),
        unpricedCalls: spent.unpricedCalls + (usage.costUsd === undefined ? used : 0),
      };
    });
  }

  async today(): Promise<ModelTokenUsage> {
    const day = dayOf(this.now());
    return parseTokenUsage(await this.ledger.read(day), day);
  }

  /** When the next budget starts: the next midnight in UTC. */
  nextDay(): Date {
    const now = this.now();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
  }
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const amount = z.number().nonnegative();
const tokenUsageSchema = z.object({
  day: z.string(),
  calls: amount,
  inputTokens: amount,
  outputTokens: amount,
  reservedTokens: amount,
  costUsd: amount,
  unpricedCalls: amount,
});

/** A record in an unknown format, of another version, counts as no usage. */
function parseTokenUsage(record: unknown, day: string): ModelTokenUsage {
  const result = tokenUsageSchema.safeParse(record);
  if (result.success) return result.data;
  return { day, calls: 0, inputTokens: 0, outputTokens: 0, reservedTokens: 0, costUsd: 0, unpricedCalls: 0 };
}
