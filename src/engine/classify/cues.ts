import type { Gate } from '../model/memory.js';
import * as w from './words.js';

/**
 * A sign, in the words of a statement, of what it is about. Weights add up per gate; 1 is a hint, 3 settles a
 * statement that has no other sign, a negative weight speaks against the gate.
 */
export interface Cue {
  readonly name: string;
  readonly gate: Gate;
  readonly weight: number;
  /** On the reading of the statement (reading.ts), where people are PERSONNAME, code is CODE and due dates end in DATE. */
  readonly pattern: RegExp;
}

/** Case-insensitive; the sources have no nested repetition, so that matching stays linear. */
const i = (source: string): RegExp => new RegExp(source, 'iu');
const cue = (gate: Gate, weight: number, name: string, pattern: string | RegExp): Cue => ({
  name,
  gate,
  weight,
  pattern: typeof pattern === 'string' ? i(pattern) : pattern,
});

const day = `(?:${w.weekdays})`;
const when = `(?:next (?:sprint|week|month|quarter|year|release|iteration|version|major|minor|patch|milestone|cycle|spring|summer|${day.slice(3, -1)})|tomorrow|tonight|later (?:this|today)|this (?:sprint|quarter|weekend|afternoon|evening)|(?:by|before|until|till|from|in) (?:the (?:end|launch|release|demo|freeze|holidays|conference|audit)|${w.months}|mid|early|late|q[1-4]|h[12]|eod|eow|eom|next|summer|spring|autumn|winter|easter|christmas|${w.weekdays})|over the next|in (?:a few|two|three|\\d+) (?:days|weeks|months|quarters)|week \\d+|soon|eventually|at some point|some day|in the future|down the road|after the (?:launch|release|demo|freeze|holidays|audit|migration|retro))`;

/** Sorted by gate; within a gate roughly from the strongest to the weakest. */
export const gateCues: readonly Cue[] = [
  // Correction: mistakes to avoid, and explicit corrections.
  cue(
    'correction',
    6,
    'prohibition',
    "^(?:please |pls |and |so |also |again,? |hey |just |seriously,? )*(?:do not|don't|dont|do n't|never|avoid|stop|quit|no more|you (?:must|should|can|may) ?(?:not|n't|never)|must not|mustn't|should(?: not|n't|nt)|cannot|can't|under no circumstances|not ever)\\b(?! (?:worry|mind|like|love|been|care|need|want)\\b)",
  ),
  cue(
    'correction',
    3.5,
    'prohibition inside',
    "(?:[,;:.—–-] ?|\\b(?:but|and|so|please) )(?:but |and |so |please )?(?:do not|don't|dont|never|avoid|not ever|stop)\\b",
  ),
  cue(
    'correction',
    3.5,
    'must not',
    "\\b(?:must|should|may|shall|ought)(?:n't| not| never)\\b|\\b(?:is|are|was|were) (?:strictly |never )?(?:forbidden|prohibited|banned|off[- ]limits|not allowed|not permitted|disallowed|verboten|not acceptable|unacceptable|a no-go|not ok(?:ay)?|supposed to never|never (?:supposed|allowed|to be))\\b|\\bno-go\\b|\\bunder no circumstances\\b|\\b(?:is|are) never ok",
  ),
  cue(
    'correction',
    4,
    'not this but that',
    '(?:,| -| –| —|;| \\(| and| but) ?(?:and |but )?not (?!only\\b|just\\b|yet\\b|all\\b|sure\\b|even\\b|every\\b|looking\\b|been\\b|going\\b|necessarily\\b|much\\b|us\\b|with \\w+ing)',
  ),
  cue(
    'correction',
    3.5,
    'not but',
    "\\b(?:is|was|are|it's|that's|its) not\\b.{1,60}?[,;.:—–-] ?(?:but|it's|its|it is|they're|they are|rather|use)\\b|\\b(?:isn't|aren't|wasn't) .{1,60}?[,;.—–-] ?(?:but|it's|it is|they're|rather|use)\\b",
  ),
  cue(
    'correction',
    6,
    'wrong',
    "^(?:nope|nah|wrong|incorrect|not quite|no[,.!:;] )|^(?:nein|non|falsch)[,.! ]|\\b(?:that|this|it|which|answer|fix|assumption|assuming .{1,40}|previous .{1,30}|your .{1,30})(?:'s| is| was| were)(?: just| simply| still| all)? (?:wrong|incorrect|not (?:right|correct|true|what|how))|\\bwrong (?:import|path|port|order|name|file|branch|version|key|table|one|way|place|env\\w*|url|endpoint|type|field)\\b|\\bcorrection\\b|\\bmistakes? (?:to avoid|was|here|you)\\b|\\bmisspoke\\b|\\bis a (?:bug|mistake) here\\b",
  ),
  cue(
    'correction',
    5,
    'you did',
    "\\b(?:you|claude|copilot|the (?:assistant|ai|model|agent|bot)) (?:always |just |also |again |keep |wrongly |incorrectly )?(?:got|were|was|made|keep|kept|used|forgot|misunderstood|misread|assumed|mixed|confused|broke|introduced|hallucinated|invented|suggested|missed|wrote|left|returned|deleted|removed|changed|renamed|ignored|added|put|did|didn't|told|touched|overwrote|skipped|called)\\b|\\b(?:why|what) (?:did|are|were) you\\b|\\byour (?:fix|change|answer|code|last|previous|version|suggestion|solution|assumption)\\b|\\blast time you\\b",
  ),
  cue(
    'correction',
    4.5,
    'I said',
    "\\bi (?:said|meant|asked for|asked you|told you|didn't ask|did not ask|never asked|didn't say|already said)\\b",
  ),
  cue(
    'correction',
    3.5,
    'actually',
    "^(?:well |but |hm+ |no )?actually\\b|, actually\\b|\\bactually (?:called|named|spelled|lives|is|uses|it|the|we)\\b|\\b(?:is|are) really (?:called|named)\\b|\\b(?:is|it's) (?:spelled|spelt)\\b|\\bas i told you\\b|\\bmade (?:it|that) up\\b|\\b(?:does|do)(?:n't| not) exist\\b|\\bthere(?:'s| is) no (?:such )?(?:\\W|CODE|flag|option|method|function|column|field|endpoint|setting|table)|\\bthe (?:right|correct) (?:\\w+ ){1,2}is\\b|\\bis the (?:right|correct) (?:one|way|command|name)\\b",
  ),
  cue(
    'correction',
    2.5,
    'instead of',
    `^(?:please |always )?(?:${w.imperatives}) .{1,80}\\b(?:instead|in place of)\\b|^instead of\\b|, use .{1,40} instead\\b|\\buse .{1,40} instead\\b`,
  ),
  cue(
    'correction',
    3,
    'deprecated',
    "\\b(?:deprecated|obsolete|outdated|legacy)\\b.{0,80}\\b(?:use|instead|switch)\\b|\\b(?:instead of|rather than) the (?:deprecated|legacy|old)\\b|\\bno longer (?:use|using)\\b|\\bwe (?:don't|dont|do not|no longer|stopped) \\w+|\\bwe dropped .{1,40}\\b(?:it's|now|use)\\b",
  ),
  cue(
    'correction',
    5,
    'make sure not',
    "\\b(?:make sure|be sure|be careful|take care|remember|try|ensure|see to it|careful)(?: that)?(?: you| we| it)?(?:'re| are)? (?:not to|never|to not|to never|you don't|we don't|don't|do not|to avoid|not)\\b",
  ),
  cue(
    'correction',
    4.5,
    'no such thing',
    '^no (?!one\\b|need\\b|idea\\b|problem\\b|matter\\b|pr\\b|longer\\b|code is\\b)[!a-z`"\'’ -]{2,60}$|^no [!\\w-]+(?: [\\w-]+){0,3} (?:in|on|here|without|for|please)\\b|^not (?:a |an |the )?[\\w-]+[.,;:]',
  ),
  cue(
    'correction',
    5,
    'verbot',
    "\\b(?:niemals|keinesfalls|auf keinen fall|nicht (?:direkt|mehr|ohne|die|den|das|\\w+en)|keine? .{1,40}(?:verwenden|benutzen|nutzen|machen|committen)|ne (?:jamais|pas)|n'\\w+ (?:pas|jamais)|no (?:uses|usar|hagas|toques|pongas)|nunca)\\b|, nicht \\w|\\bund nicht \\w|\\bse llama\\b|\\bheißt .{1,40}\\bnicht\\b",
  ),

  // Behavioral: what I, or we, habitually do, like or want.
  cue(
    'behavioral',
    3.5,
    'I do',
    "\\bi(?: also| really| strongly| just| mostly| only| still| rather| personally| almost| always| usually| never| generally| often| typically| normally| tend to| like to| try to)* (?!will|'ll|am\\b|was\\b|were\\b|had\\b|have (?:to|until|never|a meeting)\\b|need to|must\\b|promised|plan\\b|report\\b|lead\\b|maintain\\b|manage\\b|own\\b|owe\\b|hope|intend|agreed|volunteered|committed|said|meant|told|didn't|shall|got\\b|gotta|should\\b|still have|took|sit\\b|noticed|learned|found\\b|fixed|found|and\\b|may\\b|might\\b|could\\b|can\\b|do not know|share\\b|mentor\\b|supervise\\b|pair with|work (?:with PERSONNAME|at\\b|for\\b)|want to (?:try|do|finish|ship|get)\\b)[a-z']+(?<!ed)\\b",
  ),
  cue(
    'behavioral',
    2,
    'I like',
    "\\bi(?:'d| would)? (?:\\w+ly )?(?:prefer|like|love|enjoy|hate|dislike|favou?r|want you|expect|can't stand|always|usually|never|tend|appreciate|rather|insist)\\b|\\bi'd rather\\b|\\bi would rather\\b",
  ),
  cue(
    'behavioral',
    3,
    'I am',
    "\\bi'm (?!on\\b|part\\b|in the\\b|the\\b|going|gonna|planning|hoping|giving|out\\b|working|debugging|stuck|trying|in\\b|currently|still|looking|about\\b|supposed|waiting|taking|writing|preparing|investigating|profiling|seeing|getting|running|moving)\\w+|\\bi am (?:used|more|most|comfortable|picky|a (?:fan|heavy|big))\\b",
  ),
  cue(
    'behavioral',
    4,
    'my way',
    "\\bmy (?:preferred|favou?rite|default|usual|go-to|personal|typical|normal|main|daily|dotfiles|editor|ide|shell|terminal|keyboard|setup|workflow|style|coding|preference|habit|approach|rule|convention|font|theme|stack|machine|laptop|os|testing|background|experience|commits|prs|code|tests|branches|languages?)\\b|\\bpersonal(?:ly)?(?: preference)?\\b|\\bpet peeve\\b|\\bfor me$|\\bthat's how i\\b|\\bhow i (?:like|work|do|structure|want|write)\\b|\\bwhere i live\\b|\\bnot looking back\\b|\\b(?:never been|not) a fan of\\b|\\bas a habit\\b|\\bin my (?:code|projects|experience|commits)\\b|\\bmy (?:[\\w-]+ ){0,3}(?:is|are|lives?)\\b",
  ),
  cue(
    'behavioral',
    5,
    'user prefers',
    "^(?:the |this )?(?:user|developer|dev)(?:'s)? (?:always |usually |never |also |mostly |often |generally )?(?:prefers?|likes?|loves?|hates?|dislikes?|uses|wants|writes|works|runs|avoids|expects|tends|enjoys|preference|iterates|values|cares|asks|types|reads|thinks|insists|switched|favou?rs|needs|works|commits|trusts|codes|develops)\\b|^(?:prefers|likes|loves|hates|dislikes|uses|wants|writes|works|runs|avoids|expects|tends|enjoys|trusts|switched|codes|develops|insists|values|thinks|types|reads|favou?rs|appreciates|cares|asks|learns)\\b",
  ),
  cue(
    'behavioral',
    4,
    'prefer',
    "^(?:please |always |strongly )?(?:prefer|favou?r|default to|stick to|stick with|lean towards)\\b|\\bpreference\\b|\\bpreferably\\b|\\bwe(?: all| really| strongly| generally)? (?:prefer|like|favou?r|love|hate|dislike)\\b|\\w+ (?:>|over) \\w+, always\\b|^don't like\\b| please$|^please\\b|\\brather than (?:\\w+ing|nested|raw|guessing|guess|creating)\\b",
  ),
  cue(
    'behavioral',
    4,
    'standing instruction',
    '^(?:please |and |also )?(?:always|make sure|ensure|be sure|remember to|try to|whenever|every time|each time|if (?:you|in doubt|unsure|i)|before (?:you|every|each|committing|pushing|merging|coding|writing|starting|editing|any)|after (?:you|every|each|editing|changing|any)|when (?:you|writing|adding|creating|editing|committing|naming|reviewing|in doubt|asked|answering|i (?:ask|say|write)|generating|making|possible))\\b|\\bwhen i say\\b|\\bunless i ask\\b|\\bwith me(?: first)?\\b|\\bwait for my\\b|\\bask me\\b|\\bgive me\\b|\\bshow me\\b|\\btell me\\b',
  ),
  cue(
    'behavioral',
    3.5,
    'instruction',
    `^(?:please |pls |just |first |then |and |always )*(?:${w.imperatives})\\b${w.notNoun}`,
  ),
  cue(
    'behavioral',
    3,
    'our habit',
    "\\bwe(?: all| also)? (?:always|usually|never|generally|typically|normally|mostly|tend to|try to|aim (?:to|for) (?!ship|release|be on|have)|like to|avoid|follow|squash|rebase|merge|name|format|indent|write|pair|keep|review|timebox|do (?!not\\b|have\\b)|let|commit|test|document|deploy (?:only|behind|after|every|on)|only (?:merge|deploy|release|commit)|ask|sign|work|estimate|demo|discuss|celebrate|rotate|refactor|start every|don't \\w+ (?:until|without|unless))\\b|\\bour (?:own )?(?:convention|style|code style|coding style|habit|rule|practice|policy|workflow|standard|guideline|naming|team rule|way of)\\b|\\bhouse (?:style|rule)|\\bthat's our rule\\b",
  ),
  cue('behavioral', 1.2, 'way of working', `\\b(?:${w.workflow})\\b`),
  cue(
    'behavioral',
    2,
    'should',
    '\\b(?:commits?|commit messages?|messages?|functions?|tests?|test names?|prs?|pull requests?|branch(?:es)?(?: names)?|comments?|files?|variables?|names?|classes|methods?|components?|docs|docstrings|code|constants?|every (?:bug fix|endpoint|pr|function)|each \\w+|answers?|explanations?|booleans?) (?:should|must|ought to|have to|has to|go|goes|get|read like|start|stay|are written|named)\\b|^(?:constants|variables|files|functions|classes|components|booleans|tests|comments|imports|hooks|types|interfaces|enums)(?: \\w+)? (?:in|named|go|read|above|first|next|with|at|are)\\b',
  ),
  cue(
    'behavioral',
    3.5,
    'ich mag',
    "\\b(?:ich (?:bevorzuge|mag|nutze|arbeite|schreibe|verwende|benutze|hasse|liebe|will|möchte|teste|programmiere)|(?:normalerweise|meistens|immer|grundsätzlich) \\w+ ich|je (?:préfère|prefere|déteste|n'aime|travaille|utilise|veux|code|teste)|j'(?:utilise|aime|écris|évite)|prefiero|me gusta|(?:siempre|normalmente|nunca) (?:uso|escribo|trabajo|hago|pruebo)|uso siempre|bitte (?:immer|auf deutsch))\\b",
  ),

  // Relational: people, teams, who owns and knows what.
  cue(
    'relational',
    3.5,
    'person does',
    `\\bPERSONNAME(?:(?: and|,| &|/|,? and) (?:PERSONNAME|i)| \\([^)]{1,40}\\)| \\p{Lu}[\\p{L}]+|,? (?:from|in|on|at) (?:the )?[\\w ]{1,20}?)?,? (?:usually |always |currently |also |now |still |only |mostly |directly )*(?:${w.peopleVerbs})(?![\\w])`,
  ),
  cue('relational', 2.5, 'person', /\bPERSONNAME\b/u),
  cue(
    'relational',
    4,
    'person is role',
    `\\bPERSONNAME\\b.{0,30}\\b(?:${w.roles})\\b|\\b(?:${w.roles})\\b.{0,40}?\\bPERSONNAME\\b|\\bPERSONNAME(?:'s)? (?:the|our|my)\\b|\\b(?:go|goes|belongs?|report|reports|come|comes|delegated?|handed|routed?|translations?) (?:\\w+ )?(?:to|from|through|by) PERSONNAME\\b|: PERSONNAME\\b|\\bnobody but \\p{Lu}|\\b(?:mr|mrs|ms|dr)\\.? \\p{Lu}`,
  ),
  {
    name: 'name leads',
    gate: 'relational',
    weight: 3.5,
    pattern: new RegExp(
      `^(?!(?:${w.products
        .split('|')
        .map(word => `[${word[0]!.toUpperCase()}${word[0]!}]${word.slice(1).replace(/\(\?:/g, '(?:')}`)
        .join(
          '|',
        )})\\b)\\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)? (?:leads|owns|manages|mentors|reviews|approves|oversees|heads|supervises|reports to|authored|covers|sits|joined|left|stepped|took over|knows|speaks|works (?:on|with|from|part)|can deploy|is (?:on (?:vacation|leave|call|parental|holiday|PTO)|out|back|based|responsible|in charge|(?:the|our|my) (?:[\\w-]+ )*(?:lead|manager|owner|designer|PM|CTO|contact|reviewer|maintainer|expert|person|backup|tester|architect)))\\b`,
      'u',
    ),
  },
  cue(
    'relational',
    4,
    'team does',
    "\\b(?:the|our|my|their|another|this|that)(?: [\\w-]+){0,3} (?:team|teams|squad|squads|tribe|guild|crew|department|committee|chapter|trio|org)(?:'s)?\\b(?! (?:ids?|table|model|settings|plan|page|slug|endpoint|object|entity|feature|rule))|^(?:[\\w-]+ ){1,2}(?:team|squad|guild|folks|people)\\b|^teams? |\\bsquad \\p{Lu}|\\b(?:the |our )?(?:rest of the )?team (?:is|has|sits|lead|uses|wants|works|meets|are)\\b|\\bwir sind (?:ein team|zu)\\b",
  ),
  cue(
    'relational',
    3.5,
    'role',
    `(?:\\b(?:my|our|their|his|her|new|primary|current|acting|other|dedicated|the only|merge|external|each other's)(?: [\\w-]+)? (?:${w.roles})\\b|^(?:the )?(?:${w.roles}) (?:of|for|in|at|is|wants|has|must|this|still|on|approves?|decides?)\\b|^(?:the )?(?:${w.roles}):)(?! (?:${w.notRole})\\b)`,
  ),
  cue('relational', 2.5, 'people', `\\b(?:${w.people})\\b(?! (?:${w.notRole})\\b)`),
  cue(
    'relational',
    3,
    'department does',
    `^(?:the |our )?(?:${w.departments}) (?:is|are|sits|needs to|has to|must|approves?|owns?|handles?|wants?|in|runs?|signs|decides?|reviews?|does|works?|gets?|meets?|team|group|people|folks|guys|crew|manages?|prefers?|reports?) (?!a \\w+ (?:module|service|app)|in \\w+ \\d|handled|stored|done|configured|implemented|on:|CODE)|\\bfrom (?:${w.departments})\\b|\\bin (?:procurement|finance|legal|marketing|sales|accounting)\\b|\\b(?:is|for) finance\\b`,
  ),
  cue(
    'relational',
    3,
    'ownership',
    '\\b(?:owned|maintained|led|run|managed|reviewed|approved|handled|staffed|headed|signed off|written|answered|outsourced|authored) (?:by|to) (?!the (?:cron|job|scheduler|api|server|client|service|framework|ci|cd|system|kernel|script)|turborepo|CODE|nginx|husky)(?:two|three|four|an?|the|our|PERSONNAME|\\p{Lu})|\\b(?:responsible for|in charge of|accountable for|points? of contact|contact (?:for|is|at|person)|poc for|go-to (?:person|for)|reports? (?:directly )?to|reporting line|direct reports?|on-?call|on duty|code ?owners?|sign off on|signs? off|belongs to (?:the )?[\\w ]{0,20}(?:team|squad|guild|group)|(?:merge|admin|commit) (?:rights|access)|shares? responsibility|the person to|who to ask|whoever|escalat\\w+)\\b',
  ),
  cue(
    'relational',
    4.5,
    'ask whom',
    '\\b(?:ask|ping|contact|reach out to|talk to|talk with|check with|speak to|escalate (?:\\w+ )?to|consult|cc|loop in|tag|assign .{1,30} to|go to|goes to|notify|page|email|dm|message|bother|route .{1,30} through) (?:with )?(?:PERSONNAME|the [\\w -]{1,30}(?:team|lead|owner|manager|channel|group|squad|people|folks|commander|guild|schedule)|@\\w|#\\w|him\\b|her\\b|\\p{Lu}\\p{Ll}+ (?:before|about|for))|\\bgo(?:es)? to #|: #[a-z]|#[a-z][\\w-]{2,30}\\b.{0,30}\\b(?:channel|slack)|\\bslack channel\\b|\\bin #[a-z]|\\bto #[a-z]',
  ),
  cue(
    'relational',
    3,
    'where people are',
    /\b(?:based in|lives? in \p{Lu}|sits? (?:in|with|next)|are in \p{Lu}\p{Ll}+|(?:is|are) (?:both |mostly |all )?in \p{Lu}\p{Ll}+(?! (?:Server|Cloud))|work(?:s|ing)? remotely|(?:is|are) remote|part[- ]time|full[- ]time|on (?:vacation|holiday|leave|pto|PTO|sick leave|parental leave|maternity leave|paternity leave|sabbatical)|out (?:sick|of office)|(?:is|are|'m|'re) (?:away|out)\b|office hours|joined (?:us|the (?:team|company))|left the company|pronouns|hours ahead|hours behind|hours? earlier|(?:PST|CET|CEST|IST|EST|GMT|Eastern|Pacific) time|timezone is|on (?:Eastern|Pacific|Central) time|[’']s timezone|overlap is)\b/u,
  ),
  cue(
    'relational',
    4.5,
    'I among people',
    "\\bi (?:report to|work (?:with PERSONNAME|at|for|on the [\\w ]{1,25}team|alongside)|am on the [\\w ]{1,25}team|am part of|belong to|lead|manage|mentor|own|maintain|pair with|sit (?:next|with)|supervise|share)\\b|\\bi'm (?:on|part of|in) the [\\w ]{1,25}(?:team|squad|crew|guild)\\b|\\bi'm (?:the|a|an) [\\w -]{0,30}?(?:lead|engineer|developer|manager|architect|designer|maintainer|owner|contractor|freelancer|student|consultant)\\b|\\bmy (?:team|manager|boss|colleague|teammate|co-?worker|mentor|report|reports|company|employer|client|backup|skip-level|tech lead|lead|intern|squad)\\b|\\band i (?:pair|share|work|own|split|maintain)\\b",
  ),
  cue(
    'relational',
    2,
    'meeting',
    '\\b(?:stand-?ups?|1:1s?|one-on-ones?|sync meeting|weekly sync|sprint review|all[- ]hands|status mail|meets (?:every|monthly|weekly|on|once)|calls more than|rotation)\\b',
  ),
  cue(
    'relational',
    4,
    'wer',
    "\\b(?:leitet|ist (?:für .{1,40} )?(?:zuständig|verantwortlich)|es (?:el|la) responsable|se encarga de|c'est PERSONNAME qui|s'occupe de|est responsable|gère|lidera|kümmert sich um)\\b",
  ),

  // Promissory: commitments, plans, what will be done.
  cue(
    'promissory',
    5,
    'I will',
    "\\b(?:i|we)(?:'ll| will| shall|'m going to|'re going to| am going to| are going to|'m gonna|'re gonna| gonna)(?: (?:also|then|still|probably|likely|definitely|just))? (?!not\\b|never\\b|always\\b|usually\\b|get an?\\b|need\\b|see\\b)[a-z]|^(?:will|gonna|going to|shall) (?!not\\b|fail\\b|return\\b)[a-z]",
  ),
  cue(
    'promissory',
    4,
    'will be done',
    '\\b(?:will|shall|is going to|are going to|is to|are to|to) be (?:\\w+ly )?(?:removed|deprecated|released|launched|migrated|replaced|shipped|done|finished|completed|merged|added|moved|retired|sunset|dropped|renamed|rolled out|delivered|deployed|rewritten|refactored|announced|decommissioned|discontinued|turned off|shut down|upgraded|ready|fixed|implemented|available|published|introduced|handled in|addressed|out of|live|supported|removed)\\b|\\bgets? (?:removed|retired|dropped|replaced|sunset|deprecated|deleted|merged|rewritten) (?:in|at|by|after|with|next|once)\\b',
  ),
  cue(
    'promissory',
    7,
    'person will',
    "\\bPERSONNAME(?:(?: and|,) PERSONNAME)?(?:'ll| will| is going to| are going to| promised| agreed to| offered to| committed to| plans to| needs (?:to|the|\\w+ \\w+ by)| has to| volunteered| is supposed to| is (?:preparing|writing|finishing|sending|taking over|working on .{1,40} (?:for|by|until))| finishes| delivers| updates| sends| starts| to (?:review|write|follow|send|check|fix|update|finish|investigate|prepare|draft|schedule))\\b",
  ),
  cue(
    'promissory',
    5,
    'promise',
    '\\b(?:promised?(?! (?:rejection|chain|resolve))|committed to|agreed (?:to (?!use\\b)|with .{1,30} to)|pledged?|signed up to|i owe|on the hook|volunteered to|assigned to me|offered to|vowed|happy to (?:take|do|help|write)|owner (?:me|infra|is me)|we have until|i have until)\\b',
  ),
  cue(
    'promissory',
    5,
    'plan',
    `\\b(?:plan(?:s|ned)? (?:to|for (?:${w.months}|next|q[1-4]|the (?:next|end)|v\\d))|planning (?:to|a (?!poker)|the)|plans? (?:is|are)|(?:is|are) planned|^planned|intend(?:s|ing)? to|aim(?:s|ing)? to (?:ship|release|launch|finish|have|be|deliver|complete|migrate)|aiming|targeting|scheduled|slated|due (?:on|by|in|next|this|before|date|for|tomorrow|${w.weekdays})|(?:is|are) due|deadline (?:for|is|of|:)|eta|roadmap|milestone|upcoming|on track|launch date|release date|sunset date|go-live|goes? live|postponed|pushed .{0,30}(?:back )?to|rescheduled|moved (?:back |forward )?to (?:${w.weekdays}|next|${w.months}|q[1-4])|kick-?off|code freeze|is set for|are set for|set for the|hoping to|hope to|hopefully|looking forward to|coming up|comes out|starts? (?:on|in|next)|begins? (?:on|in|next)|ends with|is all about|not started yet|i'd like to|we'd like to|want to (?:get rid|move|migrate|ship|drop|try|merge|replace|finish|launch|adopt|have)|is on for|are moving (?:off|to|from)|is moving to)\\b|^plan:`,
  ),
  cue(
    'promissory',
    5,
    'to do',
    "^(?:todo|to-do|to do|to be done|fixme|action item|action|ai|next steps?|follow[- ]?up|next up|remaining|still to do|open|pending|backlog|reminder to|retro action|left|sprint \\d+|sprint goal|goal|goals|milestone \\d*|waiting for|waiting on)\\b[ :,)-]|\\b(?:todo:|need to follow up|follow[- ]?up (?:with|on|from)|remind me|still (?:need|needs|have|has) to|still to do|remains to be|yet to be|next step is|action items?|left to do|to be done|sprint'?s? goal|goal for (?:this|the)|circle back|get back to|revisit)\\b|^\\[ \\]",
  ),
  cue(
    'promissory',
    3.5,
    'need to',
    "\\b(?:i|we) (?:still |really |also |first )?(?:need to|have to|ought to|gotta|got to|should probably|should (?:migrate|move|replace|upgrade|look|investigate|revisit|add|fix|clean|rewrite|switch)) (?!be able|always|not\\b)[a-z]+|\\bneeds? to be (?:done|fixed|updated|migrated|removed|replaced|rewritten|finished|reviewed|merged|cleaned|addressed|moved|refactored)\\b|^need to\\b|^gotta\\b|\\blet's\\b|^lets\\b|^hold off\\b|^(?:have|must) to\\b|\\b(?:i|we) must (?!not|never)",
  ),
  cue('promissory', 3, 'ahead', when),
  cue(
    'promissory',
    2.5,
    'once that',
    "^(?:once|as soon as|when|after) .{1,60}(?:, )?(?:i|we)(?:'ll| will)? |\\b(?:once|as soon as|when) (?:the|#|it|that|this|both) .{1,40} (?:is|are) (?:merged|done|final|fixed|out|in|gone|live|ready|released)\\b|\\b(?:later|then we start|until the (?:vendor|audit|release|end))\\b",
  ),
  cue('promissory', 3, 'date', /\bDATE$/u),
  cue(
    'promissory',
    3,
    'decided ahead',
    `\\b(?:decided|agreed|decision|want|wants|aim|move|switch|going)\\b.{1,100}\\b(?:${when}|from (?:${w.months}) on|at the end of|in the new)`,
  ),
  cue(
    'promissory',
    4.5,
    'werde',
    '\\b(?:nächste[nrs]?|bis (?:freitag|montag|dienstag|mittwoch|donnerstag|ende)|morgen|werden? (?:wir|ich)|ich (?:muss|werde)|wir (?:müssen|werden|stellen .{1,40} um)|geplant|vamos a|voy a|próxim[oa]|mañana|on va|nous allons|je vais|prochaine?|demain|lundi|vendredi|en (?:septembre|janvier|mars|juin|octobre|enero|marzo|junio))\\b',
  ),

  // Epistemic: facts about systems.
  cue(
    'epistemic',
    1.5,
    'our system',
    '\\b(?:our|the|this|each|every|all)(?: [\\w./-]+){0,3} (?:apis?|app|apps|application|services?|microservices?|servers?|backend|frontend|database|db|tables?|columns?|schema|index|endpoints?|routes?|cluster|cache|queue|topic|workers?|jobs?|cron|pipeline|build|ci|repo|repository|monorepo|modules?|packages?|library|sdk|cli|clients?|gateway|proxy|load balancer|containers?|images?|config|configuration|settings|env|environment|variables?|flags?|tokens?|sessions?|auth|authentication|middleware|migrations?|components?|hook|class|classes|function|functions|methods?|handlers?|controllers?|models?|types?|interface|folder|directory|scripts?|test suite|tests|e2e tests|bundle|bundler|compiler|webhooks?|buckets?|storage|dashboard|logs|metrics|staging|production|prod|domain|url|ports?|keys?|version|plugins?|extension|parser|scheduler|store|state|responses?|requests?|payload|headers?|cookies?|users?|stack|codebase|limit|timeout|dockerfile|makefile|website|site|data|pool|connection|search|error|bug|page|form|button|quer(?:y|ies)|engine|daemon|field|fields|report|export|incident|ledger|chart|runners?|artefacts?|artifacts?|emulator|binary|driver|entity|event bus|events?)\\b',
  ),
  cue(
    'epistemic',
    2.5,
    'we run',
    "\\bwe(?: currently| also| now| only| still| both)? (?:use|deploy (?:to|on|via|with)|run|host|store|have (?:a|an|two|three|one|no)\\b|rely|depend|support|build|serve|cache|log|send|encrypt|expose|generate|self-host|authenticate|version|publish|moved|migrated|switched|chose|picked|went|adopted|replaced|removed|added|built|pin|consume|considered|are (?:on|using|running|hosted)|'re (?:on|using|running)|had|reali[sz]ed|found)\\b",
  ),
  cue(
    'epistemic',
    3,
    'decided',
    '\\b(?:decided|decision|chose|chosen|was picked|were picked|^picked|opted|went with|settled on|agreed (?:on|to use|that)|adopted|selected|standardi[sz]ed on|ruled out|rejected|rationale|trade-?off|supersedes|adr)\\b',
  ),
  cue(
    'epistemic',
    2,
    'works so',
    '\\b(?:is|are) (?:only |also |not |always |automatically |still )?(?:stored|kept|located|defined|configured|deployed|hosted|written|implemented|generated|handled|cached|built|exposed|encrypted|signed|served|backed|called|mounted|loaded|parsed|validated|limited|set|based|split|compiled|structured|indexed|partitioned|sharded|replicated|versioned|enabled|disabled|required|protected|rate[- ]limited|idempotent|async\\w*|eventually|single|multi\\w*|in|under|at|on port|behind|at most|public|internal|intentional|immutable|append-only|nullable|experimental|cursor|reset|rebuilt|retrained|computed|registered|checked|published|produced|buffered|exported|synced|shared|bundled|used|read|open|unknown|rounded|sequential|a single|a thin|a two-step|by design)\\b|\\b(?:lives?|runs?|sits?|listens?) (?:in|on|at|under|behind|as|inside|every|nightly|hourly|daily)\\b|\\b(?:returns?|requires?|depends? on|expects?|contains?|consists? of|supports?|stores?|reads? from|writes? (?:to|results)|talks? to|points? to|maps? to|extends|inherits|implements|emits|publishes|consumes|triggers|validates|expires?|exposes|accepts|rejects|throws|fails?|breaks|crashes|times? out|caches|proxies|loads|defaults to|belongs? to|rotates|retries|scales|drops|strips|blocks|guarantees|counts|maps|happens|streams|pulls|computes|exits|bundles|ships as|follows|costs|buffers|wipes|chokes|hangs|backtracks|holds)\\b',
  ),
  cue(
    'epistemic',
    3,
    'found out',
    "\\b(?:turns out|root cause|caused by|the reason|because of|found (?:out )?(?:that|the)|discovered|learned|reali[sz]ed|noticed|figured out|the (?:fix|problem|issue|bug|culprit|cause|trick|workaround|bottleneck|incident|outage) (?:is|was)|lesson|gotcha|caveat|quirk|silently|race condition|memory leak|flaky|workaround|temporarily|reproduc\\w+|regression|stack ?trace|happens when|only (?:works|happens|fails) (?:if|when|with|on)|due to|that's why|shows (?:that|most)|prevented|single point of failure)\\b",
  ),
  cue(
    'epistemic',
    3.5,
    'done',
    "^(?:done:|wip\\b|summary|session summary|in this session)|^(?:i|we|just|i've|we've|i just)? ?(?:just |have )?(?:fixed|added|implemented|refactored|finished|completed|merged|shipped|removed|migrated|moved|renamed|upgraded|updated|released|deployed|rewrote|replaced|introduced|created|tested|investigated|debugged|reverted|bumped|enabled|disabled|learned|found)\\b(?! (?:to|the (?:endpoint|object)s? (?:get|will)))|\\b(?:currently|right now|at the moment|in the middle of|working on|wip|in progress|(?:is|are) (?:failing|broken|down|red)|stuck on|debugging|investigating|profiling|bisecting|on my branch)\\b",
  ),
  cue(
    'epistemic',
    0.6,
    'code',
    /\bCODE\b|\b[a-z]+[A-Z]\w+\b|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|\b\w+\.(?:ts|js|py|go|rs|java|json|ya?ml|toml|sql|sh|env|tsx|cs|rb|md)\b|\bv?\d+\.\d+/u,
  ),
  cue(
    'epistemic',
    1,
    'how many',
    '\\b\\d+(?:\\.\\d+)? ?(?:ms|s|seconds?|minutes?|mins?|hours?|days|kb|mb|gb|tb|%|percent|requests?|rows|connections|replicas|nodes|cores|pods|shards|partitions|retries|formats?)\\b|\\bport \\d+|:\\d{4}\\b',
  ),
  cue(
    'epistemic',
    2,
    'things do',
    '\\b(?:will|would|can) (?:\\w+ly )?(?:fail|retry|block|be rejected|return|throw|crash|break|time out|time ?out|cause|reject|log|exit|expire|belong|have many|change between)\\b',
  ),
  cue(
    'epistemic',
    2,
    'das System',
    '\\b(?:läuft (?:auf|in)|ist (?:in .{1,40} geschrieben|\\p{Lu}\\w+ \\d)|die datenbank|das (?:frontend|backend)|la base de datos|el servicio|está en|est versionnée|est (?:écrit|hébergé)|usa [A-Z])\\b',
  ),
];
