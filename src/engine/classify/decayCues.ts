import type { Classification, Gate } from '../model/memory.js';

type DecayClass = Classification['decayClass'];

/** The decay class of a statement without a matching cue (memory model, "Gates"). */
export const defaultDecayClasses: Readonly<Record<Gate, DecayClass>> = {
  correction: 'durable',
  behavioral: 'durable',
  epistemic: 'durable',
  relational: 'durable',
  promissory: 'session',
};

interface DecayCue {
  readonly name: string;
  readonly decayClass: DecayClass;
  readonly pattern: RegExp;
}

/** The first match decides; the shortest-lived class comes first. */
const decayCues: readonly DecayCue[] = [
  {
    name: 'right now',
    decayClass: 'ephemeral',
    pattern:
      /\b(?:right now|at the moment|at this moment|as we speak|currently (?:debugging|investigating|working|trying|stuck|failing|broken|down|blocked|running|looking|testing|in the middle)|just now|in the middle of|this (?:morning|afternoon|evening)|tonight|today|for today|until tomorrow|by eod|wip|work in progress|in progress|debugging (?:the|a|an|why|this)|investigating|looking into|stuck on|trying to (?:reproduce|figure|fix|find|debug|get)|is (?:failing|broken|down|hanging|timing out)\b(?! (?:if|when))|are (?:failing|broken|down)\b(?! (?:if|when))|for now|temporar\w+|temp (?:fix|workaround|hack)|as a (?:stopgap|workaround|quick fix)|quick hack|until (?:the|this|that|it|we|i) .{0,40}(?:is |are )?(?:fixed|merged|fix|resolved|lands|back)|commented out|uncommitted|stashed|half[- ]?(?:done|way|finished)|breakpoint|scratch(?:pad)? branch|currently on (?:branch|the))\b/iu,
  },
  {
    name: 'these days',
    decayClass: 'session',
    pattern:
      /\b(?:this (?:sprint|week|iteration|milestone|release)|current (?:sprint|iteration|milestone|release)|sprint (?:goal|\d+)|next (?:week|sprint|few days|couple of days)|short[- ]term|(?:meeting|standup|retro|call|sync) (?:notes?|follow|yesterday|on)|follow[- ]?ups?|until (?:monday|tuesday|wednesday|thursday|friday|next|the end)|back (?:on|next)|on (?:vacation|holiday|pto|(?:\w+ )?leave)|(?:out|off) sick|covering for|while PERSONNAME is|out (?:this|until|next|of office)|ooo|code freeze|release candidate|yesterday(?!'s)|last week|is on-?call this)\b/iu,
  },
];

/** The decay class of a statement at a gate, and the name of its cue. `text` is the `fullText` of its cue text. `isStanding`: it holds every time. */
export function classifyDecay(
  gate: Gate,
  text: string,
  isStanding: boolean,
): { readonly decayClass: DecayClass; readonly cue: string | undefined } {
  // Rules, habits and corrections last, even if they mention debugging.
  const isLasting =
    (isStanding || gate === 'behavioral' || gate === 'correction') &&
    !/\b(?:for now|today|temporarily|this (?:week|sprint))\b/iu.test(text);
  const cue = isLasting ? undefined : decayCues.find(it => it.pattern.test(text));
  return cue === undefined
    ? { decayClass: defaultDecayClasses[gate], cue: undefined }
    : { decayClass: cue.decayClass, cue: cue.name };
}
