import { cuesForGate } from './cue.js';
import * as lexicon from '../lexicon.js';

const weekdayGroup = `(?:${lexicon.weekdayNames})`;
const futureTimePattern = `(?:next (?:sprint|week|month|quarter|year|release|iteration|version|major|minor|patch|milestone|cycle|spring|summer|${weekdayGroup.slice(3, -1)})|tomorrow|tonight|later (?:this|today)|this (?:sprint|quarter|weekend|afternoon|evening)|(?:by|before|until|till|from|in) (?:the (?:end|launch|release|demo|freeze|holidays|conference|audit)|${lexicon.monthNames}|mid|early|late|q[1-4]|h[12]|eod|eow|eom|next|summer|spring|autumn|winter|easter|christmas|${lexicon.weekdayNames})|over the next|in (?:a few|two|three|\\d+) (?:days|weeks|months|quarters)|on the \\d{1,2}(?:st|nd|rd|th)|week \\d+|soon|eventually|at some point|some day|in the future|down the road|after the (?:launch|release|demo|freeze|holidays|audit|migration|retro))`;

/**
 * A single task at the start of a statement: a verb of work, or any first word that only an instruction puts before an
 * article, and that does not name a standing rule ("use", "keep").
 */
export const errandPattern =
  /^(?:please )?(?:(?:ship|finish|complete|deliver|release|launch|rotate|renew|fix|publish|merge|send|submit|prepare|schedule|book|update|add|migrate|remove|upgrade|review|write|deploy|close|order|get|negotiate|automate) |(?!(?:use|keep|prefer|avoid|treat|call|put|name|expect|assume|in|on|at|by|for|with|without|from|to|of|as|than|into|under|over|after|before|until|since|during|while|when|if|because|although|is|was|has|had|like|not|only|but|and|or|both|all|once|through|per|what|where|how|why|who)\b)(?:[a-z]*[^\Ws]|[a-z]*ss) (?:up |out |off |down )?(?:the|an?|our|my|this|these|those|all)\b)/iu;

/** Names of the cues for a plan, whichever day it names. */
export const planningCueNames: ReadonlySet<string> = new Set([
  'errand',
  'I will',
  'will be done',
  'person will',
  'promise',
  'plan',
  'to do',
  'need to',
  'decided ahead',
  'werde',
]);

/** Cues of commitments and plans, roughly from the strongest to the weakest. */
export const promissoryCues = cuesForGate('promissory', [
  // An instruction with a due date is a single task, not a habit.
  {
    name: 'errand',
    weight: 2.5,
    keywords: 'date|finish|ship|deliver|complete'.split('|'),
    pattern: new RegExp(
      `${errandPattern.source}.{1,120} DATE$|^(?:finish|ship|deliver|complete) .{1,80} (?:before|by) `,
      'i',
    ),
  },
  {
    name: 'I will',
    weight: 5,
    keywords: "'ll|will|shall|going to|gonna".split('|'),
    pattern:
      "\\b(?:i|we)(?:'ll| will| shall|'m going to|'re going to| am going to| are going to|'m gonna|'re gonna| gonna)(?: (?:also|then|still|probably|likely|definitely|just))? (?!not\\b|never\\b|always\\b|usually\\b|get an?\\b|need\\b|see\\b)[a-z]|^(?:will|gonna|going to|shall) (?!not\\b|fail\\b|return\\b)[a-z]",
  },
  {
    name: 'will be done',
    weight: 4,
    keywords: ' be |get |gets '.split('|'),
    pattern:
      '\\b(?:will|shall|is going to|are going to|is to|are to|to) be (?:\\w+ly )?(?:removed|deprecated|released|launched|migrated|replaced|shipped|done|finished|completed|merged|added|moved|retired|sunset|dropped|renamed|rolled out|delivered|deployed|rewritten|refactored|announced|decommissioned|discontinued|turned off|shut down|upgraded|ready|fixed|implemented|available|published|introduced|handled in|addressed|out of|live|supported|removed)\\b|\\bgets? (?:removed|retired|dropped|replaced|sunset|deprecated|deleted|merged|rewritten) (?:in|at|by|after|with|next|once)\\b',
  },
  {
    name: 'person will',
    weight: 7,
    keywords: ['personname'],
    pattern:
      "\\bPERSONNAME(?:(?: and|,) PERSONNAME)?(?:'ll| will| is going to| are going to| promised| agreed to| offered to| committed to| plans to| needs (?:to|the|\\w+ \\w+ by)| has to| volunteered| is supposed to| is (?:preparing|writing|finishing|sending|taking over|working on .{1,40} (?:for|by|until))| finishes| delivers| updates| sends| starts| to (?:review|write|follow|send|check|fix|update|finish|investigate|prepare|draft|schedule))\\b",
  },
  {
    name: 'promise',
    weight: 5,
    keywords:
      'promise|committed to|agreed|pledge|signed up|i owe|on the hook|volunteered|assigned to me|offered to|vowed|happy to|owner|have until'.split(
        '|',
      ),
    pattern:
      '\\b(?:promised?(?! (?:rejection|chain|resolve))|committed to|agreed (?:to (?!use\\b)|with .{1,30} to)|pledged?|signed up to|i owe|on the hook|volunteered to|assigned to me|offered to|vowed|happy to (?:take|do|help|write)|owner (?:me|infra|is me)|we have until|i have until)\\b',
  },
  {
    name: 'plan',
    weight: 5,
    keywords:
      "plan|intend|aim|target|scheduled|slated|due|deadline|eta|roadmap|milestone|upcoming|on track|launch date|release date|sunset date|go-live|goes live|go live|postponed|pushed|moved|moving|kick-off|kickoff|freeze|set for|hoping to|hope to|hopefully|looking forward|coming up|comes out|start|begin|ends with|all about|i'd like|we'd like|want to|is on for".split(
        '|',
      ),
    pattern: `\\b(?:plan(?:s|ned)? (?:to|for (?:${lexicon.monthNames}|next|q[1-4]|the (?:next|end)|v\\d))|planning (?:to|a (?!poker)|the)|(?:^|the |our |my )plan is (?:to|that|for)|(?:is|are) planned|^planned|intend(?:s|ing)? to|aim(?:s|ing)? to (?:ship|release|launch|finish|have|be|deliver|complete|migrate)|aiming|targeting|(?:is|are|be|was|were|been) scheduled|scheduled (?:for|to)|slated|due (?:on|by|in|next|this|before|date|for|tomorrow|${lexicon.weekdayNames})|(?:is|are) due|deadline (?:for|is|of|:)|eta(?: is| for| by|(?=:))|(?:on|in) (?:the|our) roadmap|^roadmap|milestone|upcoming|on track|launch date|release date|sunset date|go-live|goes? live|postponed|pushed .{0,30}(?:back )?to|rescheduled|moved (?:back |forward )?to (?:${lexicon.weekdayNames}|next|${lexicon.monthNames}|q[1-4])|kick-?off|code freeze|is set for|are set for|set for the|hoping to|hope to|hopefully|looking forward to|coming up|comes out|(?:starts?|begins?) (?:next|on (?:the \\d|\\d|${lexicon.weekdayNames}|${lexicon.monthNames})|in (?:${lexicon.monthNames}|week|q[1-4]|\\d|two|three|a few))|ends with|is all about|not started yet|i'd like to|we'd like to|want to (?:get rid|move|migrate|ship|drop|try|merge|replace|finish|launch|adopt|have)|is on for|are moving (?:off|to|from)|is moving to)\\b|^plan:`,
  },
  {
    name: 'to do',
    weight: 5,
    keywords:
      'todo|to-do|to do|to be done|fixme|action|next|follow|remaining|open|pending|backlog|remind|left|sprint|goal|milestone|waiting|still |remains|yet to be|circle back|get back|revisit|[ ]'.split(
        '|',
      ),
    pattern:
      "^(?:todo|to-do|to do|to be done|fixme|action item|action|next steps?|follow[- ]?up|next up|remaining|still to do|open|pending|backlog|retro action|left|sprint \\d+|sprint goal|goal|goals|milestone \\d*)(?: \\([^)]{1,30}\\))?(?::|,| [-–—] )|^(?:to-?do|fixme) (?!(?:lists?|items?|apps?|comments?|files?|entries|markers?|tags?)\\b)(?![\\w-]+ (?:is|are|lives?|uses?|has|have|runs?|listens?|must|should)\\b)|^(?:waiting (?:for|on)|reminder to|still to do)\\b|\\b(?:todo:|need to follow up|follow[- ]?up (?:with|on|from)|remind me|still (?:need|needs|have|has) to|still to do|remains to be|yet to be|next step is|action items?|left to do|to be done|sprint'?s? goal|goal for (?:this|the)|circle back|get back to|revisit)\\b|^\\[ \\]",
  },
  {
    name: 'need to',
    weight: 3.5,
    keywords: "need|have to|ought to|gotta|got to|should|let's|lets|hold off|must".split('|'),
    pattern:
      "\\b(?:i|we) (?:still |really |also |first )?(?:need to|have to|ought to|gotta|got to|should probably|should (?:migrate|move|replace|upgrade|look|investigate|revisit|add|fix|clean|rewrite|switch)) (?!be able|always|not\\b)[a-z]+|\\bneeds? to be (?:done|fixed|updated|migrated|removed|replaced|rewritten|finished|reviewed|merged|cleaned|addressed|moved|refactored)\\b|^need to\\b|^gotta\\b|\\blet's\\b|^lets\\b|^hold off\\b|^(?:have|must) to\\b|\\b(?:i|we) must (?!not|never)",
  },
  { name: 'ahead', weight: 3, pattern: futureTimePattern },
  {
    name: 'once that',
    weight: 2.5,
    keywords: 'once|as soon as|when|after|later|then we start|until the'.split('|'),
    pattern:
      "^(?:once|as soon as|when|after) .{1,60}(?:, )?(?:i|we)(?:'ll| will)? |\\b(?:once|as soon as|when) (?:the|#|it|that|this|both) .{1,40} (?:is|are) (?:merged|done|final|fixed|out|in|gone|live|ready|released)\\b|\\b(?:later|then we start|until the (?:vendor|audit|release|end))\\b",
  },
  { name: 'date', weight: 3, keywords: ['date'], pattern: /\bDATE$/u },
  {
    name: 'decided ahead',
    weight: 3,
    keywords: 'decided|agreed|decision|want|aim|move|switch|going'.split('|'),
    pattern: `\\b(?:decided|agreed|decision|want|wants|aim|move|switch|going)\\b.{1,100}\\b(?:${futureTimePattern}|from (?:${lexicon.monthNames}) on|at the end of|in the new)`,
  },
  {
    name: 'werde',
    weight: 4.5,
    keywords:
      'nächste|bis |morgen|werde|ich muss|wir |geplant|vamos a|voy a|próxim|mañana|on va|allons|je vais|prochain|demain|lundi|vendredi|en sept|en jan|en mar|en jui|en jun|en oct|en enero'.split(
        '|',
      ),
    pattern:
      '\\b(?:nächste[nrs]?|bis (?:freitag|montag|dienstag|mittwoch|donnerstag|ende)|morgen|werden? (?:wir|ich)|ich (?:muss|werde)|wir (?:müssen|werden|stellen .{1,40} um)|geplant|vamos a|voy a|próxim[oa]|mañana|on va|nous allons|je vais|prochaine?|demain|lundi|vendredi|en (?:septembre|janvier|mars|juin|octobre|enero|marzo|junio))\\b',
  },
]);
