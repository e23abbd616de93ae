import type { MemoryEngine } from '../../engine/engine.js';
import { neutralizeText } from '../../engine/model/contextEnvelope.js';
import { shortId } from '../../engine/model/memory.js';
import {
  describeSharing,
  type TeamChange,
  type TeamContradiction,
  type TeamReadReport,
} from '../../engine/model/team.js';

/** What to do with what came, on stderr. */
export function adviseAfterRead({ id, changes }: TeamReadReport): void {
  if (id === undefined) return;
  const isNew = changes.some(it => it.what === 'added' || it.what === 'changed');
  const advice = isNew
    ? 'Confirm what is right: recollect promote ID…; drop others: recollect forget ID…; take'
    : 'Take';
  console.error(`${advice} all back: recollect import --undo ${shortId({ id })}`);
}

/** Notes what a call gave out, as every listing does. */
export function noteShown(
  activity: MemoryEngine['activity'],
  via: string,
  shown: readonly { readonly id?: string; readonly contradicts: readonly TeamContradiction[] }[],
): void {
  const ids = shown.flatMap(it => [...(it.id === undefined ? [] : [it.id]), ...it.contradicts.map(other => other.id)]);
  const memories = [...new Set(ids)].map(id => ({ id }));
  activity.noteCall(via, memories);
}

/** What a reading of shared memories brought, a line each. */
export function describeRead({ folder, changes, known, refused }: TeamReadReport): readonly string[] {
  const fresh = changes.filter(it => it.what === 'added' || it.what === 'changed').length;
  return [
    `${folder}: ${fresh} new, ${known} known`,
    ...changes.flatMap(describeChange),
    ...refused.map(it => `left       ${it.where}: ${it.reason}`),
  ];
}

function describeChange({ what, id, content, author, careful, contradicts }: TeamChange): readonly string[] {
  const labels = [describeSharing(author), ...(careful === undefined ? [] : [`careful: ${careful}`])];
  return [
    `${what.padEnd(9)}  #${shortId({ id })}  ${onOneLine(content)}  (${labels.join(' · ')})`,
    ...(what === 'kept' ? ['    its member has changed or withdrawn it; here a person vouches for it'] : []),
    ...contradicts.map(it => describeContradiction(id, it)),
  ];
}

export function describeContradiction(id: string, { id: other, content, author }: TeamContradiction): string {
  const from = author === undefined ? 'yours' : describeSharing(author);
  return `    contradicts #${shortId({ id: other })}  ${onOneLine(content)}  (${from}); settle it: recollect settle ${shortId({ id })} ${shortId({ id: other })} --keep a, b or both`;
}

export const onOneLine = (text: string): string => neutralizeText(text.replaceAll(/\s+/gu, ' '));
