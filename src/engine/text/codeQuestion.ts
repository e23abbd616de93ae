/**
 * What a question asks for: code; how something works or where it is, which code may say; something of which the wording does
 * not say it; or a fact, and what people do, decide and expect.
 */
export type CodeInterest = 'code' | 'working' | 'perhaps' | 'people';

/** Parts of code, and what is done with them there alone. */
const codeWording = [
  /\b(?:which|what) (?:(?:part|piece|bit)s? of (?:the )?code|code|(?:source )?files?|functions?|methods?|class(?:es)?|modules?|structs?|types?|traits?|interfaces?|components?|packages?|handlers?|constructors?|hooks?|endpoints?)\b(?! (?:do|does|should|must|may|can|will) (?:we|I|you|a|an|the)\b)/iu,
  /\b(?:code|functions?|methods?|class|classes|structs?|modules?) (?:that|which|where)\b/iu,
  /\b(?:implementation|definition|declaration|callers?|call sites?|signature|source code|stack trace) (?:of|for|in)\b/iu,
  /\bin the (?:code|code ?base|source)\b/iu,
  /\bwhere\b.{1,120}\b(?:implemented|defined|declared|parsed|computed|calculated|instantiated|constructed|called|invoked|rendered|serialized|deserialized|validated|handled|generated)\b/iu,
];
/** Those who agree on something, and what they ask of each other. */
const peopleWording = [
  /\b(?:we|us|our|ours|my|mine)\b/iu,
  /^\W*(?:who|whom|whose)\b/iu,
  /^\W*(?:should|shall|may|must|can|could)\b(?! (?:you|recollect)\b)/iu,
  /\b(?:allowed|supposed|permitted|agreed|decided|prefer|preferred|responsible|in charge)\b/iu,
];

/** What a question about the working of something starts with; others ask for a fact: which, how long, what is the. */
const workingWording =
  /^\W*(?:how (?:is|are|was|were|does|do|did|to|can)|where (?:is|are|was|were|does|do)|why (?:is|are|does|do)|in (?:which|what) order|what (?!is\b|was\b|has\b|does\b)\p{L}+s)\b/iu;
const startsAsQuestion =
  /^\W*(?:how|where|why|when|what|which|in (?:which|what)|with (?:which|what)|is|are|do|does|did|has|have|was|were)\b/iu;

/** Judges by the wording alone, which is read in English; what names a declaration is `namesDeclaration`. */
export function codeInterestOf(query: string): CodeInterest {
  if (codeWording.some(it => it.test(query))) return 'code';
  if (peopleWording.some(it => it.test(query))) return 'people';
  if (workingWording.test(query)) return 'working';
  return startsAsQuestion.test(query) ? 'people' : 'perhaps';
}

/** Words of a query that are written as names in code or as files: `parsePort`, `max_retries`, `listen()`, src/net.ts. */
export function namesInQuery(query: string): ReadonlySet<string> {
  const names = new Set<string>();
  const words =
    /`([^`\s]{1,200})`|([\p{L}_$][\p{L}\p{N}_$]{0,99}(?:(?:::|[./\\-])[\p{L}\p{N}_$]{1,99}){0,20})(\(\))?/gu;
  for (const [, quoted, word = '', call] of query.matchAll(words)) {
    const isName = /\p{Ll}\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|::|[/\\]|\.\p{Ll}{1,4}$/u.test(word);
    if (quoted !== undefined || call !== undefined || isName) names.add(quoted?.replace(/\(\)$/u, '') ?? word);
  }
  return names;
}

/** Whether one of the names is that of a declaration or of a file, also without what is before it. */
export function namesDeclaration(
  names: ReadonlySet<string>,
  { symbol, uri }: { readonly symbol?: string | undefined; readonly uri?: string | undefined },
): boolean {
  for (const written of names) {
    const name = written.replaceAll('::', '.').replaceAll('\\', '/');
    if (symbol !== undefined && (symbol === name || symbol.endsWith(`.${name}`))) return true;
    if (uri?.endsWith(`/${name.replace(/^\.?\//u, '')}`) === true) return true;
  }
  return false;
}
