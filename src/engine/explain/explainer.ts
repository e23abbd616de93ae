import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import type { ConfidenceCurve, ExplainedTrace, ActiveCountForecast } from '../model/explanation.js';
import type { Memory, StoreScope } from '../model/memory.js';
import type { TraceFilter, TraceSummary } from '../model/trace.js';
import type { HistoryLine, Store } from '../store/store.js';
import { explainTrace, buildConfidenceCurve, forecastActiveCount, collectTraceSummaries } from './explanations.js';

/** Days an outlook may span to either side. */
const maxOutlookDays = 3_650;

/** What a person asks who looks closely: why this answer, and what becomes of these memories. Changes nothing. */
export class Explainer {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly resolveReference: (
      reference: string,
    ) => Promise<{ readonly store: Store; readonly memory: Memory }>,
  ) {}

  /** Recalls without their candidates, newest first, of every store. */
  listTraces(filter: TraceFilter): Promise<TraceSummary[]> {
    return this.calls.run(() => collectTraceSummaries(this.ctx, filter));
  }

  /** A recall with the terms of each candidate's rank. @throws EngineError notFound */
  explainTrace(id: string): Promise<ExplainedTrace> {
    return this.calls.run(() => explainTrace(this.ctx, id));
  }

  /** What the audit log says of a memory, oldest first. @throws EngineError notFound | ambiguousId */
  history(reference: string): Promise<HistoryLine[]> {
    return this.calls.run(async () => {
      const { store, memory } = await this.resolveReference(reference);
      return store.history(memory.id);
    });
  }

  /** @throws EngineError notFound | ambiguousId */
  confidenceCurve(reference: string): Promise<ConfidenceCurve> {
    return this.calls.run(async () => buildConfidenceCurve(this.ctx, await this.resolveReference(reference)));
  }

  /** How many memories are active, `days` back and ahead. @throws EngineError invalidInput */
  forecastActiveCount(days: number, scope: StoreScope = 'project-then-global'): Promise<ActiveCountForecast> {
    return this.calls.run(() => {
      if (!(days >= 1 && days <= maxOutlookDays)) {
        throw new EngineError(
          'invalidInput',
          message`days must be a number from 1 to ${maxOutlookDays}; it was ${days}.`,
        );
      }
      return forecastActiveCount(this.ctx, days, scope);
    });
  }
}
