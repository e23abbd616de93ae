/** Words that say that something matters. Counted once each time they occur. */
const strongWords =
  /\b(?:always|never|must|critical|crucial|essential|vital|important|importantly|absolutely|definitely|strictly|hates?|loves?|whatever happens|no exceptions?|under no circumstances|at all costs|make sure|remember to|be sure to)\b/giu;
/** The same shouted, which acronyms are not; counted on top. */
const shoutedWords = /\b(?:ALWAYS|NEVER|MUST|NOT|DO NOT|DON'T|ONLY|CRITICAL|IMPORTANT|WARNING|ATTENTION)\b/gu;
const exclamations = /(?<!!)!+(?=\s|$)/gu;

/** How much a text stresses what it says, 0-1: 0 for a plain statement, 0.5 for one sign of emphasis, 0.67 for two. */
export function scoreEmphasis(text: string): number {
  const signs = [strongWords, shoutedWords, exclamations].reduce((sum, it) => sum + (text.match(it)?.length ?? 0), 0);
  return signs / (signs + 1);
}
