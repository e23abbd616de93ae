import { analyzeText, isStopWord, stem } from './analyzer.js';
import { chineseVariants } from './chineseVariants.js';
import { chineseWords, everydayWords, relatedWords, synonyms, toolsByCategory } from './vocabulary.js';

/** Another way to say a word or phrase of a question, which weighs less than the words themselves. */
export interface WordVariant {
  /** Terms of the question that it stands for. */
  readonly of: readonly string[];
  /** Terms that a text has if it says it so. */
  readonly terms: readonly string[];
  /** 0-1. */
  readonly weight: number;
}

/** A phrase of the vocabulary, with what else its groups say for it. */
interface Phrase {
  readonly words: string;
  readonly groups: readonly PhraseGroup[];
}

interface PhraseGroup {
  readonly phrases: readonly string[];
  /** 0-1. */
  readonly weight: number;
}

/** Chosen on both worlds of `npm run bench -- assistant`, of four sets; half of these lose 3 points of recall. */
const weights = { synonym: 0.7, tool: 0.5, related: 0.3, inflection: 0.7, script: 0.9 } as const;

/** By the first term of the phrase; made at the first use. */
let phrasesByTerm: ReadonlyMap<string, readonly Phrase[]> | undefined;

/** Variants of the words of a question: by the developers' vocabulary, by inflection, and in the other Chinese script. */
export function findWordVariants(question: string): readonly WordVariant[] {
  phrasesByTerm ??= indexVocabulary();
  const terms = analyzeText(question);
  const own = new Set(terms);
  const found: WordVariant[] = [];
  for (const [i, term] of terms.entries()) {
    for (const { words, groups } of phrasesByTerm.get(term) ?? []) {
      const sequence = words.split(' ').flatMap(termsOfWord);
      if (!sequence.every((it, offset) => terms[i + offset] === it)) continue;
      const of = sequence.filter(it => !isStopWord(it));
      for (const it of toVariants(groups)) if (!it.terms.every(term => own.has(term))) found.push({ of, ...it });
    }
    if (isStopWord(term)) continue;
    for (const it of inflect(term)) {
      if (!own.has(it)) found.push({ of: [term], terms: [it], weight: weights.inflection });
    }
    for (const it of chineseVariants(term)) {
      if (!own.has(it)) found.push({ of: [term], terms: [it], weight: weights.script });
    }
  }
  return found;
}

/** Stems that Porter keeps apart although they are of one word: deploy (deploi) and deployment, lint and linter. */
export function inflect(term: string): readonly string[] {
  if (!/^[a-z]{3,}$/.test(term)) return [];
  const stems: string[] = [];
  const last = term.at(-1)!;
  if (last === 'i') stems.push(`${term.slice(0, -1)}y`, term.slice(0, -1));
  else if (last === 'y') stems.push(`${term.slice(0, -1)}i`);
  else stems.push(`${term}i`);
  // Porter drops the er of deliver, and not that of delivery.
  if (term.endsWith('eri')) stems.push(term.slice(0, -3));
  else if (term.length >= minDeliveryLength) stems.push(`${term}eri`);
  const agent = /^(.{3,})(?:er|or)$/.exec(term)?.[1];
  if (agent !== undefined) {
    if (!unrelatedAgents.has(term)) stems.push(agent, agent.replace(/(.)\1$/, '$1'));
  } else if (term.length <= maxVerbLength && !unrelatedVerbs.has(term)) {
    stems.push(`${term}er`, `${term}or`, `${term}${last}er`);
  }
  // Porter drops ize and keeps the British ise.
  if (term.length >= minSpellingLength) stems.push(term.endsWith('is') ? term.slice(0, -2) : `${term}is`);
  return [...new Set(stems)].filter(it => it !== term && !isStopWord(it));
}

/** Words of this form that do not name who or what does it. */
const unrelatedAgents = new Set(
  'user number order paper power letter header server matter offer later never'.split(' '),
);
const unrelatedVerbs = new Set([...unrelatedAgents].map(it => it.replace(/er$/, '')));
/** Of a stem that an agent noun is made of. */
const maxVerbLength = 8;
const minSpellingLength = 5;
const minDeliveryLength = 5;

/** Analyzes the first word of each phrase alone: a process that lives for one question pays for all of it. */
function indexVocabulary(): ReadonlyMap<string, readonly Phrase[]> {
  const groupsByPhrase = new Map<string, PhraseGroup[]>();
  const add = (phrase: string, phrases: readonly string[], weight: number): void => {
    const others = phrases.filter(it => it !== phrase);
    if (others.length === 0) return;
    const groups = groupsByPhrase.get(phrase);
    if (groups === undefined) groupsByPhrase.set(phrase, [{ phrases: others, weight }]);
    else groups.push({ phrases: others, weight });
  };
  const addAll = (groups: readonly string[], weight: number): void => {
    for (const group of groups) {
      const phrases = group.split(', ');
      for (const it of phrases) add(it, phrases, weight);
    }
  };
  addAll(synonyms, weights.synonym);
  addAll(chineseWords, weights.synonym);
  addAll(relatedWords, weights.related);
  addAll(everydayWords, weights.related);
  for (const [category, list] of Object.entries(toolsByCategory)) {
    const [names, tools] = [category.split(', '), list.split(', ')];
    for (const it of names) add(it, tools, weights.tool);
    for (const it of tools) add(it, names, weights.tool);
  }
  const byTerm = new Map<string, Phrase[]>();
  for (const [words, groups] of groupsByPhrase) {
    const [first] = termsOfWord(words.split(' ', 1)[0]!);
    const known = byTerm.get(first!);
    if (known === undefined) byTerm.set(first!, [{ words, groups }]);
    else known.push({ words, groups });
  }
  return byTerm;
}

/** The other phrases of the groups, each with its highest weight. */
function toVariants(groups: readonly PhraseGroup[]): readonly Omit<WordVariant, 'of'>[] {
  const variants = new Map<string, Omit<WordVariant, 'of'>>();
  for (const { phrases, weight } of groups) {
    for (const phrase of phrases) {
      const terms = toTerms(phrase);
      if (terms !== undefined && (variants.get(phrase)?.weight ?? 0) < weight) variants.set(phrase, { terms, weight });
    }
  }
  return [...variants.values()];
}

/** One term, the whole of an identifier; all pairs of a Chinese word. */
function termsOfWord(word: string): readonly string[] {
  // Nearly all of them, and as `analyzeText` has it.
  if (/^[a-z]+$/.test(word)) return [stem(word)];
  const terms = analyzeText(word);
  return /^\p{Script=Han}+$/u.test(word) ? terms.filter(it => it.length > 1) : [terms[0] ?? word];
}

/** The terms by which a phrase is found; undefined where a stop word carries its meaning (sign off, on call). */
function toTerms(phrase: string): readonly string[] | undefined {
  const terms = phrase.split(' ').flatMap(termsOfWord);
  return terms.some(isStopWord) ? undefined : terms;
}
