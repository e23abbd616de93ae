import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { PlanToReview } from '../engine/model/conflict.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import { formatMemoryLine } from './describeMemory.js';
import {
  changeEach,
  definePersonCommand,
  memoriesAnswer,
  option,
  scopeIdOption,
  scopeOption,
} from './personCommand.js';

const ids = z.array(z.string()).exactOptional();

export const revisitCommand = definePersonCommand({
  name: 'revisit',
  description: 'list plans that are overdue or have faded, or say what becomes of them',
  input: z.strictObject({
    done: option('--done <id...>', ids, 'these are done', ['drop', 'extend']),
    drop: option('--drop <id...>', ids, 'forget these: they will not be done', ['done', 'extend']),
    extend: option('--extend <id...>', ids, 'these are due on another day, with --until', ['done', 'drop']),
    until: option('--until <date>', z.string().exactOptional(), 'the new day, such as 2026-03-01'),
    scope: scopeOption,
    scopeId: scopeIdOption,
  }),
  async run(engine, { done, drop, extend, until, ...filter }) {
    if ((extend === undefined) !== (until === undefined))
      throw new EngineError('invalidInput', 'Give --extend and --until together: which plan, and its other day.');
    const references = done ?? drop ?? extend;
    if (references === undefined) {
      const plans = await engine.planReview.list(filter);
      return {
        output: plans,
        lines: plans.map(describePlan),
        remarks: plans.length === 0 ? [String(sharedMessages.noPlanToReview)] : [],
      };
    }
    const { after } = await changeEach(engine, references, id => {
      if (until !== undefined) return engine.planReview.extend(id, until);
      return done === undefined ? engine.planReview.drop(id) : engine.planReview.complete(id);
    });
    return memoriesAnswer(engine, after);
  },
});

function describePlan({ memory, effectiveConfidence, why, since }: PlanToReview): string {
  const day = since.slice(0, 10);
  return `${why === 'overdue' ? `due ${day}` : `said ${day}`}  ${formatMemoryLine(memory, effectiveConfidence)}`;
}
