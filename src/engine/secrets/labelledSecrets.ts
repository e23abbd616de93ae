/**
 * Secrets of no known form: a value that looks like one, in a sentence whose words say so. The stronger the value, the fewer words
 * are needed.
 */
import type { NamedSecret } from './secretRule.js';
import { idBefore, labelPattern, shortLink } from './secretLabels.js';
import { aboutSuffix, publicPrefix } from './secretNouns.js';
import { valueStrength, type ValueStrength } from './valueStrength.js';

/** How much the words of the sentence must weigh. */
const neededWeight: Readonly<Record<Exclude<ValueStrength, 'none'>, number>> = {
  sure: 0,
  signed: 1,
  random: 2,
  likely: 3,
  id: 3,
};
const weights = { strong: 3, medium: 2, weak: 1 } as const;

/** How far from a value its words are looked for, in UTF-16 units, within its sentence. */
const maxBefore = 160;
const maxAfter = 80;
/** A weaker value is near a strong word. */
const maxNear = 60;

interface Label {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

const candidatePattern = /(?<![\w/+=@#$%&*.-])[!#$%&*+\w/=?@^~.:-]{6,500}(?![\w/+=])/gu;
const sentenceEnd = /[.!?](?=[\s"')\]]|$)|[。！？\n]/gu;

/** Labelled secrets with their places. Linear. */
export function* findLabelledSecrets(text: string): Generator<NamedSecret> {
  const candidates = readCandidates(text);
  if (candidates.length === 0) return;
  const labels = readLabels(text);
  const ends = [...text.matchAll(sentenceEnd)].map(it => it.index);
  let firstLabel = 0;
  let nextEnd = 0;
  for (const { value, start, strength } of candidates) {
    while (nextEnd < ends.length && ends[nextEnd]! < start) nextEnd++;
    const from = Math.max(start - maxBefore, (ends[nextEnd - 1] ?? -1) + 1);
    const end = start + value.length;
    const laterEnd = ends.slice(nextEnd, nextEnd + 20).find(it => it >= end) ?? text.length;
    const to = Math.min(end + maxAfter, laterEnd);
    while (firstLabel < labels.length && labels[firstLabel]!.start < from) firstLabel++;
    const near: Label[] = [];
    for (let index = firstLabel; index < labels.length && labels[index]!.end <= to; index++) {
      const label = labels[index]!;
      if (label.end <= start || label.start >= end) near.push(label);
    }
    if (isLabelled(text, { start, end, strength }, near)) yield { label: 'password', start, end };
  }
}

interface Candidate {
  readonly value: string;
  readonly start: number;
  readonly strength: Exclude<ValueStrength, 'none'>;
}

function readCandidates(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const match of text.matchAll(candidatePattern)) {
    // The name of an assignment is a label, and no part of the value.
    const name = /^-{0,2}[A-Za-z][\w.-]{0,60}(?:=|:(?!\/\/))(?=.{6})/u.exec(match[0])?.[0] ?? '';
    // An optional property: ipv6Only?: boolean
    if (match[0].endsWith('?:')) continue;
    const isWithin = /^ \p{Ll}/u.test(text.slice(match.index + match[0].length, match.index + match[0].length + 2));
    const value = match[0].slice(name.length).replace(isWithin ? /(?<!:):$/u : /(?<![.:?!])[.:?!]{1,3}$/u, '');
    const given = valueStrength(value);
    const strength = given === 'id' && nameOfSession.test(name) ? 'likely' : given;
    if (strength !== 'none') found.push({ value, start: match.index + name.length, strength });
  }
  for (const match of text.matchAll(groupsPattern))
    if (isMixedGroups(match[0])) found.push({ value: match[0], start: match.index, strength: 'likely' });
  return found.sort((a, b) => a.start - b.start);
}

const nameOfSession = /(?:sid|sess|session|auth|ticket)[=:]$/iu;

/** A key in groups of four with spaces between them. */
const groupsPattern = /(?<![\w-])(?:[a-z\d]{4} ){3,15}[a-z\d]{4}(?![\w-])/giu;

function isMixedGroups(groups: string): boolean {
  return groups.split(' ').some(it => /\d/u.test(it) && /[a-z]/iu.test(it));
}

function readLabels(text: string): Label[] {
  const found: Label[] = [];
  for (const match of text.matchAll(labelPattern)) {
    const { strong, medium } = match.groups!;
    const end = match.index + match[0].length;
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    if (publicPrefix.test(before)) continue;
    const isAbout = aboutSuffix.test(text.slice(end, end + 40));
    const weight = isAbout ? 0 : weights[strong !== undefined ? 'strong' : medium !== undefined ? 'medium' : 'weak'];
    if (weight > 0) found.push({ text: match[0].toLowerCase(), start: match.index, end, weight });
  }
  return found;
}

function isLabelled(
  text: string,
  { start, end, strength }: { start: number; end: number; strength: Candidate['strength'] },
  labels: readonly Label[],
): boolean {
  const needed = strength === 'id' ? weights.medium : neededWeight[strength];
  if (weigh(labels) < needed || idBefore.test(text.slice(Math.max(0, start - 40), start))) return false;
  if (strength !== 'likely' && strength !== 'id') return true;
  const last = labels.filter(it => it.end <= start).at(-1);
  if (strength === 'id') {
    const link = last === undefined ? '' : text.slice(last.end, start);
    return last?.weight === weights.strong
      ? shortLink.test(link)
      : /^(?:secret|token)/u.test(last?.text ?? '') && directLink.test(link);
  }
  return weigh(labels.filter(it => it.start <= end + maxNear && it.end >= start - maxNear)) >= neededWeight[strength];
}

/** A hash right after "token". */
const directLink = /^[ \t]{0,2}(?:[:=]|is)?[ \t]{0,2}["'`]?$/u;

/** A word counts once. */
function weigh(labels: readonly Label[]): number {
  return [...new Map(labels.map(it => [it.text, it.weight])).values()].reduce((sum, it) => sum + it, 0);
}
