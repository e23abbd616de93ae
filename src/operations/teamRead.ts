import type { MemoryEngine } from '../engine/engine.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { shortId } from '../engine/model/memory.js';
import { pluralize } from '../engine/model/pluralize.js';
import { describeSharing, type TeamChange, type TeamContradiction, type TeamReadReport } from '../engine/model/team.js';

/** What to do with what came. */
export function adviceAfterRead({ id, changes, decided, unnamed }: TeamReadReport): readonly string[] {
  const isNew = changes.some(it => it.what === 'added' || it.what === 'changed');
  const advice = isNew
    ? 'Confirm what is right: recollect confirm ID…; drop others: recollect forget ID…; take'
    : 'Take';
  return [
    ...(unnamed === undefined ? [] : [unnamed]),
    ...(decided === undefined
      ? []
      : [
          `${pluralize(decided.decisions, 'decision')} of yours added to ${decided.file}. To send: ${commitCommand(decided.file.slice(0, decided.file.lastIndexOf('/')))}`,
        ]),
    ...(id === undefined ? [] : [`${advice} all back: recollect import --undo ${shortId({ id })}`]),
  ];
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
  // Of what came the author is the one who shared it, of the rest the one whose line did this.
  const isDecision = what === 'confirmed' || what === 'replaced' || what === 'settled';
  const isAgainst = (what === 'withdrawn' || what === 'kept') && author.endsWith('>');
  const labels = [
    isDecision || isAgainst ? `by ${author}` : describeSharing(author),
    ...(careful === undefined ? [] : [`careful: ${careful}`]),
  ];
  return [
    `${what.padEnd(9)}  #${shortId({ id })}  ${onOneLine(content)}  (${labels.join(' · ')})`,
    ...(what === 'kept'
      ? ['    a member has changed, withdrawn or replaced it; you vouch for it, and decide: recollect requests']
      : []),
    ...contradicts.map(it => describeContradiction(id, it)),
  ];
}

export function describeContradiction(id: string, { id: other, content, author }: TeamContradiction): string {
  const from = author === undefined ? 'yours' : describeSharing(author);
  return `    contradicts #${shortId({ id: other })}  ${onOneLine(content)}  (${from}); settle it: recollect settle ${shortId({ id })} ${shortId({ id: other })} --keep a, b or both`;
}

/** The one command that a person has left to run. */
export const commitCommand = (folder: string): string =>
  `git add ${folder} && git commit -m "Shared memories" -- ${folder} && git push`;

export const onOneLine = (text: string): string => neutralizeText(text.replaceAll(/\s+/gu, ' '));
