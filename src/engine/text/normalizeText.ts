import { sanitizeText } from './validateText.js';
import { splitReportingPhrase } from './reportedSpeech.js';

/** Default length of a one-line summary, in code points: fits a tree row and a line of CLAUDE.md. */
const defaultSummaryLength = 120;

const negationContractions: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b|\bcannot\b/g, 'can not'],
  [/\bshan't\b/g, 'shall not'],
  [/\b([a-z]+)n't\b/g, '$1 not'],
  [/\b(do|does|did|is|are|was|were|has|have|had|would|could|should|wo)nt\b(?!')/g, '$1 not'],
];
const contractions: readonly (readonly [RegExp, string])[] = [
  ...negationContractions,
  [/\b(it|that|he|she|there|what|who)'s\b/g, '$1 is'],
  [/\b(i)'m\b/g, '$1 am'],
  [/\b(we|they|you)'re\b/g, '$1 are'],
  [/\b(i|we|they|you)'ve\b/g, '$1 have'],
  [/\b([a-z]+)'ll\b/g, '$1 will'],
];

/**
 * Verbs by their third person, so that "the user prefers tabs", "user prefers tabs", "prefers tabs" and "I prefer tabs"
 * normalize to one fact. A table, because the base form of an arbitrary verb cannot be derived safely.
 */
const personalVerbs = new Map(
  'prefer like love hate dislike use want need work live write run choose avoid expect switch'
    .split(' ')
    .map(verb => [verb.endsWith('ch') ? `${verb}es` : `${verb}s`, verb] as const),
);

/**
 * The canonical form of a fact: two texts with the same canonical form are the same fact.
 *
 * Case, white space, line ends, quote marks and dashes, Markdown emphasis, contractions, surrounding and trailing
 * punctuation and a leading reporting phrase do not matter; "I", "the user" and no subject are one person. Words,
 * their order, negations, numbers, and the case of words with an underscore (DATABASE_URL) do. Linear, never throws.
 */
export function normalizeText(text: string): string {
  const flat = sanitizeText(text)
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201A\u201B\u2032\u00B4]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/["\u201C-\u201F\u00AB\u00BB\u2033`]/g, '')
    .replace(/\*{2,3}/g, '')
    .replace(/^[ \t]{0,20}(?:[-*+•]|\d{1,3}[.)])[ \t]+/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  let form = lowerCaseWords(splitReportingPhrase(flat).rest);
  if (/'|nt\b|cannot/.test(form)) for (const [pattern, long] of contractions) form = form.replace(pattern, long);
  form = form
    .replace(/(^|\s)[("'[]+(?=[\p{L}\p{N}])/gu, '$1')
    .replace(/(?<=[\p{L}\p{N}])[)"'\]]+(?=\s|$)/gu, '')
    .replace(/(?<![,;!?…])[,;!?…]+(?=\s|$)|[.:]{1,9}(?=\s|$)/g, '')
    .replace(/\s-\s/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return stripUserSubject(form);
}

/**
 * One line for lists: Markdown and line breaks removed, cut at a word boundary with "…" so that the whole has at most
 * `maxLength` code points (at least 2). Never splits a character. Linear, never throws.
 */
export function toSingleLineSummary(text: string, maxLength: number = defaultSummaryLength): string {
  // A summary never needs more of a long text than this; the factor leaves room for the Markdown that is removed.
  const head = sanitizeText(text.slice(0, maxLength * 20));
  const line = head
    .replace(/^[ \t]{0,20}(?:```|~~~)[^\n]{0,40}$/gm, '')
    .replace(/^\s{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)/gm, '')
    .replace(/!?\[([^\]\n]{0,300})\]\([^)\s]{0,500}\)/g, '$1')
    .replace(/(?<![\p{L}\p{N}/*])(\*{1,3}|~~)(?=\S)([^*~\n]{1,400}?)\1(?![\p{L}\p{N}/*])/gu, '$2')
    .replace(/`+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= maxLength) return line;
  const cut = characters.slice(0, Math.max(1, maxLength - 1)).join('');
  const next = characters[Math.max(1, maxLength - 1)];
  const boundary = next === ' ' ? cut.length : cut.lastIndexOf(' ');
  // A text without spaces (a path, Chinese) is cut at the limit.
  const shortened = boundary > cut.length / 2 ? cut.slice(0, boundary) : cut;
  return `${shortened.replace(/[\s,;:.–—-]+$/u, '')}…`;
}

/** Lower case, except words with an underscore and words that differ only by case within the text. */
function lowerCaseWords(text: string): string {
  if (!/_|[^ ]\p{Lu}/u.test(text)) return text.toLowerCase();
  const words = text.split(' ');
  const forms = new Map<string, Set<string>>();
  for (const word of words.map(stripPunctuation)) {
    const lower = word.toLowerCase();
    forms.set(lower, (forms.get(lower) ?? new Set()).add(word));
  }
  const keepsCase = (word: string): boolean => {
    if (/[\p{L}\p{N}]_|_[\p{L}\p{N}]/u.test(word)) return true;
    const written = forms.get(stripPunctuation(word).toLowerCase());
    return written !== undefined && written.size > 1 && [...written].some(form => /.\p{Lu}/u.test(form));
  };
  return words.map(word => (keepsCase(word) ? word : word.toLowerCase())).join(' ');
}

function stripPunctuation(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}

/** Drops the user as the subject: "the user prefers", "prefers" and "i prefer" all become "prefer". */
function stripUserSubject(form: string): string {
  const user = /^(?:the |this )?user (?:(always|usually|never|really|generally|mostly) )?/.exec(form);
  const self = /^i (?=[a-z])/.exec(form);
  if (self) return form.slice(self[0].length);
  const rest = user ? form.slice(user[0].length) : form;
  const [verb = ''] = rest.split(' ', 1);
  const plain = personalVerbs.get(verb);
  if (plain === undefined) return form;
  const adverb = user?.[1] === undefined ? '' : `${user[1]} `;
  return `${adverb}${plain}${rest.slice(verb.length)}`;
}
