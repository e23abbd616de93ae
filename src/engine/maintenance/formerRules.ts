// Rules of version 0.1.0 for reading a text, as far as it is needed to recognize what they gave a memory.
import { classify, findPlanDay, isStandingRule, prepareCueText } from '../classify/classify.js';
import type { DecayClass, Memory } from '../model/memory.js';
import { findDueDate } from '../text/dueDate.js';

/**
 * Whether the day of a memory is one that the rules read in its text and that today's do not. Theirs was the end of a day; what
 * a caller gives as a day is its start.
 */
export function isFormerDay({ dueAt, content, createdAt }: Pick<Memory, 'dueAt' | 'content' | 'createdAt'>): boolean {
  if (dueAt === undefined) return false;
  const said = new Date(createdAt);
  return dueAt === findDueDate(content, said) && dueAt !== findPlanDay(content, said);
}

const shortLivedCues: Readonly<Partial<Record<DecayClass, RegExp>>> = {
  ephemeral:
    /\b(?:right now|at the moment|at this moment|as we speak|currently (?:debugging|investigating|working|trying|stuck|failing|broken|down|blocked|running|looking|testing|in the middle)|just now|in the middle of|this (?:morning|afternoon|evening)|tonight|today|for today|until tomorrow|by eod|wip|work in progress|in progress|debugging (?:the|a|an|why|this)|investigating|looking into|stuck on|trying to (?:reproduce|figure|fix|find|debug|get)|is (?:failing|broken|down|hanging|timing out)\b(?! (?:if|when))|are (?:failing|broken|down)\b(?! (?:if|when))|for now|temporar\w+|temp (?:fix|workaround|hack)|as a (?:stopgap|workaround|quick fix)|quick hack|until (?:the|this|that|it|we|i) .{0,40}(?:is |are )?(?:fixed|merged|fix|resolved|lands|back)|commented out|uncommitted|stashed|half[- ]?(?:done|way|finished)|breakpoint|scratch(?:pad)? branch|currently on (?:branch|the))\b/iu,
  session:
    /\b(?:this (?:sprint|week|iteration|milestone|release)|current (?:sprint|iteration|milestone|release)|sprint (?:goal|\d+)|next (?:week|sprint|few days|couple of days)|short[- ]term|(?:meeting|standup|retro|call|sync) (?:notes?|follow|yesterday|on)|follow[- ]?ups?|until (?:monday|tuesday|wednesday|thursday|friday|next|the end)|back (?:on|next)|on (?:vacation|holiday|pto|(?:\w+ )?leave)|(?:out|off) sick|covering for|while PERSONNAME is|out (?:this|until|next|of office)|ooo|code freeze|release candidate|yesterday(?!'s)|last week|is on-?call this)\b/iu,
};
const shortTermPattern = /\b(?:for now|today|temporarily|this (?:week|sprint))\b/iu;

/** Whether the rules gave a memory of this text and gate its short life. */
export function isFormerLife({
  content,
  createdAt,
  gate,
  decayClass,
}: Pick<Memory, 'content' | 'createdAt' | 'gate' | 'decayClass'>): boolean {
  const said = new Date(createdAt);
  const { fullText } = prepareCueText(content, findDueDate(content, said) !== undefined);
  // Rules, habits and corrections lasted, whatever else their text says.
  const lasted = isStandingRule(fullText) || gate === 'behavioral' || gate === 'correction';
  const [firstCue] =
    lasted && !shortTermPattern.test(fullText)
      ? []
      : (['ephemeral', 'session'] as const).filter(it => shortLivedCues[it]!.test(fullText));
  // Every plan without a cue lasted a week.
  if (gate === 'promissory') return decayClass === (firstCue ?? 'session');
  // Where the gate is not the one of the text, a caller gave it, and its life was that of the gate.
  return decayClass === firstCue && classify(content, said).gate === gate;
}

/** The reasons that the rules wrote for a contradiction; a language model that was asked wrote its own. */
const reasonPattern =
  /^(?:The older one (?:says it, the newer one denies or ends it: ".|denies ".)|Of .+ one says ".|(?:Both (?:say it of|name the|speak of)|Of) .+: .+ and now )/u;

/** Whether the rules found a contradiction, by the sentence that says why. */
export function isFormerReason(reason: string): boolean {
  return reasonPattern.test(reason);
}
