import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { saysRule } from '../classify/standing.js';
import { markStrength, outweighs, type EdgeMark } from '../model/edge.js';
import { formatMessage } from '../model/engineMessages.js';
import { shortId, type Memory } from '../model/memory.js';
import { penalizeContradiction } from '../scoring/confidence.js';
import type { StoreTransaction } from '../store/store.js';

interface Word {
  /** `same`: the replacement says it again. */
  readonly how: 'replaced' | 'same';
  readonly by: EdgeMark['by'];
}

const reasons = {
  replaced: { person: 'replacedByPerson', model: 'replacedByModel' },
  same: { person: 'sameByPerson', model: 'sameByModel' },
} as const;

/**
 * Marks a memory as outdated by another one, or as said again by it. A person's word costs the outdated memory confidence
 * where it says something else (CMK); a model's costs nothing. The later of two words of equal authority stands, so that
 * a chain which would lead back to the outdated memory ends at the replacement.
 * @returns why nothing was marked: a person has decided about the two
 */
export async function markReplaced(
  tx: StoreTransaction,
  outdated: Pick<Memory, 'id'>,
  replacement: Pick<Memory, 'id'>,
  { how, by }: Word,
): Promise<LocalizableMessage | undefined> {
  if (by === 'model' && (await tx.isSettled(outdated.id, replacement.id)))
    return message`A person has settled what #${shortId(outdated)} and #${shortId(replacement)} mean; that stands.`;
  await endCycle(tx, outdated.id, replacement.id, by);
  await tx.markOutdated({
    outdated: outdated.id,
    replacement: replacement.id,
    type: how === 'replaced' ? 'contradicts' : 'relates_to',
    by,
    reason: formatMessage(reasons[how][by]),
  });
  if (by === 'person' && how === 'replaced') {
    const memory = await tx.get(outdated.id);
    if (memory !== undefined && !memory.pinned)
      await tx.update({ ...memory, ...penalizeContradiction(memory, markStrength) }, 'weaken', {
        by: replacement.id,
        certainty: markStrength,
        person: true,
      });
  }
  return undefined;
}

/**
 * Makes a note a rule for work where it takes the place of one: the gate of a note that its caller did not give was read from
 * its words. What a person confirmed keeps its gate, and so does a plan.
 */
export async function inheritRule(
  tx: StoreTransaction,
  outdated: Pick<Memory, 'id'>,
  replacement: Pick<Memory, 'id'>,
): Promise<void> {
  const [rule, heir] = [await tx.get(outdated.id), await tx.get(replacement.id)];
  if (rule === undefined || heir === undefined || !saysRule(rule) || saysRule(heir)) return;
  if (heir.lane === 'confirmed' || heir.gate === 'promissory' || heir.provenance.source === 'code-index') return;
  await tx.update({ ...heir, gate: rule.gate, kind: rule.kind }, 'edit', { change: 'gate', from: rule.id });
}

/** Takes back the earlier words by which the replacement itself gives way to the memory that it replaces now. */
async function endCycle(
  tx: StoreTransaction,
  outdated: string,
  replacement: string,
  by: EdgeMark['by'],
): Promise<void> {
  const steps = (await tx.successors(replacement)).filter(it => !outweighs(it.by, by));
  for (const step of steps) {
    const seen = new Set([replacement]);
    for (let ids = [step.id]; ids.length > 0;) {
      if (ids.includes(outdated)) {
        await tx.markBothHold(replacement, step.id, by);
        break;
      }
      for (const it of ids) seen.add(it);
      const next = await Promise.all(ids.map(it => tx.successors(it)));
      ids = [...new Set(next.flat().map(it => it.id))].filter(it => !seen.has(it));
    }
  }
}
