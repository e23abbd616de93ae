import { hasFact } from '../text/factSplitter.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import { findMark, findOrder, isMomentary, isRequest, rememberPhrase } from './marks.js';
import { scoreStatement } from './scoreStatement.js';

/** A sentence of a person's own that may be lasting. */
export interface CandidateStatement {
  readonly content: string;
  /** How likely it is; higher is likelier. */
  readonly score: number;
}

/** What a turn of a person holds. */
export interface TurnFacts {
  /** What they ordered to be remembered. */
  readonly facts: readonly string[];
  /** What may be lasting, for a person or a model to judge. */
  readonly candidates: readonly CandidateStatement[];
  /** What they typed of the turn, without what was pasted. White space is single, a paragraph is a line. */
  readonly typed: string;
}

/** What a sentence must score to be listed; below it, one in twelve of what people type outlives the task. */
export const minCandidateScore = 2;
/** Longer sentences are pasted prose. In UTF-16 units. */
const maxSentenceLength = 400;
/** What a person types at once. Of a longer turn, the middle is pasted. */
const maxTypedLength = 1_500;
const maxTextLength = 200_000;
const maxComplementWords = 12;
/** Fewer words cannot be read alone. */
const minCandidateWords = 4;

/** Discourse markers at the start of a sentence. */
const openerPattern =
  /^(?:(?:and|also|so|ok(?:ay)?|well|hey|hi|hello|now|oh|but|great|good|perfect|thanks|thank you|alright|all right|right|sure|yes|yeah|yep|exactly|additionally|one more thing|another thing|by the way|btw|fyi|again|und|aber|also|ach|übrigens|et|mais|y|pero|и|а|но|кстати)(?:[,:;.!–—-]+\s*|\s+(?=(?:and|also|so|please|when|for|always|never|we|i|don't|do not|remember|stop|from)\b))){1,4}/iu;

/** How a turn begins that a program wrote in the person's place: a hook, another session, a skill, a summary. */
const programWords =
  /^\s*(?:\[[^\]\n]{0,80}\]\s*)?(?:(?:\p{L}+ ){0,3}hook (?:feedback|output|error|blocking error|additional context|stopped continuation)\b|another (?:claude|codex|copilot|assistant|agent)?[\p{L} ]{0,20}(?:session|agent) sent a message\b|base directory for this skill\b|caveat: the messages below\b|this session is being continued from\b|message from (?:an?other )?(?:agent|session|teammate)\b)/iu;

/** What stands in quotes: words of a file or of another person. */
const quotation = /"[^"\n]{1,600}"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|„[^“\n]{1,600}“|「[^」\n]{1,600}」/gu;

/** Says nothing without the sentence before it. */
const pointsBackPattern =
  /^(?:no,? )?(?:(?:always|never|please|stop|we|i|you|don'?t|do not|want|need|use|like|do|doing|should(?:n'?t| not)?|must) )+(?:it|this|that|these|those|them|so|the same|like (?:this|that))(?: (?:way|again|anymore|any more|now|from now on|here|either|yet|at all))*[.!]*$/iu;

/**
 * The lasting statements of a person's turn. Without a reader, only an explicit order ("remember that …", "from now on …")
 * is a fact; what else may last is a candidate. Requests, questions, corrections of the moment, pasted plans, code and
 * output are neither. A sentence that gives an order its reason or detail stays with it. Linear, never throws.
 */
export function extractFacts(turn: string): TurnFacts {
  if (programWords.test(turn)) return { facts: [], candidates: [], typed: '' };
  const facts: string[] = [];
  const candidates = new Map<string, CandidateStatement>();
  const paragraphs = typedParagraphs(turn.slice(0, maxTextLength));
  for (const paragraph of paragraphs) {
    /** The sentences of the order that the next sentence may complete. */
    let open: string[] = [];
    const close = (): void => {
      if (open.length > 0) facts.push(capitalize(open.join(' ')));
      open = [];
    };
    for (const sentence of splitSentences(paragraph)) {
      const plain = stripOpener(sentence);
      const order = plain.length > maxSentenceLength ? undefined : findOwnOrder(plain);
      const content = order === 'remember' ? plain.replace(rememberPhrase, '') : plain;
      if (order !== undefined && hasContent(content) && !pointsBackPattern.test(content)) {
        close();
        open.push(content);
      } else if (open.length > 0 && isComplement(sentence)) {
        open.push(sentence);
      } else {
        close();
        const score = mayBeCandidate(plain) ? scoreStatement(plain) : -Infinity;
        if (score >= minCandidateScore) candidates.set(plain, { content: capitalize(plain), score });
      }
    }
    close();
  }
  return { facts: [...new Set(facts)], candidates: [...candidates.values()], typed: paragraphs.join('\n') };
}

/** Whether a sentence can be read alone and is no question; what it is worth, its score says. */
function mayBeCandidate(sentence: string): boolean {
  const isLong = sentence.length > maxSentenceLength;
  const words = sentence.split(/\s+/u).length + countWide(sentence) / 2;
  return (
    !isLong && words >= minCandidateWords && hasFact(sentence) && !isMomentary(sentence) && !isPointingBack(sentence)
  );
}

function isPointingBack(sentence: string): boolean {
  return (
    pointsBackPattern.test(sentence) ||
    /^(?:no|nope|nein|non|нет)[,.]? (?:that['’]?s|this is) (?:not )?(?:it|right|wrong|good|true|what i \p{L}+)\b/iu.test(
      sentence,
    )
  );
}

/** The order of a sentence, unless it stands in what the sentence quotes. */
function findOwnOrder(sentence: string): ReturnType<typeof findOrder> {
  const order = findOrder(sentence);
  return order === undefined || findMark(sentence.replace(quotation, '""')) === undefined ? undefined : order;
}

/** The paragraphs that a person typed: no headings, code, output, logs or pasted documents. White space is single. */
function typedParagraphs(turn: string): string[] {
  const lines = turn.replaceAll('\r', '').split('\n');
  const firstHeading = lines.findIndex(it => /^#{1,6} \S/u.test(it));
  const own = firstHeading < 0 ? lines : lines.slice(0, firstHeading);
  const paragraphs: string[] = [];
  let isInCode = false;
  let isOutput = false;
  for (const line of own) {
    if (/^\s*(?:```|~~~)/u.test(line)) isInCode = !isInCode;
    if (isInCode) continue;
    // Up to an empty line, what follows a command is what it printed.
    isOutput = line.trim() !== '' && (isOutput || promptPattern.test(line));
    if (isOutput) continue;
    const text = line.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/u, '').trim();
    if (text !== '' && !isPasted(line) && !/^(?:```|~~~)/u.test(text)) paragraphs.push(text.replaceAll(/\s+/gu, ' '));
  }
  const length = paragraphs.reduce((sum, it) => sum + it.length, 0);
  const hasPasted = paragraphs.length < own.filter(it => it.trim() !== '').length / 2;
  if (length <= maxTypedLength && !hasPasted) return paragraphs;
  // The question stands above or below what was pasted.
  return [...new Set([paragraphs[0], paragraphs.at(-1)])].filter(
    it => it !== undefined && it.length <= maxTypedLength,
  ) as string[];
}

/** A command behind the prompt of a shell. */
const promptPattern =
  /^\s*(?:\$ |% |❯ |➜ |PS [^>\n]{0,80}> |[\w.-]{1,40}@[\w.-]{1,60}:[^$#\n]{0,80}[$#] |[A-Z]:\\[^>\n]{0,80}>)\S/u;

/** A line of code, output, a log, a table or a listing. */
function isPasted(line: string): boolean {
  return [
    /^\s*(?:import|export|from|const|let|var|def|class|function|public|private|return|package|using|#include|@\w+)\b.*(?:[;:{}()=]|from\b|["'])/u,
    /[;{}]\s*$|=>|^\s*[)\]}]|^\s*(?:<\/?\w|\||[│├└─]|\$ |> |>>> |PS |at \S+ \()/u,
    /\(\d+,\d+\)|:\d+:\d+|^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|^\s*\d{1,2}:\d\d:\d\d|^(?:npm|yarn|pnpm) (?:ERR|WARN|notice)|^\s*\d{3} /u,
    /^\s*(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|Traceback|Exception|error TS\d|error\[|warning:|E\d{4})\b/u,
    /^\s*[\w."'-]+\s*[:=]\s*(?:[\d"'[{(]|true|false|null|undefined)/u,
    /^\(.*\)$|^\s*[+-]{3} |^@@/u,
  ].some(it => it.test(line));
}

/** A reason or detail of the sentence before it: a statement about the same, or a short rule of use. */
function isComplement(sentence: string): boolean {
  const words = sentence.split(/\s+/u).length;
  if (words > maxComplementWords || /[?？]\s*$/u.test(sentence)) return false;
  if (/^use\b/iu.test(sentence)) return words <= 8;
  if (isRequest(sentence) || /\b(?:i|me|can you|please)\b/iu.test(sentence)) return false;
  return /^(?:this|that|it|they|otherwise|because|instead|not)\b|\b(?:is|are)\b/iu.test(sentence);
}

function stripOpener(sentence: string): string {
  const plain = sentence.replace(openerPattern, '');
  return /[\p{L}\p{N}]/u.test(plain) ? plain : sentence;
}

/** Names something: three words, or as much in a script without spaces. */
function hasContent(sentence: string): boolean {
  return sentence.split(/\s+/u).length >= 3 || countWide(sentence) >= 5;
}

function countWide(text: string): number {
  return text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
}

function capitalize(text: string): string {
  if (countWide(text) > 0) return text;
  return text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,]|$))/u, it => it.toUpperCase());
}
