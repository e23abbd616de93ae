const speakerPrefix = /^\p{Lu}[\p{L}\p{N}.-]{0,30}(?: \p{Lu}[\p{L}\p{N}.-]{0,30})?: /u;

/** A text without the name of its speaker: the name before a colon at the start. */
export function stripSpeaker(text: string): string {
  const prefix = speakerPrefix.exec(text);
  return prefix === null ? text : text.slice(prefix[0].length);
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
