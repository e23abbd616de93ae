import { analyzeText, isStopWord } from './analyzer.js';
import { chineseVariants } from './chineseVariants.js';
import { chineseWords } from './chineseWords.js';
import { toolsByCategory } from './developerTools.js';
import { relatedWords, synonyms } from './developerVocabulary.js';
import { everydayWords } from './everydayWords.js';

/** Another way to say a word or phrase of a question, which weighs less than the words themselves. */
export interface WordVariant {
  /** Terms of the question that it stands for. */
  readonly of: readonly string[];
  /** Terms that a text has if it says it so. */
  readonly terms: readonly string[];
  /** 0-1. */
  readonly weight: number;
}

interface Phrase {
  /** Terms in order, with stop words. */
  readonly sequence: readonly string[];
  readonly variants: readonly Omit<WordVariant, 'of'>[];
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
    for (const { sequence, variants } of phrasesByTerm.get(term) ?? []) {
      if (!sequence.every((it, offset) => terms[i + offset] === it)) continue;
      const of = sequence.filter(it => !isStopWord(it));
      for (const it of variants) if (!it.terms.every(term => own.has(term))) found.push({ of, ...it });
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

function indexVocabulary(): ReadonlyMap<string, readonly Phrase[]> {
  const variants = new Map<string, Map<string, Omit<WordVariant, 'of'>>>();
  const link = (from: string, to: string, weight: number): void => {
    const terms = toTerms(to);
    if (from === to || terms === undefined) return;
    const ofPhrase = variants.get(from) ?? new Map<string, Omit<WordVariant, 'of'>>();
    variants.set(from, ofPhrase);
    if ((ofPhrase.get(to)?.weight ?? 0) < weight) ofPhrase.set(to, { terms, weight });
  };
  const linkAll = (groups: readonly string[], weight: number): void => {
    for (const group of groups) {
      const words = group.split(', ');
      for (const from of words) for (const to of words) link(from, to, weight);
    }
  };
  linkAll(synonyms, weights.synonym);
  linkAll(chineseWords, weights.synonym);
  linkAll(relatedWords, weights.related);
  linkAll(everydayWords, weights.related);
  for (const [category, tools] of Object.entries(toolsByCategory)) {
    for (const name of category.split(', ')) {
      for (const tool of tools.split(', ')) {
        link(name, tool, weights.tool);
        link(tool, name, weights.tool);
      }
    }
  }
  const byTerm = new Map<string, Phrase[]>();
  for (const [phrase, ofPhrase] of variants) {
    const sequence = phrase.split(' ').flatMap(termsOfWord);
    byTerm.set(sequence[0]!, [...(byTerm.get(sequence[0]!) ?? []), { sequence, variants: [...ofPhrase.values()] }]);
  }
  return byTerm;
}

/** One term, the whole of an identifier; all pairs of a Chinese word. */
function termsOfWord(word: string): readonly string[] {
  const terms = analyzeText(word);
  return /^\p{Script=Han}+$/u.test(word) ? terms.filter(it => it.length > 1) : [terms[0] ?? word];
}

/** The terms by which a phrase is found; undefined where a stop word carries its meaning (sign off, on call). */
function toTerms(phrase: string): readonly string[] | undefined {
  const terms = phrase.split(' ').flatMap(termsOfWord);
  return terms.some(isStopWord) ? undefined : terms;
}
