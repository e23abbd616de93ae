import { findMark, isRequest } from './marks.js';

// Whether a sentence outlives its task cannot be read off the sentence: people who read them agree on half. These features
// only order what a person or a model reads next, and keep out what is sure to be about the moment.

/** A feature of a sentence and what it says for (or against) its lasting. */
interface Feature {
  readonly weight: number;
  readonly pattern: RegExp;
}

const features: readonly Feature[] = [
  // One thing and not another.
  {
    weight: 2,
    pattern:
      /,? (?:and |but )?not (?!sure|yet|ready|only|quite|really|what|why|how|it\b|that\b|all\b|every|\p{L}+ing\b)\S|\binstead of\b|\brather than\b|\bno longer\b/iu,
  },
  // What must not be done.
  {
    weight: 2.5,
    pattern:
      /^(?:(?:so|and|also|but|no|please|pls),? )*(?:don['’]?t|do not|never|avoid|stop|quit|no) (?!worry|mind|bother|idea|problem|need|luck|change\b|commit (?:it|that|this)|know|think|see|get|understand|remember|forget|matter|wait)\p{L}/iu,
  },
  {
    weight: 1.5,
    pattern:
      /\b(?:always|never|only|every|each|all|any(?:thing|one)?|none|whenever|everywhere|must|should(?:n['’]?t| not)?|may not|has to|have to|needs? to|on purpose|by hand|by default|by design|no one|per)\b/iu,
  },
  // What someone does as a rule.
  {
    weight: 1.5,
    pattern:
      /\b(?:we|i|they|he|she|people|customers|users) (?:(?:only|always|never|usually|mostly|all|also) )?(?:use|prefer|like|keep|run|write|have|want(?! to\b)|call|deploy|ship|share|own|read|do|work|don['’]?t(?! want to\b)|can['’]?t|hate|decided|agreed|promised)\b|\b(?:i['’]d rather|with me|for me|to me|my (?:name|editor|shell|machine|lead|boss|team))\b/iu,
  },
  // A state of things in the present.
  {
    weight: 1,
    pattern:
      /\b(?:is|are|isn['’]t|aren['’]t|has|have|runs?|lives?|uses?|goes|comes?|belongs?|owns?|listens?|stays?|means?|holds?|allows?|reads?|accepts?|expects?|needs?|handles?|signs?|decides?|=)\b|\p{L} = \p{L}/iu,
  },
  // Said before, or said to hold for good.
  {
    weight: 1.5,
    pattern:
      /\b(?:you (?:forgot|keep|kept)|i (?:told|said|asked) (?:you|that|this)|as i said|how often|from now on|going forward|for the record|in general|as a rule|please make sure|make sure|for all time|anywhere|whatever we|remember)\b/iu,
  },
  // A task, however it is put.
  {
    weight: -5,
    pattern:
      /^(?:(?:so|and|also|but|please|pls),? )*(?:remember|don['’]?t forget|do not forget|make sure) to (?!always|never)|\b(?:this|that) (?:branch|pr|commit|function|line|file|test|button|screen|page|ticket) /iu,
  },
  // Words of a file or of another person.
  { weight: -3, pattern: /^[^\p{L}]*["“«„「]|["“][^"”]{12,300}["”]|^\s*(?:[-*•]|\d+[.)]|[a-z]\)) /u },
  { weight: 0.7, pattern: /\b(?:because|since|so that|otherwise|which is why|that['’]s why|for a reason)\b/iu },
  // A name, a path, code or a figure says what it is about.
  { weight: 0.5, pattern: /`[^`]+`|(?<=\s)[\p{Lu}][\p{L}]+|\w[/_]\w|\w\.\w{2,4}\b|\b\d{2,5}\b/u },
  { weight: 1, pattern: /\b(?:the team|ops|prod(?:uction)?|staging|in this repo|in this project|here|our|legacy)\b/iu },
  {
    weight: 1,
    pattern:
      /\b(?:monday|tuesday|wednesday|thursday|friday|until|deadline|due|by (?:the|end)|next (?:week|month|quarter)|on the \d+(?:st|nd|rd|th))\b/iu,
  },
  // Norms in other languages.
  {
    weight: 2.5,
    pattern:
      /(?<!\p{L})(?:immer|niemals?|nie|kein\w*|nicht|statt|muss|müssen|soll(?:te|en)?|darf|dürfen|nur|wir (?:nutzen|verwenden|wollen)|toujours|jamais|doit|doivent|faut|pas de|plutôt que|au lieu de|seulement|uniquement|siempre|nunca|debe[ns]?|hay que|en vez de|en lugar de|solo|sólo|sempre|deve[mn]?|não|mai|non si|всегда|никогда|нельзя|нужно|должен|должна|должны|вместо|только|не надо|всё|все)(?!\p{L})|不要|不用|不能|必须|总是|永远|只能|应该|一律|统一|别|ではなく|ください|こと[。！]?$|ない(?:で|こと)|必ず|常に/iu,
  },
  // What points elsewhere cannot be read alone.
  {
    weight: -1.5,
    pattern:
      /^(?:(?:and|so|but|also|ok),? )*(?:it|that|this|these|those|he|she|they|there|here|same|which|what|then)\b/iu,
  },
  {
    weight: -0.7,
    pattern: /\b(?:this|that|these|those) (?!repo|project|codebase|package|app|one thing)\p{L}+|\b(?:it|them)\b/iu,
  },
  // The moment.
  {
    weight: -2,
    pattern:
      /\b(?:now|still|again|just|yet|today|tonight|right now|at the moment|for now|this time|currently|wait|hmm+|oh|ok|okay|thanks|never ?mind|let['’]?s|try|seems?|looks? like|i (?:think|guess|see|get|got|tried|ran|did|found|saw|hope|wonder|need you|want you to (?:add|fix|make|write|change))|error|exception|traceback|fails?|failed|failing|crash(?:es|ed)?|broken|bug|red|line \d+)\b|\b(?:is|are|am)(?:n['’]?t| not) (?:all of \p{L}+ )?(?:are )?\p{L}+ing\b|\bnot all\b|\b(?:falla|fallan|plante|abstürzt)\b|报错|失败|崩溃|出错|超时/iu,
  },
  {
    weight: -2.5,
    pattern:
      /^(?:(?:so|and|ok|but|well),? )*(?:why|how|what|where|when|who|which|is|are|do|does|did|can|could|would|should|has|have|was|were|may|will) (?!you (?:run|edit|touch|add|write|need))\p{L}/iu,
  },
  { weight: -6, pattern: /[?？][)"'”’\s]*$/u },
  // Lines of a program: places, marks of a test run, printed values, and what ends as no sentence does.
  {
    weight: -3,
    pattern:
      /:\d+(?::\d+)?\b|^\s*[^\p{L}\p{N}\s"'`“‘«„「([@/#*.…-]|\w(?:Error|Exception)\b|#\p{Lu}[\w.]*<|%\{|\w=>|\(\d+ ?ms\)|[{};\],:]\s*$/u,
  },
];

/** A request for the task at hand weighs against what else a sentence says. */
const requestWeight = -2;
const markWeight = 2.5;

/** How likely a sentence of a person's own outlives the task, by plain features; higher is likelier. Linear, never throws. */
export function scoreStatement(sentence: string): number {
  const words = sentence.split(/\s+/u).length;
  const wide = sentence.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
  let score = 0;
  for (const { weight, pattern } of features) if (pattern.test(sentence)) score += weight;
  if (findMark(sentence) !== undefined) score += markWeight;
  if (isRequest(sentence)) score += requestWeight;
  const length = wide > 0 ? wide / 2 + words : words;
  if (length < 4) score -= 2;
  else if (length >= 7 && length <= 32) score += 1;
  else if (length > 45) score -= 1.5;
  return score;
}
