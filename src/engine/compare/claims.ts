import { isGivenName } from '../classify/people.js';
import { isStopWord } from '../text/terms.js';
import { isBaseVerb, isThirdPerson } from '../text/verbs.js';
import { deniedIn, endsPart, type Denial } from './denials.js';
import { isAuxiliary, tokensOf, type Token } from './tokens.js';
import {
  additive,
  denying,
  generic,
  harmless,
  having,
  idioms,
  light,
  ownership,
  placing,
  single,
  slotPrepositions,
  updating,
  weak,
} from './words.js';

/** A term that a claim asserts. */
export interface Term {
  readonly term: string;
  readonly written: string;
  /** The class of a value, which excludes another of its class in the same slot; undefined for a plain word. */
  readonly kind: string | undefined;
  /** It stands before the verb, where a statement names what it speaks of. */
  readonly isEarly: boolean;
  /** Which part of the sentence it stands in, from 0. */
  readonly part: number;
  /** A verb by its place: it tells what is done, not to what. */
  readonly isVerb: boolean;
  /** 0-1: how well it tells subjects apart. */
  readonly weight: number;
}

/** One sentence, read. */
export interface Claim {
  /** All words that matter, in order: two claims of the same sequence say the same. */
  readonly sequence: string;
  /** The same words in no order, without light ones. */
  readonly bag: string;
  /** What it asserts, in order, each term once. */
  readonly terms: ReadonlyMap<string, Term>;
  /** Those of the terms that are values. */
  readonly values: readonly Term[];
  /** Each stretch that is denied or said to be over. */
  readonly denials: readonly Denial[];
  /** What it is restricted to, asserted or denied: production, methods, unit tests. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Adds something to what there is. */
  readonly isAdditive: boolean;
  /** Speaks of one of several. */
  readonly isHaving: boolean;
  /** Speaks of who is in charge. */
  readonly isOwnership: boolean;
  /** Says of itself that it is newer: now, moved, instead. */
  readonly isUpdate: boolean;
  /** Names a slot that holds one value: the main, the default, the name of. */
  readonly isSingle: boolean;
  /** The preposition after a verb of being somewhere or somehow: what follows it fills one slot. */
  readonly slot: string | undefined;
}

/** How much terms count: a word like "page" seldom tells two subjects apart, a verb like "runs" never. */
const weights = { specific: 1, weak: 0.5, generic: 0.2 } as const;

/** Kinds that say what is done, not to what. */
const actions = new Set([
  'on or off',
  'allowed or forbidden',
  'required or optional',
  'needed or skipped',
  'frequency',
  'who may',
  'effort',
  'scope:bound',
  'scope:speaker',
]);

/** Reads one sentence. Linear. */
export function readClaim(sentence: string): Claim {
  const words = tokensOf(sentence);
  const isOwnership = words.some(it => ownership.has(it.word) || ownership.has(it.term));
  const tokens = words.map((it, i) =>
    i === 0 && words[1]?.word === ':' && isGivenName(it.word)
      ? { ...it, kind: 'scope:speaker', term: it.word }
      : isName(it, i, isOwnership)
        ? { ...it, kind: 'name', term: it.word }
        : it,
  );
  const verb = verbOf(tokens);
  const { denied, denials } = deniedIn(tokens, it => weightOf(it) > weights.generic);
  const sequence: string[] = [];
  const terms = new Map<string, Term>();
  const scopes = new Map<string, Set<string>>();
  let part = 0;
  for (const [i, token] of tokens.entries()) {
    const { term, kind, written, word } = token;
    if (endsPart(token)) part++;
    if (token.isPunctuation) continue;
    const isDenying = denying.has(word);
    if (!harmless.has(word)) sequence.push(isDenying ? 'not' : term);
    if (isDenying || (kind === undefined && isStopWord(word))) continue;
    if (kind?.startsWith('scope:') === true) {
      // "Function argument names" are of arguments.
      if (tokens[i - 1]?.kind === kind) scopes.get(kind)?.delete(tokens[i - 1]!.term);
      scopes.set(kind, (scopes.get(kind) ?? new Set()).add(term));
    }
    if (denied.has(i) || terms.has(term)) continue;
    terms.set(term, {
      term,
      written,
      kind,
      isEarly: i < verb,
      isVerb: isVerb(tokens, i),
      part,
      weight: weightOf(token),
    });
  }
  const has = (table: ReadonlySet<string>): boolean => tokens.some(it => table.has(it.word));
  return {
    sequence: sequence.join(' '),
    bag: sequence
      .filter(it => !light.has(it))
      .sort()
      .join(' '),
    terms,
    values: [...terms.values()].filter(it => it.kind !== undefined && !it.kind.startsWith('scope:')),
    denials,
    scopes,
    isAdditive: has(additive),
    isHaving: has(having),
    isOwnership,
    isUpdate: has(updating),
    isSingle: has(single),
    slot: slotOf(tokens, verb),
  };
}

/** "Are exposed", "we hold". */
function isVerb(tokens: readonly Token[], at: number): boolean {
  const { word, kind } = tokens[at]!;
  const before = tokens[at - 1];
  if (kind !== undefined || before === undefined) return false;
  return (
    (isAuxiliary(before) && /(?:ed|en|ing)$/u.test(word)) ||
    /^(?:we|i|they|you|to|should|must|can|may|will)$/u.test(before.word)
  );
}

function slotOf(tokens: readonly Token[], verb: number): string | undefined {
  if (!placing.has(tokens[verb]?.word ?? '')) return undefined;
  const next = tokens.slice(verb + 1, verb + 4).find(it => slotPrepositions.has(it.word) || !placing.has(it.word));
  return next !== undefined && slotPrepositions.has(next.word) ? next.word : undefined;
}

function isName({ kind, word, written, isQuoted }: Token, at: number, isOwnership: boolean): boolean {
  if (kind === 'name') return true;
  if (kind !== undefined || isQuoted) return false;
  return (
    isGivenName(word) ||
    (isOwnership &&
      at === 0 &&
      /^\p{Lu}\p{Ll}+$/u.test(written) &&
      !isStopWord(word) &&
      !generic.has(word) &&
      !word.endsWith('s') &&
      !isBaseVerb(word))
  );
}

function weightOf({ word, term, kind }: Token): number {
  if (kind !== undefined) return actions.has(kind) ? weights.generic : weights.specific;
  if (
    generic.has(word) ||
    idioms.has(word) ||
    updating.has(word) ||
    generic.has(term) ||
    ownership.has(word) ||
    isStopWord(word)
  )
    return weights.generic;
  return weak.has(word) || weak.has(term) ? weights.weak : weights.specific;
}

/** Where the verb of the first part stands; 0 where it comes first, or where none is found. */
function verbOf(tokens: readonly Token[]): number {
  const found = tokens.findIndex(
    (it, i) =>
      isAuxiliary(it) || (i > 0 && (isThirdPerson(it.word) || (i < 4 && it.kind === undefined && isBaseVerb(it.word)))),
  );
  return Math.max(0, found);
}
