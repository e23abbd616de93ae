import { LRUCache } from 'lru-cache';
import { isStopWord, longestKept } from '../text/terms.js';
import { attributes, foreign } from './commonWords.js';
import { deniedIn, nothingDenied, type Denial } from './denials.js';
import { isMarked, mark, marksOf } from './marks.js';
import { stanceOf, type Stance } from './stance.js';
import type { Token } from './token.js';
import { tokensOf } from './tokens.js';
import { generic, idioms, ownership, placingGroups, slotPrepositions, updating, weak } from './words.js';

/** A term that a claim asserts. */
export interface Term {
  readonly term: string;
  readonly written: string;
  /** The class of a value, which excludes another of its class in the same slot; undefined for a plain word. */
  readonly kind: string | undefined;
  /** It stands before the verb, where a statement names what it speaks of. */
  readonly isEarly: boolean;
  /** Position among the tokens. */
  readonly at: number;
  /** Which part of the sentence it stands in, from 0. */
  readonly part: number;
  /** A verb by its place: it tells what is done, not to what. */
  readonly isVerb: boolean;
  /** 0-1: how well it tells subjects apart. */
  readonly weight: number;
}

/** What fills the one place that a verb and its preposition open; each a list of terms. */
export interface Slot {
  readonly preposition: string;
  /** What is done there, one word for all of a meaning; empty where any may be meant; `use` takes back no other use. */
  readonly verb: string;
  readonly subject: readonly string[];
  readonly filling: readonly string[];
  /** What follows in the same part. */
  readonly rest: readonly string[];
}

/** Words in no order. They are sorted when somebody asks: most bags differ in how much they hold. */
export class Bag {
  private readonly letters: number;
  private sorted: string | undefined = undefined;

  constructor(readonly words: readonly string[]) {
    this.letters = words.reduce((sum, it) => sum + it.length, 0);
  }

  get isEmpty(): boolean {
    return this.words.length === 0;
  }

  /** In the order of the alphabet. */
  get text(): string {
    return (this.sorted ??= this.words.toSorted().join(' '));
  }

  holdsTheSameAs(other: Bag): boolean {
    return this.words.length === other.words.length && this.letters === other.letters && this.text === other.text;
  }
}

/** One sentence, read. */
export interface Claim {
  /** All words that matter, in order: two claims of the same sequence say the same. */
  readonly sequence: string;
  /** The same words in no order, without light ones. */
  readonly bag: Bag;
  /** What it asserts, in order, each term once. */
  readonly terms: ReadonlyMap<string, Term>;
  /** What it asserts or denies, in order. */
  readonly spoken: ReadonlyMap<string, Term>;
  /** Whether it orders, allows, forbids or excuses. */
  readonly stance: Stance | undefined;
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
  /** Where or how its subject is said to be. */
  readonly slot: Slot | undefined;
  /** Who is in charge, where it says so. */
  readonly agent: readonly string[];
}

/** How much terms count: a word like "page" seldom tells two subjects apart, a verb like "runs" never. */
export const weights = { specific: 1, weak: 0.5, generic: 0.2 } as const;

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
  const tokens = tokensOf(sentence);
  let marks = 0;
  for (const it of tokens) marks |= marksOf(it);
  const isOwnership = (marks & mark.ownership) !== 0;
  const isNaming = (marks & mark.naming) !== 0;
  const speaks = tokens.length > 1 && tokens[1]!.word === ':' && isMarked(tokens[0], mark.givenName);
  for (let i = 0; i < tokens.length; i++) {
    const it = tokens[i]!;
    if (i === 0 && speaks) tokens[0] = it.as(it.word, 'scope:speaker');
    else if (isName(it, i, isOwnership)) tokens[i] = it.asName();
  }
  const verb = verbOf(tokens);
  const { denied, denials } =
    (marks & mark.mayDeny) === 0 ? nothingDenied : deniedIn(tokens, it => weightOf(it) > weights.generic);
  const sequence: string[] = [];
  const bag: string[] = [];
  const spoken = new Map<string, Term>();
  // Most deny nothing.
  const terms = denied.size === 0 ? spoken : new Map<string, Term>();
  let scopes: Map<string, Set<string>> | undefined;
  let part = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const { term, kind, written } = token;
    const its = marksOf(token);
    if ((its & (mark.partEnd | mark.reason)) !== 0) part++;
    if (token.isPunctuation) continue;
    const isDenying = (its & mark.denying) !== 0;
    if ((its & mark.harmless) === 0) {
      const said = isDenying ? 'not' : term;
      sequence.push(said);
      if ((its & mark.light) === 0) bag.push(said);
    }
    if (isDenying || (kind === undefined && (its & mark.stopWord) !== 0)) continue;
    if (kind !== undefined && (its & mark.scope) !== 0) {
      scopes ??= new Map();
      // "Function argument names" are of arguments.
      if (tokens[i - 1]?.kind === kind) scopes.get(kind)?.delete(tokens[i - 1]!.term);
      scopes.set(kind, (scopes.get(kind) ?? new Set()).add(term));
    }
    let known = spoken.get(term);
    if (known === undefined) {
      const weight = weightOf(token);
      known = { term, written, kind, at: i, isEarly: i < verb, isVerb: isVerb(tokens, i), part, weight };
      spoken.set(term, known);
    }
    if (terms !== spoken) {
      if (denied.has(i) || terms.has(term)) continue;
      terms.set(term, known);
    }
  }
  const values: Term[] = [];
  for (const it of terms.values()) if (it.kind !== undefined && !it.kind.startsWith('scope:')) values.push(it);
  return {
    sequence: sequence.join(' '),
    bag: new Bag(bag),
    terms,
    spoken,
    stance: (marks & mark.stance) === 0 ? undefined : stanceOf(tokens),
    values,
    denials,
    scopes: scopes ?? noScopes,
    isAdditive: (marks & mark.additive) !== 0,
    isHaving: (marks & mark.having) !== 0,
    isOwnership,
    isUpdate: (marks & mark.updating) !== 0,
    isSingle:
      (marks & mark.single) !== 0 ||
      (isNaming && tokens.some((it, i) => isMarked(it, mark.naming) && tokens[i + 1]?.kind === 'name')),
    slot: (marks & (mark.using | mark.placing)) === 0 ? undefined : slotOf(tokens, verb),
    agent: isOwnership || (marks & mark.by) !== 0 ? agentOf(tokens, isOwnership) : nobody,
  };
}
const noScopes: Claim['scopes'] = new Map();
const nobody: Claim['agent'] = [];

/** "Are exposed", "we hold". */
function isVerb(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!;
  if (token.kind !== undefined) return false;
  if (isMarked(token, mark.act)) return true;
  const before = tokens[at - 1];
  return (isMarked(before, mark.auxiliary) && isMarked(token, mark.participle)) || isMarked(before, mark.beforeVerb);
}

/** "Endpoints are named with verbs": what follows the preposition of such a verb fills one slot; so does what is used. */
function slotOf(tokens: readonly Token[], verb: number): Slot | undefined {
  const end = partEnd(tokens, verb);
  const next = (from: number): number => {
    const found = tokens.findIndex((it, i) => i >= from && i < end && isMarked(it, mark.preposition));
    return found < 0 ? end : found;
  };
  const using = tokens.findIndex((it, i) => i < end && isMarked(it, mark.using));
  if (using >= 0) {
    const to = next(using + 1);
    const rest = tellingOf(tokens.slice(to, end));
    const before = tellingOf(tokens.slice(0, using));
    const subject = before.length > 0 ? before : rest;
    return {
      preposition: 'by',
      verb: 'use',
      subject,
      filling: tellingOf(tokens.slice(using + 1, to)),
      rest: before.length > 0 ? rest : [],
    };
  }
  if (!isMarked(tokens[verb], mark.placing)) return undefined;
  const at = next(verb + 1);
  if (at === end) return undefined;
  const to = next(at + 1);
  const verbs = tokens
    .slice(verb, at)
    .filter((it, i) => !neutral.has(it.word) && (isVerb(tokens, verb + i) || isMarked(it, mark.placing)));
  return {
    preposition: slotPrepositions[tokens[at]!.word]!,
    verb: verbs.map(it => placingGroups[it.word] ?? it.term).at(-1) ?? '',
    subject: tellingOf(tokens.slice(0, at)),
    filling: tellingOf(tokens.slice(at + 1, to)),
    rest: tellingOf(tokens.slice(to, end)),
  };
}

/** Who is no single person. */
const groups = new Set('team guild group squad board committee chapter vote bot crew'.split(' '));

/** They say no more than that it is so. */
const neutral = new Set(
  'is are was were be get gets got go goes went come comes live lives sit sits belong happen happens moved found'.split(
    ' ',
  ),
);

/** Who does it or is in charge: "by X", "X owns", "is owned by X", "belongs to X". */
function agentOf(tokens: readonly Token[], isOwnership: boolean): readonly string[] {
  const by = tokens.findIndex(it => isMarked(it, mark.by));
  if (by >= 0) {
    const name = tokens.findIndex((it, i) => it.kind === 'name' && isMarked(tokens[i - 1], mark.by));
    if (name >= 0) return [tokens[name]!.term];
    const group = tokens.findIndex((it, i) => i > by && i < by + 5 && groups.has(it.word));
    if (group >= 0) return tellingOf(tokens.slice(by + 1, group + 1)).slice(0, 2);
  }
  if (!isOwnership) return [];
  const verb = tokens.findIndex(it => isMarked(it, mark.ownership));
  if (verb < 0 || partEnd(tokens, 0) < verb) return [];
  const end = partEnd(tokens, verb);
  const to = tokens.findIndex((it, i) => i > verb && i < Math.min(end, verb + 4) && /^(?:by|to|with)$/u.test(it.word));
  return tellingOf(to < 0 ? tokens.slice(0, verb) : tokens.slice(to + 1, end));
}

function partEnd(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex((it, i) => i > from && isMarked(it, mark.partEnd | mark.reason));
  return end < 0 ? tokens.length : end;
}

/** The terms of things, without verbs and words that tell nothing. */
function tellingOf(tokens: readonly Token[]): string[] {
  const terms: string[] = [];
  for (const [i, it] of tokens.entries()) {
    if (weightOf(it) <= weights.generic || it.isPunctuation || isMarked(it, mark.denying) || isVerb(tokens, i))
      continue;
    terms.push(it.term);
  }
  return terms;
}

function isName(token: Token, at: number, isOwnership: boolean): boolean {
  const { kind, word, written, isQuoted } = token;
  if (kind === 'name') return true;
  if (kind !== undefined || isQuoted) return false;
  return (
    isMarked(token, mark.givenName) ||
    (isOwnership &&
      at === 0 &&
      /^\p{Lu}\p{Ll}+$/u.test(written) &&
      !isMarked(token, mark.stopWord) &&
      !generic.has(word) &&
      !word.endsWith('s') &&
      !isMarked(token, mark.baseVerb))
  );
}

/** Of words without a class, whose term is always the same. */
const knownWeights = new LRUCache<string, number>({ max: 10_000 });

function weightOf(token: Token): number {
  return (token.weight ??= weightOfToken(token));
}

function weightOfToken(token: Token): number {
  const { word, kind } = token;
  if (kind !== undefined) return actions.has(kind) ? weights.generic : weights.specific;
  const known = knownWeights.get(word);
  if (known !== undefined) return known;
  const found = weightOfWord(token);
  if (word.length <= longestKept) knownWeights.set(word, found);
  return found;
}

function weightOfWord({ word, term }: Token): number {
  if (
    generic.has(word) ||
    idioms.has(word) ||
    updating.has(word) ||
    generic.has(term) ||
    ownership.has(word) ||
    attributes.has(word) ||
    attributes.has(term) ||
    foreign.has(word) ||
    isStopWord(word)
  )
    return weights.generic;
  return weak.has(word) || weak.has(term) ? weights.weak : weights.specific;
}

const imperatives = new Set('name format'.split(' '));

/** Where the verb of the first part stands; 0 where it comes first, or where none is found. */
function verbOf(tokens: readonly Token[]): number {
  if (isMarked(tokens[0], mark.act) || imperatives.has(tokens[0]?.word ?? '')) return 0;
  const isVerbAt = (it: Token, i: number): boolean =>
    isMarked(it, mark.auxiliary) ||
    (i > 0 &&
      !isMarked(tokens[i - 1], mark.determiner) &&
      (isMarked(it, mark.thirdPerson) ||
        it.word === 'need' ||
        (i < 4 && it.kind === undefined && isMarked(it, mark.baseVerb))));
  // "Access logs are": a noun stands before the verb.
  const found = tokens.findIndex(
    (it, i) =>
      isVerbAt(it, i) && (isMarked(it, mark.auxiliary) || !isMarked(tokens[i + 1], mark.auxiliary | mark.placing)),
  );
  if (found >= 0) return found;
  const placed = tokens.findIndex((it, i) => i > 0 && isMarked(it, mark.placing));
  // "The ferry leaves from Oslo": by its place and its ending.
  const leaves = tokens.findIndex(
    (it, i) =>
      i > 0 &&
      it.kind === undefined &&
      /^\p{Ll}+[^s\P{Ll}]s$/u.test(it.written) &&
      isMarked(tokens[i + 1], mark.preposition),
  );
  return Math.max(0, placed >= 0 ? placed : leaves);
}
