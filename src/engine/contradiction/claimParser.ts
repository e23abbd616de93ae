import { LRUCache } from 'lru-cache';
import { isStopWord, maxCachedWordLength } from '../text/analyzer.js';
import { findNegations, noNegation, type NegatedSpan } from './negation.js';
import { hasFlag, flag, flagsOf } from './lexicalFlags.js';
import { detectModality, type Modality } from './modality.js';
import type { Token } from './token.js';
import { tokenizeSentence } from './lexer.js';
import { nonNegatingIdioms } from './lexicon/negation.js';
import { foreignStopWords, genericNouns, genericTerms, weakTerms } from './lexicon/stopTerms.js';
import { updateMarkers } from './lexicon/temporal.js';
import { ownershipTerms, placementVerbGroups, sharedDutyTerms, slotPrepositions } from './lexicon/verbs.js';

/** A term that a claim asserts. */
export interface ClaimTerm {
  readonly term: string;
  readonly surfaceForm: string;
  /** The class of a value, which excludes another of its class in the same slot; undefined for a plain word. */
  readonly valueClass: string | undefined;
  /** Set before the verb, where a statement names its subject. */
  readonly isBeforeVerb: boolean;
  /** Position among the tokens. */
  readonly position: number;
  /** Index of the clause, from 0. */
  readonly clauseIndex: number;
  /** Set for a verb, by its position: it is no subject or object. */
  readonly isVerb: boolean;
  /** 0-1: how well the term distinguishes subjects. */
  readonly weight: number;
}

/** A slot that a verb and its preposition open, with its value. */
export interface Slot {
  readonly preposition: string;
  /** One verb for all of a meaning; empty if it matches any verb. `use` does not exclude another use. */
  readonly verb: string;
  readonly subject: readonly string[];
  readonly value: readonly string[];
  /** The terms after the value in the same clause. */
  readonly context: readonly string[];
}

/** Words without order. They are sorted on first access: most bags differ in size already. */
export class BagOfWords {
  private readonly letterCount: number;
  private sortedText: string | undefined = undefined;

  constructor(readonly words: readonly string[]) {
    this.letterCount = words.reduce((sum, it) => sum + it.length, 0);
  }

  get isEmpty(): boolean {
    return this.words.length === 0;
  }

  /** The sorted words, joined by spaces. */
  get text(): string {
    return (this.sortedText ??= this.words.toSorted().join(' '));
  }

  equals(other: BagOfWords): boolean {
    return (
      this.words.length === other.words.length && this.letterCount === other.letterCount && this.text === other.text
    );
  }
}

/** A word of a claim, in its place. */
export interface ClaimWord {
  readonly term: string;
  /** Names or describes a thing: no verb, preposition or other word of grammar, and no marker of an update. */
  readonly isDescriptive: boolean;
}

/** A parsed sentence. */
export interface Claim {
  /** All words but ignorable ones, in order: two claims with the same sequence are the same. */
  readonly normalizedTokens: string;
  /** The words of `normalizedTokens`. */
  readonly words: readonly ClaimWord[];
  /** The same words without order and without light words. */
  readonly bag: BagOfWords;
  /** The asserted terms, in order, each once. */
  readonly assertedTerms: ReadonlyMap<string, ClaimTerm>;
  /** The asserted and negated terms, in order. */
  readonly allTerms: ReadonlyMap<string, ClaimTerm>;
  readonly modality: Modality | undefined;
  /** The asserted terms that are values. */
  readonly values: readonly ClaimTerm[];
  readonly negatedSpans: readonly NegatedSpan[];
  /** The restrictions of the claim by scope, asserted or negated: production, methods, unit tests. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Adds a value to the existing ones. */
  readonly isAdditive: boolean;
  /** Names one of several values. */
  readonly isPartitive: boolean;
  /** States a responsibility. */
  readonly isOwnership: boolean;
  /** States a duty that several can share at once: two people may review the same. */
  readonly isSharedDuty: boolean;
  /** Contains a marker of an update: now, moved, instead. */
  readonly isUpdate: boolean;
  /** Names a slot that holds one value: the main, the default, the name of. */
  readonly isSingleValued: boolean;
  readonly slot: Slot | undefined;
  /** The terms of the agent or responsible person; empty if there is none. */
  readonly agent: readonly string[];
}

/** Weights of terms: "page" rarely distinguishes two subjects, "runs" never does. */
export const termWeights = { specific: 1, weak: 0.5, generic: 0.2 } as const;

/** Value classes of predicates, which do not distinguish subjects. */
const predicateClasses = new Set([
  'on or off',
  'allowed or forbidden',
  'required or optional',
  'needed or skipped',
  'frequency',
  'who may',
  'effort',
  'scope:bound',
  'scope:speaker',
  'scope:order',
]);

/** Parses one sentence. Linear. */
export function parseClaim(sentence: string): Claim {
  const tokens = tokenizeSentence(sentence);
  let flags = 0;
  for (const it of tokens) flags |= flagsOf(it);
  const isOwnership = (flags & flag.ownership) !== 0;
  const isNaming = (flags & flag.naming) !== 0;
  const startsWithSpeaker = tokens.length > 1 && tokens[1]!.word === ':' && hasFlag(tokens[0], flag.givenName);
  for (let i = 0; i < tokens.length; i++) {
    const it = tokens[i]!;
    if (i === 0 && startsWithSpeaker) tokens[0] = it.withTerm(it.word, 'scope:speaker');
    else if (isProperName(it, i, isOwnership)) tokens[i] = it.asName();
  }
  const verbIndex = findMainVerb(tokens);
  const { negatedPositions, spans: negatedSpans } =
    (flags & flag.mayNegate) === 0 ? noNegation : findNegations(tokens, it => weightOf(it) > termWeights.generic);
  const words: ClaimWord[] = [];
  const bag: string[] = [];
  const allTerms = new Map<string, ClaimTerm>();
  // Without a negation, which is the common case, both are one map.
  const assertedTerms = negatedPositions.size === 0 ? allTerms : new Map<string, ClaimTerm>();
  let scopes: Map<string, Set<string>> | undefined;
  let clauseIndex = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const { term, valueClass, surfaceForm } = token;
    const tokenFlags = flagsOf(token);
    if ((tokenFlags & (flag.clauseEnd | flag.reason)) !== 0 && !continuesSubject(tokens, i)) clauseIndex++;
    if (token.isPunctuation) continue;
    const isNegator = (tokenFlags & flag.negator) !== 0;
    if ((tokenFlags & flag.ignorable) === 0) {
      const normalizedWord = isNegator ? 'not' : term;
      words.push({ term: normalizedWord, isDescriptive: !isNegator && isDescriptiveAt(tokens, i) });
      if ((tokenFlags & flag.light) === 0) bag.push(normalizedWord);
    }
    if (isNegator || (valueClass === undefined && (tokenFlags & flag.stopWord) !== 0)) continue;
    if (valueClass !== undefined && (tokenFlags & flag.scope) !== 0) {
      scopes ??= new Map();
      // The scope of "function argument names" is arguments.
      if (tokens[i - 1]?.valueClass === valueClass) scopes.get(valueClass)?.delete(tokens[i - 1]!.term);
      scopes.set(valueClass, (scopes.get(valueClass) ?? new Set()).add(term));
    }
    let claimTerm = allTerms.get(term);
    if (claimTerm === undefined) {
      const weight = weightOf(token);
      claimTerm = {
        term,
        surfaceForm,
        valueClass,
        position: i,
        isBeforeVerb: i < verbIndex,
        isVerb: isVerbAt(tokens, i),
        clauseIndex,
        weight,
      };
      allTerms.set(term, claimTerm);
    }
    if (assertedTerms !== allTerms) {
      if (negatedPositions.has(i) || assertedTerms.has(term)) continue;
      assertedTerms.set(term, claimTerm);
    }
  }
  const values: ClaimTerm[] = [];
  for (const it of assertedTerms.values())
    if (it.valueClass !== undefined && !it.valueClass.startsWith('scope:')) values.push(it);
  return {
    normalizedTokens: words.map(it => it.term).join(' '),
    words,
    bag: new BagOfWords(bag),
    assertedTerms,
    allTerms,
    modality: (flags & flag.modality) === 0 ? undefined : detectModality(tokens),
    values,
    negatedSpans,
    scopes: scopes ?? noScopes,
    isAdditive: (flags & flag.additive) !== 0,
    isPartitive: (flags & flag.partitive) !== 0,
    isOwnership,
    isSharedDuty: isOwnership && tokens.every(it => !hasFlag(it, flag.ownership) || sharedDutyTerms.has(it.word)),
    isUpdate: (flags & flag.update) !== 0,
    isSingleValued:
      (flags & flag.singleValued) !== 0 ||
      (isNaming && tokens.some((it, i) => hasFlag(it, flag.naming) && tokens[i + 1]?.valueClass === 'name')),
    slot: (flags & (flag.using | flag.placement)) === 0 ? undefined : findSlot(tokens, verbIndex),
    agent: isOwnership || (flags & flag.by) !== 0 ? findAgent(tokens, isOwnership) : noAgent,
  };
}
const noScopes: Claim['scopes'] = new Map();
const noAgent: Claim['agent'] = [];

/** Pronouns that stand for the subject of the clause before. */
const subjectPronouns = new Set('it its they their them he his him she her this that which'.split(' '));

/** Whether the clause after a comma speaks of the same subject: "invoices grew, it has two shards". */
function continuesSubject(tokens: readonly Token[], clauseEnd: number): boolean {
  const { word } = tokens[clauseEnd]!;
  return (word === ',' || word === ';') && subjectPronouns.has(tokens[clauseEnd + 1]?.word ?? '');
}

/** Words of grammar: what they say shows in the words around them. */
const grammaticalFlags = flag.auxiliary | flag.preposition | flag.update | flag.additive | flag.by | flag.using;

function isDescriptiveAt(tokens: readonly Token[], position: number): boolean {
  const token = tokens[position]!;
  if (token.valueClass !== undefined) return true;
  if (hasFlag(token, flag.stopWord | grammaticalFlags)) return false;
  const next = tokens[position + 1];
  const isVerbForm =
    hasFlag(token, flag.unambiguousVerb | flag.thirdPerson | flag.baseVerb | flag.placement) ||
    isVerbAt(tokens, position);
  if (!isVerbForm) return true;
  // "The read timeout", "the timeout of the write", "write latency averages": verbs that stand for things.
  const previous = tokens[position - 1];
  const isNounPhrase = hasFlag(previous, flag.determiner) || hasFlag(previous, flag.preposition);
  const isModifier = next !== undefined && weightOf(next) > termWeights.generic && !next.isPunctuation;
  return isNounPhrase || (isModifier && !hasFlag(previous, flag.beforeVerb) && hasVerbAfter(tokens, position + 1));
}

function hasVerbAfter(tokens: readonly Token[], position: number): boolean {
  return tokens.some(
    (it, i) =>
      i > position &&
      hasFlag(it, flag.auxiliary | flag.thirdPerson | flag.unambiguousVerb) &&
      !hasFlag(tokens[i - 1], flag.determiner),
  );
}

/** Whether a token is a verb by its position: "are exposed", "we hold". */
function isVerbAt(tokens: readonly Token[], position: number): boolean {
  const token = tokens[position]!;
  if (token.valueClass !== undefined) return false;
  const previous = tokens[position - 1];
  if (hasFlag(previous, flag.determiner)) return false;
  if (hasFlag(token, flag.unambiguousVerb)) return true;
  return (hasFlag(previous, flag.auxiliary) && hasFlag(token, flag.participle)) || hasFlag(previous, flag.beforeVerb);
}

/** The slot of a claim: the terms after a placement verb and its preposition ("endpoints are named with verbs") or after "use". */
function findSlot(tokens: readonly Token[], verbIndex: number): Slot | undefined {
  const clauseEnd = clauseEndAfter(tokens, verbIndex);
  const nextPreposition = (from: number): number => {
    const index = tokens.findIndex((it, i) => i >= from && i < clauseEnd && hasFlag(it, flag.preposition));
    return index < 0 ? clauseEnd : index;
  };
  const useIndex = tokens.findIndex((it, i) => i < clauseEnd && hasFlag(it, flag.using));
  if (useIndex >= 0) {
    const valueEnd = nextPreposition(useIndex + 1);
    const context = contentTerms(tokens.slice(valueEnd, clauseEnd));
    const termsBefore = contentTerms(tokens.slice(0, useIndex));
    const subject = termsBefore.length > 0 ? termsBefore : context;
    return {
      preposition: 'by',
      verb: 'use',
      subject,
      value: contentTerms(tokens.slice(useIndex + 1, valueEnd)),
      context: termsBefore.length > 0 ? context : [],
    };
  }
  if (!hasFlag(tokens[verbIndex], flag.placement)) return undefined;
  const prepositionIndex = nextPreposition(verbIndex + 1);
  if (prepositionIndex === clauseEnd) return undefined;
  const valueEnd = nextPreposition(prepositionIndex + 1);
  const verbs = tokens
    .slice(verbIndex, prepositionIndex)
    .filter((it, i) => !neutralVerbs.has(it.word) && (isVerbAt(tokens, verbIndex + i) || hasFlag(it, flag.placement)));
  return {
    preposition: slotPrepositions[tokens[prepositionIndex]!.word]!,
    verb: verbs.map(it => placementVerbGroups[it.word] ?? it.term).at(-1) ?? '',
    subject: contentTerms(tokens.slice(0, prepositionIndex)),
    value: contentTerms(tokens.slice(prepositionIndex + 1, valueEnd)),
    context: contentTerms(tokens.slice(valueEnd, clauseEnd)),
  };
}

/** Nouns for groups, which can be agents too. */
const groupNouns = new Set('team guild group squad board committee chapter vote bot crew'.split(' '));

/** Placement verbs without a meaning of their own. */
const neutralVerbs = new Set(
  'is are was were be get gets got go goes went come comes live lives sit sits belong happen happens moved found'.split(
    ' ',
  ),
);

/** The agent or responsible person of a claim: "by X", "X owns", "is owned by X", "belongs to X". */
function findAgent(tokens: readonly Token[], isOwnership: boolean): readonly string[] {
  const byIndex = tokens.findIndex(it => hasFlag(it, flag.by));
  if (byIndex >= 0) {
    const nameIndex = tokens.findIndex((it, i) => it.valueClass === 'name' && hasFlag(tokens[i - 1], flag.by));
    if (nameIndex >= 0) return [tokens[nameIndex]!.term];
    const groupIndex = tokens.findIndex((it, i) => i > byIndex && i < byIndex + 5 && groupNouns.has(it.word));
    if (groupIndex >= 0) return contentTerms(tokens.slice(byIndex + 1, groupIndex + 1)).slice(0, 2);
  }
  if (!isOwnership) return [];
  const ownershipIndex = tokens.findIndex(it => hasFlag(it, flag.ownership));
  if (ownershipIndex < 0 || clauseEndAfter(tokens, 0) < ownershipIndex) return [];
  const clauseEnd = clauseEndAfter(tokens, ownershipIndex);
  const prepositionIndex = tokens.findIndex(
    (it, i) => i > ownershipIndex && i < Math.min(clauseEnd, ownershipIndex + 4) && /^(?:by|to|with)$/u.test(it.word),
  );
  return contentTerms(
    prepositionIndex < 0 ? tokens.slice(0, ownershipIndex) : tokens.slice(prepositionIndex + 1, clauseEnd),
  );
}

function clauseEndAfter(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex((it, i) => i > from && hasFlag(it, flag.clauseEnd | flag.reason));
  return end < 0 ? tokens.length : end;
}

/** The terms of content words, without verbs. */
function contentTerms(tokens: readonly Token[]): string[] {
  const terms: string[] = [];
  for (const [i, it] of tokens.entries()) {
    if (weightOf(it) <= termWeights.generic || it.isPunctuation || hasFlag(it, flag.negator) || isVerbAt(tokens, i))
      continue;
    terms.push(it.term);
  }
  return terms;
}

function isProperName(token: Token, position: number, isOwnership: boolean): boolean {
  const { valueClass, word, surfaceForm, isQuoted } = token;
  if (valueClass === 'name') return true;
  if (valueClass !== undefined || isQuoted) return false;
  return (
    hasFlag(token, flag.givenName) ||
    (isOwnership &&
      position === 0 &&
      /^\p{Lu}\p{Ll}+$/u.test(surfaceForm) &&
      !hasFlag(token, flag.stopWord) &&
      !genericTerms.has(word) &&
      !word.endsWith('s') &&
      !hasFlag(token, flag.baseVerb))
  );
}

/** Weights by word, for words without a value class. */
const weightCache = new LRUCache<string, number>({ max: 10_000 });

function weightOf(token: Token): number {
  return (token.weight ??= weightOfToken(token));
}

function weightOfToken(token: Token): number {
  const { word, valueClass } = token;
  if (valueClass !== undefined) return predicateClasses.has(valueClass) ? termWeights.generic : termWeights.specific;
  const cached = weightCache.get(word);
  if (cached !== undefined) return cached;
  const weight = weightOfWord(token);
  if (word.length <= maxCachedWordLength) weightCache.set(word, weight);
  return weight;
}

function weightOfWord({ word, term }: Token): number {
  if (
    genericTerms.has(word) ||
    nonNegatingIdioms.has(word) ||
    updateMarkers.has(word) ||
    genericTerms.has(term) ||
    ownershipTerms.has(word) ||
    genericNouns.has(word) ||
    genericNouns.has(term) ||
    foreignStopWords.has(word) ||
    isStopWord(word)
  )
    return termWeights.generic;
  return weakTerms.has(word) || weakTerms.has(term) ? termWeights.weak : termWeights.specific;
}

/** Whether a verb form is a noun with its number, for after a noun in the singular it agrees with nothing: "load test 7". */
function isCountedNoun(tokens: readonly Token[], position: number): boolean {
  const previous = tokens[position - 1];
  return (
    tokens[position + 1]?.valueClass === 'number' &&
    previous !== undefined &&
    previous.valueClass !== 'number' &&
    !previous.word.endsWith('s') &&
    !hasFlag(previous, flag.beforeVerb)
  );
}

const ambiguousImperatives = new Set('name format'.split(' '));

/** Position of the main verb; 0 if it comes first or none is found. */
function findMainVerb(tokens: readonly Token[]): number {
  if (hasFlag(tokens[0], flag.unambiguousVerb) || ambiguousImperatives.has(tokens[0]?.word ?? '')) return 0;
  const mayBeMainVerb = (it: Token, i: number): boolean =>
    hasFlag(it, flag.auxiliary) ||
    (i > 0 &&
      !hasFlag(tokens[i - 1], flag.determiner) &&
      (hasFlag(it, flag.thirdPerson) ||
        it.word === 'need' ||
        (i < 4 && it.valueClass === undefined && hasFlag(it, flag.baseVerb) && !isCountedNoun(tokens, i))));
  // "Access logs are": a candidate right before an auxiliary is a noun.
  const mainVerb = tokens.findIndex(
    (it, i) =>
      mayBeMainVerb(it, i) && (hasFlag(it, flag.auxiliary) || !hasFlag(tokens[i + 1], flag.auxiliary | flag.placement)),
  );
  // "Ticket 12 blocked the release".
  const pastVerb = tokens.findIndex(
    (it, i) =>
      i > 0 &&
      hasFlag(it, flag.unambiguousVerb) &&
      !hasFlag(tokens[i - 1], flag.determiner) &&
      !isCountedNoun(tokens, i),
  );
  const isCounted = tokens.slice(0, Math.max(0, pastVerb)).some(it => it.valueClass === 'number');
  if (isCounted && (mainVerb < 0 || pastVerb < mainVerb)) return pastVerb;
  if (mainVerb >= 0) return mainVerb;
  const placementVerb = tokens.findIndex((it, i) => i > 0 && hasFlag(it, flag.placement));
  // "The ferry leaves from Oslo": a verb by its position and ending.
  const verbByForm = tokens.findIndex(
    (it, i) =>
      i > 0 &&
      it.valueClass === undefined &&
      /^\p{Ll}+[^s\P{Ll}]s$/u.test(it.surfaceForm) &&
      hasFlag(tokens[i + 1], flag.preposition),
  );
  return Math.max(0, placementVerb >= 0 ? placementVerb : verbByForm);
}
