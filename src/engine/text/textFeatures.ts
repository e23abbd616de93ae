/** Features of a text that show which questions it can answer. Extracted once, when the text is indexed. */
export interface TextFeatures {
  /** The speaker of a conversation turn, in lower case: the name before a colon at the start. */
  readonly speaker: string | undefined;
  /** The text without the speaker. */
  readonly body: string;
  /** Bits of {@link featureFlag}. */
  readonly flags: number;
  /** Distinct capitalized words inside sentences, at most 255. */
  readonly properNouns: number;
}

/** Bits of {@link TextFeatures.flags}. */
export const featureFlag = {
  question: 1,
  endsWithQuestion: 2,
  /** A standing instruction: always, never, from now on, whenever I ask. */
  instruction: 4,
  /** Expresses a preference. */
  preference: 8,
  /** Names a day, a month or a period. */
  temporal: 16,
  /** Contains a number, in digits or as a word. */
  number: 32,
} as const;

/** Cues are searched in the head of a text, in UTF-16 units: later ones say little about the whole. */
const maxCueScanLength = 800;

const speakerPrefix = /^(\p{Lu}[\p{L}\p{N}.-]{0,30}(?: \p{Lu}[\p{L}\p{N}.-]{0,30})?): /u;
const instructionPattern =
  /^\W*(?:always|never|please (?:always|never)|don't ever|make sure (?:you|to) always|from now on|whenever|remember to)\b|\bwhen(?:ever)? I (?:ask|mention|talk|request)\b|\bfrom now on\b/iu;
const preferencePattern =
  /\bI(?:'d| would|'ve always| always| really| generally| usually| definitely| also)? ?(?:much )?(?:prefer(?:red)?\b|(?:like|want) to (?:avoid|stick))|\bmy preference\b|\bprefer\b/iu;
const temporalPattern =
  /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week(?:end)?s?|months?|years?|days?|january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning|recently|since|\d{4}|\d+(?:st|nd|rd|th))\b/iu;
const numberPattern = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|few|couple)\b/iu;
const properNounPattern = /(?<=[\p{Ll},;] )\p{Lu}\p{Ll}+/gu;

/** A text without the name of its speaker. */
export function stripSpeaker(text: string): string {
  const prefix = speakerPrefix.exec(text);
  return prefix === null ? text : text.slice(prefix[0].length);
}

/** Extracts the features of a text. Linear. */
export function extractTextFeatures(text: string): TextFeatures {
  const prefix = speakerPrefix.exec(text);
  const body = prefix === null ? text : text.slice(prefix[0].length);
  const head = body.slice(0, maxCueScanLength);
  const flags =
    (body.includes('?') ? featureFlag.question : 0) |
    (body.trimEnd().endsWith('?') ? featureFlag.endsWithQuestion : 0) |
    (instructionPattern.test(head) ? featureFlag.instruction : 0) |
    (preferencePattern.test(head) ? featureFlag.preference : 0) |
    (temporalPattern.test(body) ? featureFlag.temporal : 0) |
    (numberPattern.test(head) ? featureFlag.number : 0);
  const properNouns = Math.min(255, new Set(head.match(properNounPattern)).size);
  return { speaker: prefix?.[1]?.toLowerCase(), body, flags, properNouns };
}

/** Words of emphasis; each occurrence counts. */
const strongWords =
  /\b(?:always|never|must|critical|crucial|essential|vital|important|importantly|absolutely|definitely|strictly|hates?|loves?|whatever happens|no exceptions?|under no circumstances|at all costs|make sure|remember to|be sure to)\b/giu;
/** Words of emphasis in capitals (acronyms are none); they count in addition. */
const shoutedWords = /\b(?:ALWAYS|NEVER|MUST|NOT|DO NOT|DON'T|ONLY|CRITICAL|IMPORTANT|WARNING|ATTENTION)\b/gu;
const exclamations = /(?<!!)!+(?=\s|$)/gu;

/** The emphasis of a text, 0-1: n / (n + 1) for n signs of emphasis. */
export function scoreEmphasis(text: string): number {
  const signs = [strongWords, shoutedWords, exclamations].reduce((sum, it) => sum + (text.match(it)?.length ?? 0), 0);
  return signs / (signs + 1);
}
