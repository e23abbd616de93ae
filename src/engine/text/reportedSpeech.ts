import { isBaseVerb, subordinators, toThirdPerson } from './verbs.js';

/** Verbs of reporting phrases, which carry no fact: "The user says that they use vim" is the user's fact "use vim". */
const reportingVerbs =
  'says?|said|mentions?|mentioned|states?|stated|notes?|noted|told (?:me|us|you|claude|copilot)|explained|explains?|reported|reports?|confirmed|confirms?|clarified|clarifies|indicated|indicates?|added';

const userSays = `(?:the |our |this )?(?:user|developer|person|human|dev|customer)(?: has| just| also)? (?:${reportingVerbs})(?: that| to (?:me|us|you))?(?: that)?[:,]?\\s+(?:that\\s+)?`;

/** Each matches at the start of a fact, including the conjunction. No nested repetition: linear. */
const reportingPhrases: readonly RegExp[] = [
  // Before a pronoun of another verb form the phrase stays: "they are" says nothing without its noun.
  new RegExp(
    `^(?!${userSays}(?:he|she|it|their|his|her|they (?:are|were|have|had|do|don't|don’t|will|can|can't|would|should|must|never))\\b)${userSays}(?:they\\s+)?`,
    'i',
  ),
  /^(?:(?:and|also|so|ok(?:ay)?|well|hey|hi|btw|by the way|oh)[,.!]? )?i(?:'ve| have| just| also|'d like to)? (?:told|tell|mentioned to|said to|remind(?:ed)?|inform(?:ed)?) you (?:before |already |earlier |once )?(?:that|:)\s+/i,
  /^i (?:said|mentioned|meant to say|would like to mention|want to mention|should mention|should note|should add)(?: before| earlier| already)?(?: that\b|:)\s*/i,
  /^i(?:'d| would)? (?:want|like|need) you to (?:remember|know|note|keep in mind)(?: that\b|:)?\s+/i,
  /^(?:(?:please|pls|plz|can you|could you|would you|kindly|also|and|you should|always)[, ]+){0,3}(?:remember|note|keep in mind|bear in mind|be aware|memori[sz]e|don't forget|do not forget|make a note|take note|save|record|store|recall)(?: this| the following)?(?: for (?:later|next time|future reference|the future|future))?(?::| that\b[,:]?)\s*/i,
  /^(?:please|pls|plz) (?:remember|note|memori[sz]e|keep in mind)[,:]?\s+(?!to\b)/i,
  /^(?:note|nb|n\.b\.|fyi|for your information|for the record|for reference|for future reference|remember|reminder|heads[- ]up|psa|memo|important|info|fact|learned|til|just so you know|jsyk|as a note|side note|quick note|btw|by the way|as i said(?: before| earlier)?|as mentioned(?: before| earlier| above)?|as a reminder|good to know|worth (?:noting|knowing|mentioning)|(?:it(?:'s| is) )?worth (?:noting|knowing|mentioning) that|it should be noted that|note to self|to remember)(?:[:,]|\s+[-–—])\s*(?:that\s+)?/i,
  /^(?:fyi|btw|psa|just so you know|heads[- ]up)\s+(?!that\b)/i,
  /^(?:(?:it(?:'s| is) )?(?:worth|important) (?:noting|knowing|mentioning|to (?:note|know|remember))|it should be noted|just so you know|you should know|what you should know is|the thing is) that\s+/i,
  /^(?:for the record|for reference|as a reminder)\s+(?=\p{L})/iu,
  /^(?:just so (?:it's|it’s|it is|that|we|you)\b[^:.,]{1,40}|note to [^:.,]{1,30}):\s+/iu,
  // The same in other languages.
  /^(?:bitte )?(?:merk(?:e)? (?:dir|euch)(?: bitte)?|notier(?:e)?(?: dir)?|vergiss nicht|denk daran|zur erinnerung|zur info|übrigens)(?:[:,]?\s+(?:dass|daß)|[:,])\s+/iu,
  /^(?:souviens-toi|souvenez-vous|rappelle-toi|n'oublie pas|n’oublie pas|retiens|retenez|note bien|pour info|à noter)(?:\s+que|\s?:)\s+/iu,
  /^(?:por favor,? )?(?:recuerda|recuerde|ten en cuenta|no olvides|anota|apunta|nota|para que conste)(?:\s+que|\s?:)\s+/iu,
  /^(?:запомни(?:те)?|учти(?:те)?|помни(?:те)?|на заметку)(?:,?\s+что|:)\s+/iu,
  /^(?:请)?(?:记住|记得|注意)[：:，,]\s*/u,
  /^(?:覚えて(?:おいて)?(?:ください)?|メモ)[：:、。]\s*/u,
];

/** Maximum number of stacked phrases ("Please note: FYI, …"); keeps the work linear. */
const maxStackedPhrases = 4;

/**
 * Splits off the reporting phrase at the start of a statement. `phrase` is empty if there is none or if
 * nothing would remain. `phrase + rest` is always the statement itself. Linear in the length of the phrase, never throws.
 */
export function splitReportingPhrase(statement: string): { readonly phrase: string; readonly rest: string } {
  let rest = statement;
  for (let round = 0; round < maxStackedPhrases; round++) {
    const match = reportingPhrases.map(pattern => pattern.exec(rest.slice(0, 200))).find(it => it !== null);
    const remaining = match ? rest.slice(match[0].length) : '';
    if (!/[\p{L}\p{N}]/u.test(remaining.slice(0, 400))) break;
    rest = remaining;
  }
  return { phrase: statement.slice(0, statement.length - rest.length), rest };
}

/** An "and" before another verb of the same person. */
const nextPredicate =
  / and (?=(?:(?:also|never|always|usually) )?(?:prefer|love|hate|dislike|want|need|avoid|enjoy|own|use|live|speak|know|have) \S)/giu;
/** Whom the person works for, and what is done there: "work at a startup building tools". */
const workplace =
  /^work (?:at|for|in) an? (?<noun>(?:[\w-]+ )?(?:agency|bank|business|company|consultancy|cooperative|firm|foundation|hospital|institute|lab|nonprofit|shop|start-?up|studio|team|university)) (?<verb>[a-z]+)ing (?<object>\S.*)$/iu;

/**
 * The facts of what a person was said to do, where {@link splitReportingPhrase} took their "they" away and they work where
 * something is done: "work at a startup building tools and prefer Go" gives "works at a startup", "startup builds tools" and
 * "prefers Go". Any other statement stays as it was said. Linear.
 */
export function splitReportedPredicates(phrase: string, statement: string): string[] {
  const [job = '', ...more] = statement.split(nextPredicate);
  const { noun = '', verb = '', object = '' } = workplace.exec(job)?.groups ?? {};
  // "build-ing", "manag-ing", "run-ning".
  const base = [verb, `${verb}e`, verb.replace(/(.)\1$/u, '$1')].find(isBaseVerb);
  if (base === undefined || !/\bthey\s+$/iu.test(phrase) || subordinators.test(statement)) return [statement];
  const employed = job.slice(0, job.indexOf(noun) + noun.length);
  return [conjugate(employed), `${noun} ${toThirdPerson(base)} ${object}`, ...more.map(conjugate)];
}

/** Verbs of what a person is, has or prefers: each of them is a fact of its own. */
const personVerbs = 'work|live|prefer|like|love|hate|dislike|want|need|avoid|enjoy|own|use|speak|know|have|lead|manage';
const adverbs = '(?:(?:also|never|always|usually|often|mostly|really) )?';
const thirdPersonVerbs = personVerbs.split('|').map(toThirdPerson).join('|');
const personSubject =
  /^(?:(?:the|this|our|my) )?(?:user|developer|person|human|customer) (?=(?:(?:also|never|always|usually|often|mostly|really) )?[a-z]+s )/iu;
const nextOfPerson = new RegExp(`(?:,? and |, )(?=${adverbs}(?:${thirdPersonVerbs}) \\S)`, 'giu');
const nextOfThem = new RegExp(`(?:,? and |, )(?=${adverbs}(?:${personVerbs}) \\S)`, 'giu');
const startOfThem = new RegExp(`^${adverbs}(?:${personVerbs}) `, 'iu');
const startOfPerson = new RegExp(`^${adverbs}(?:${thirdPersonVerbs}) `, 'iu');
/** What may join the verbs to one statement: a purpose, a pronoun, a quotation, a bracket, code. */
const joined = /\bto\s|\b(?:it|its|them|their|both|there|this|that)\b|["“”`(:;]/iu;

/**
 * The facts of a sentence with several verbs of one user, each with its subject: "The user works at Acme, lives in Lisbon
 * and prefers dark mode", and the same with "The user says that they work at …". Undefined for any other. Linear.
 */
export function splitPersonPredicates(phrase: string, statement: string): readonly string[] | undefined {
  const isTheirs = /\b(?:user|developer|person|human|customer)\b.* they\s+$/iu.test(phrase);
  const subject = isTheirs ? 'The user ' : (personSubject.exec(statement)?.[0] ?? '');
  const predicates = statement
    .slice(isTheirs ? 0 : subject.length)
    .replace(/\.\s*$/u, '')
    .split(isTheirs ? nextOfThem : nextOfPerson);
  if (isTheirs && workplace.test(predicates[0]!)) return undefined;
  if (subject === '' || predicates.length < 2 || joined.test(statement) || subordinators.test(statement))
    return undefined;
  if (!(isTheirs ? startOfThem : startOfPerson).test(predicates[0]!) || !predicates.every(it => /\S\s\S/u.test(it)))
    return undefined;
  return predicates.map(it => `${subject}${isTheirs ? conjugate(it) : it}`);
}

function conjugate(predicate: string): string {
  return predicate.replace(
    /^((?:also|never|always|usually) )?([a-z]+)/iu,
    (_, adverb: string | undefined, verb: string) => {
      return (adverb ?? '') + toThirdPerson(verb);
    },
  );
}
