import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import type { ConfidenceCurve, ExplainedTrace, Outlook } from '../model/inspection.js';
import type { Memory, Scope } from '../model/memory.js';
import type { TraceFilter, TraceSummary } from '../model/trace.js';
import type { HistoryLine, Store } from '../store/store.js';
import { explainTrace, inspectConfidence, outlook, traceSummaries } from './inspect.js';

/** Days an outlook may span to either side. */
const longestOutlookDays = 3_650;

/** What a person asks who looks closely: why this answer, and what becomes of these memories. Changes nothing. */
export class Inspection {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
    private readonly find: (reference: string) => Promise<{ readonly store: Store; readonly memory: Memory }>,
  ) {}

  /** Recalls without their candidates, newest first, of every store. */
  traces(filter: TraceFilter): Promise<TraceSummary[]> {
    return this.calls.run(() => traceSummaries(this.ctx, filter));
  }

  /** A recall with the terms of each candidate's rank. @throws EngineError notFound */
  trace(id: string): Promise<ExplainedTrace> {
    return this.calls.run(() => explainTrace(this.ctx, id));
  }

  /** What the audit log says of a memory, oldest first. @throws EngineError notFound | ambiguousId */
  history(reference: string): Promise<HistoryLine[]> {
    return this.calls.run(async () => {
      const { store, memory } = await this.find(reference);
      return store.history(memory.id);
    });
  }

  /** @throws EngineError notFound | ambiguousId */
  confidence(reference: string): Promise<ConfidenceCurve> {
    return this.calls.run(async () => inspectConfidence(this.ctx, await this.find(reference)));
  }

  /** How many memories are active, `days` back and ahead. @throws EngineError invalidInput */
  outlook(days: number, scope: Scope = 'project-then-global'): Promise<Outlook> {
    return this.calls.run(() => {
      if (!(days >= 1 && days <= longestOutlookDays)) {
        throw new EngineError(
          'invalidInput',
          message`days must be a number from 1 to ${longestOutlookDays}; it was ${days}.`,
        );
      }
      return outlook(this.ctx, days, scope);
    });
  }
}
