import type { Memory } from '../model/memory.js';
import { readsAsPersonal } from './personCues.js';

/** Whether a global memory reads as if it were true of one project only. A guess that a person decides about. */
export function looksLikeProjectFact({
  content,
  gate,
  provenance,
}: Pick<Memory, 'content' | 'gate' | 'provenance'>): boolean {
  return (
    provenance.uri !== undefined ||
    (![english, ...ofOnePerson].some(it => it.test(content)) && (gate === 'promissory' || !readsAsPersonal(content)))
  );
}

/**
 * Whether a text or a tag speaks of one person, such as "I squash my merges", in one of the languages that are known here.
 * Linear, never throws.
 */
export function speaksOfOnePerson({ content, tags }: Pick<Memory, 'content' | 'tags'>): boolean {
  const spoken = languages.filter(([several]) => several.test(content)).map(([, one]) => one);
  const all = [content, ...tags].join('\n');
  return [...ofOnePerson, ...spoken].some(it => it.test(all));
}

/** English "I", and not that of "I/O" and "i.e.". */
const english = words('i(?!/|\\.e\\b)|my|me|mine|myself');

/** Words of a person about themselves that mean nothing else in another of the languages. */
const ofOnePerson: readonly RegExp[] = [
  words('I(?!/|\\.)', 'u'),
  words(
    'my|mine|myself|ich|mich|mein(?:e[mnrs]?)?|moi|je préfère|yo|prefiero|quiero|me gusta|preferisco|voglio|eu prefiro|prefiro|quero|minhas?|meus|ik|mijn',
  ),
  words('я|меня|мне|мной|мо(?:й|я|ё|е|и|его|ему|ей|ю|их|им|ими)|предпочитаю|хочу'),
  /我(?![们們々])|(?:私|僕|俺)(?!たち|達|ら|有|立|的)/u,
];

/** By language the words of several people, and those of one, which may mean something else in another language. */
const languages: readonly (readonly [several: RegExp, one: RegExp])[] = [
  // Not the country.
  [words("[Ww]e(?:'(?:re|ve|ll|d))?|WE|us|[Oo]urs?|OURS?", 'u'), english],
  [words('wir|uns|unser(?:e[mnrs]?)?'), words('mir')],
  [words('nous|notre|nos'), words("je|j['’]\\p{L}+|me|m['’]\\p{L}+|mon|ma|mes|mien(?:ne)?s?")],
  [words('nosotr[ao]s|nuestr[ao]s?|nos'), words('mis?|mí[ao]?s?|me|conmigo')],
  [words('noi|nostr[oaie]'), words('io|mi|mi[oae]|miei|me')],
  [words('nós|noss[ao]s?'), words('eu|meu|mim|me|comigo')],
  [words('wij|ons|onze'), words('mij|me')],
  [words('мы|нас|нам|нами|наш\\p{L}{0,4}'), words('я')],
  [/[我咱][们們]|本项目|本項目|團隊|团队/u, /我(?![们們々])/u],
  [/(?:私|僕|俺)(?:たち|達|ら)|我々|弊社/u, /自分/u],
];

function words(alternatives: string, flags = 'iu'): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives})(?![\\p{L}\\p{N}_])`, flags);
}
