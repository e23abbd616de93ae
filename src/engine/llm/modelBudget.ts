import { z } from 'zod';
import type { ModelTokenUsage } from '../model/modelStatus.js';
import type { ModelUsage } from './languageModel.js';

/** What was spent, a record per day, that every program on a data folder shares. */
export interface UsageLedger {
  /** Undefined = there is none. */
  read(day: string): Promise<unknown>;
  /** Replaces a record by what `change` makes of it; no other program comes between. */
  update(day: string, change: (before: unknown) => ModelTokenUsage): Promise<void>;
}

/** Tokens that were set aside for one call. */
export interface Reservation {
  readonly day: string;
  readonly tokens: number;
}

/**
 * What language models may use in a day, over all programs and restarts. Tokens are set aside before a call and replaced
 * by what it used; a program that dies in between leaves them set aside, so that a lost answer is not a free one.
 *
 * A day is one of UTC: programs with different time zones must count the same one.
 */
export class ModelBudget {
  constructor(
    private readonly ledger: UsageLedger,
    private readonly now: () => Date,
  ) {}

  /** Sets tokens aside; undefined when today's cap leaves no room for them. */
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

  /** Replaces what was set aside by what was used. The day is that of the reservation, also after midnight. */
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

  /** When today's budget is followed by a new one: the next midnight, UTC. */
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

/** What another version wrote in another shape counts as nothing spent. */
function parseTokenUsage(record: unknown, day: string): ModelTokenUsage {
  const result = tokenUsageSchema.safeParse(record);
  if (result.success) return result.data;
  return { day, calls: 0, inputTokens: 0, outputTokens: 0, reservedTokens: 0, costUsd: 0, unpricedCalls: 0 };
}
