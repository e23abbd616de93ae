import { z } from 'zod';
import { briefedPrograms } from '../../engine/model/briefing.js';
import { conflictResolutions } from '../../engine/model/conflict.js';
import { hookMoments } from '../../engine/model/guards.js';
import { intakeChoices } from '../../engine/model/intake.js';
import { memoryOrders } from '../../engine/model/project.js';
import {
  maxDrafts,
  maxDrawnMemories,
  maxSearchLength,
  maxTextLength,
  type FromWebview,
  type RequestName,
} from '../../protocol.js';

const none = z.unknown().transform(() => undefined);
const id = z.strictObject({ id: z.string().min(1).max(200) });
const pair = z.strictObject({ a: z.string().min(1).max(200), b: z.string().min(1).max(200) });

const drafts = z
  .array(
    z.strictObject({
      id: z.string().min(1).max(200),
      before: z.string().max(maxTextLength),
      text: z.string().max(maxTextLength),
    }),
  )
  .max(maxDrafts);

/** The input of each request of the protocol. */
const inputs: Readonly<Record<RequestName, z.ZodType>> = {
  traces: z.strictObject({
    text: z.string().max(maxSearchLength).optional(),
    memory: z.string().max(200).optional(),
    before: z.string().max(200).optional(),
    limit: z.int().min(1),
  }),
  trace: id,
  recallAgain: id,
  feedback: id.extend({ useful: z.boolean() }),
  memory: id,
  forecast: z.strictObject({ days: z.number().min(1).max(3_650) }),
  neighbors: id,
  edgesBetween: z.strictObject({ ids: z.array(z.string().min(1).max(200)).max(maxDrawnMemories) }),
  health: none,
  previewMaintenance: none,
  runMaintenance: none,
  undoMaintenance: z.strictObject({ run: z.string().min(1).max(200) }),
  forget: id,
  restore: id,
  confirm: id,
  settle: pair.extend({ resolution: z.enum(conflictResolutions) }),
  unsettle: pair,
  needs: none,
  decidePlan: id.extend({ decision: z.enum(['done', 'drop']) }),
  extendPlan: id.extend({ day: z.iso.date() }),
  decideRequest: id.extend({ accept: z.boolean() }),
  copyText: z.strictObject({ text: z.string().max(maxTextLength) }),
  copyDiagnostics: none,
  runCommand: z.strictObject({ name: z.enum(['rights', 'merge']) }),
  pin: id,
  unpin: id,
  editText: id.extend({
    edit: z.strictObject({
      content: z.string().max(maxTextLength),
      before: z.string().max(maxTextLength),
    }),
  }),
  undoEdit: id,
  editAids: id,
  openCode: id,
  verify: none,
  pickMemory: z.strictObject({ text: z.string().max(maxSearchLength).optional() }),
  hasMemories: none,
  remember: none,
  recall: none,
  places: none,
  memories: z.strictObject({
    place: z.string().min(1).max(200).optional(),
    query: z.string().max(maxSearchLength).optional(),
    words: z.string().max(maxSearchLength).optional(),
    order: z.enum(memoryOrders).optional(),
    outOfUse: z.boolean().optional(),
    offset: z.int().min(0),
    limit: z.int().min(1).max(999),
  }),
  transfer: z.strictObject({
    place: z.string().min(1).max(200).optional(),
    ids: z.array(z.string().min(1).max(200)).min(1).max(10_000),
  }),
  intakes: none,
  review: id.extend({ limit: z.int().min(1).max(10_000) }),
  decideIntake: id.extend({ choices: z.record(z.string().max(200), z.enum(intakeChoices)) }),
  undoIntake: id,
  briefing: z.strictObject({ program: z.enum(briefedPrograms).optional() }),
  setMoment: z.strictObject({ moment: z.enum(hookMoments), on: z.boolean() }),
  assistants: none,
  setConnected: id.extend({ connected: z.boolean() }),
};

/** A message of the webview; undefined for anything else, which is not answered. Never throws. */
export function readWebviewMessage(message: unknown): FromWebview | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { type, requestId, name, input, ...others } = message as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'drafts') {
    const read = drafts.safeParse(others.drafts);
    return read.success ? { type, drafts: read.data } : undefined;
  }
  if (type !== 'request' || !Number.isSafeInteger(requestId)) return undefined;
  if (typeof name !== 'string' || !Object.hasOwn(inputs, name)) return undefined;
  const read = inputs[name as RequestName].safeParse(input);
  return read.success ? ({ type, requestId, name, input: read.data } as FromWebview) : undefined;
}
