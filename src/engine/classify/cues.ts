import type { Gate } from '../model/memory.js';

/**
 * A sign, in the words of a statement, of what it is about. Weights add up per gate; 1 is a hint, 3 settles a
 * statement that has no other sign, a negative weight speaks against the gate.
 */
export interface Cue {
  readonly name: string;
  readonly gate: Gate;
  readonly weight: number;
  /** Case-insensitive, on the reading of the statement (reading.ts); without nested repetition. */
  readonly pattern: RegExp;
}

const i = (source: string): RegExp => new RegExp(source, 'iu');

/** Verbs that tell what somebody habitually does, likes or wants. */
const habits =
  'always|usually|never|generally|typically|normally|mostly|often|tend to|prefer|like|love|enjoy|hate|dislike|favou?r|avoid|insist|stick (?:to|with)|rely on|use|write|run|code|work (?:in|with|from|on)|format|indent|type|name|commit|squash|rebase|test|start|expect|want|read|keep|organi[sz]e|structure|choose|pick|go with|opt|develop|debug|review|reach for|default to|lean|value|care|follow|need|sign|do|find it easier|think in|deploy|live in|set up|skip|refuse|appreciate|stay|reserve|separate|put|wrap|build|learn best|am used to|am comfortable|am a';
/** Words of style and workflow: how people work, as opposed to what the system is. */
const workflow =
  'tabs?|spaces|indent\\w*|commit messages?|commits|pull requests?|prs?|branch(?:es| names?)?|rebas\\w+|squash\\w*|merge commits?|conventional commits|semicolons?|quotes|naming|camelcase|snake_case|pascalcase|kebab-case|tdd|unit tests?|lint\\w*|prettier|formatt\\w+|early returns?|comments?|docstrings?|type hints?|trunk[- ]based|pair[- ]program\\w*|code reviews?|one-liners?|dark mode|editor|vim|neovim|vs ?code|emacs|jetbrains|shortcuts?|readab\\w+|functional|composition|immutab\\w+|arrow functions?|named exports?';
const roleNouns =
  'manager|boss|lead|tech lead|team lead|teammates?|colleagues?|cto|ceo|cfo|vp|head of \\w+|pm|po|product owner|product manager|project manager|designer|architect|intern|contractor|freelancer|consultant|client|stakeholders?|reviewers?|approvers?|maintainers?|code ?owners?|owner|point of contact|contact|mentor|scrum master|analyst|sre|dba|recruiter|founder|co-founder|director|engineering manager|em|new hire|buddy|on-?call';
const peopleVerbs =
  'leads?|owns?|manages?|maintains?|mentors?|reviews?|approves?|oversees?|heads|supervises|coordinates|handles?|runs|drives|works? (?:on|with|in|from|at|for|remotely|part)|is (?:the|our|my|a|an|on|in|at|based|responsible|in charge|located|away|out|off|leaving|joining|new|currently|also|usually|taking|covering)|was (?:the|our|promoted|hired)|has (?:admin|access|the|final|been|experience|moved|left|joined|taken)|reports? to|joined|left|took over|takes care|knows|wrote|built|sits|lives|prefers?|likes?|wants?|hates?|needs?|gave|asked|covers?|supports?|looks after|deals with|signs off|can help|is|speaks|uses|does|designs?|writes|set up|created|started|decides|should review|must approve|has to approve|usually|always|never';

/** Sorted by gate; within a gate the strongest signs first. */
export const gateCues: readonly Cue[] = [
  // correction: mistakes to avoid, and explicit corrections
  {
    name: 'prohibition',
    gate: 'correction',
    weight: 5,
    pattern: i(
      "^(?:please |pls |and |so |also |again,? )?(?:do not|don't|dont|do n't|never|avoid|stop|quit|no more|you (?:must|should|can) ?(?:not|n't|never)|must not|mustn't|should not|shouldn't|cannot|can't)\\b(?! (?:worry|mind)\\b)",
    ),
  },
  {
    name: 'prohibition inside',
    gate: 'correction',
    weight: 3.5,
    pattern: i("[,;:.—–-] ?(?:but |and |so |please )?(?:do not|don't|dont|never|avoid|not ever|stop)\\b"),
  },
  {
    name: 'must not',
    gate: 'correction',
    weight: 3,
    pattern: i(
      "\\b(?:must|should|may|shall|ought) ?(?:not|n't|never)\\b|\\b(?:mustn't|shouldn't)\\b|\\b(?:is|are) (?:forbidden|prohibited|banned|off[- ]limits|not allowed|not permitted|disallowed|verboten)\\b|\\bunder no circumstances\\b",
    ),
  },
  {
    name: 'not this but that',
    gate: 'correction',
    weight: 3.5,
    pattern: i('(?:,| -| –| —|;| \\() ?(?:and )?not\\b(?! (?:only|just|yet|all|sure|even|every)\\b)'),
  },
  {
    name: 'not but',
    gate: 'correction',
    weight: 3.5,
    pattern: i(
      "\\b(?:is|was|are|it's|that's)(?: not|n't)\\b.{1,60}?[,;.—–-] ?(?:but|it's|it is|they're|they are|rather|use)\\b|\\b(?:isn't|aren't|wasn't) .{1,60}?[,;.—–-] ?(?:but|it's|it is|they're|rather|use)\\b",
    ),
  },
  {
    name: 'wrong',
    gate: 'correction',
    weight: 3.5,
    pattern: i(
      "^(?:no|nope|nah|wrong|incorrect)\\b[,.:! -]|\\bthat(?:'s| is| was)(?: just| simply| still)? (?:wrong|incorrect|not (?:right|correct|true|what|how))|\\b(?:you|claude|copilot|the (?:assistant|ai|model)) (?:got|were|was|made|keep|kept|used|forgot|misunderstood|misread|assumed|mixed|confused|broke|introduced|hallucinated|invented|suggested|wrongly|again)\\b|\\bi (?:said|meant|asked for)\\b|\\bcorrection\\b|\\bmistak\\w+\\b",
    ),
  },
  {
    name: 'actually',
    gate: 'correction',
    weight: 2.5,
    pattern: i(
      '^(?:well |but )?actually\\b|, actually\\b|\\bactually (?:called|named|spelled|lives|is|uses|it|the|we)\\b|\\bis really (?:called|named)\\b',
    ),
  },
  {
    name: 'instead of',
    gate: 'correction',
    weight: 2,
    pattern: i(
      '^(?:please |always )?(?:use|call|import|run|write|put|return|import|pass|read|set|go through) .{1,80}\\b(?:instead|rather than|in place of)\\b|^instead of\\b',
    ),
  },
  {
    name: 'deprecated',
    gate: 'correction',
    weight: 2.5,
    pattern: i(
      '\\b(?:deprecated|obsolete|outdated|legacy|no longer (?:used|valid|supported|exists?|available|maintained|the))\\b.{0,80}\\b(?:use|instead|switch|replaced)\\b|\\bno longer (?:use|using)\\b',
    ),
  },
  {
    name: 'make sure not',
    gate: 'correction',
    weight: 4,
    pattern: i(
      "\\b(?:make sure|be sure|be careful|take care|remember|try|ensure)(?: that)?(?: you| we)? (?:not to|never|to not|to never|you don't|we don't|to avoid)\\b",
    ),
  },

  // behavioral: what I, or we, habitually do, like or want
  {
    name: 'I habitually',
    gate: 'behavioral',
    weight: 4,
    pattern: i(
      `\\b(?:i|i'd|i would)(?: also| really| strongly| just| mostly| only| still| rather| personally| almost)? (?:${habits})\\b(?! you to remember)`,
    ),
  },
  {
    name: 'my way',
    gate: 'behavioral',
    weight: 3.5,
    pattern: i(
      '\\bmy (?:preferred|favou?rite|default|usual|go-to|personal|typical|normal|main|daily|dotfiles|editor|ide|shell|terminal|keyboard|setup|workflow|style|coding|preference|habit|approach|rule|convention|font|theme|stack of choice|machine|laptop|os)\\b|\\bpersonal(?:ly)? preference\\b|\\bpet peeve\\b|\\bfor me\\b',
    ),
  },
  {
    name: 'user prefers',
    gate: 'behavioral',
    weight: 4,
    pattern: i(
      "^(?:the |this )?(?:user|developer|dev)(?:'s)? (?!table|model|id|service|entity|record|schema|profile|data|api|account|must|can|object|store|session|interface|endpoint)|^(?:prefers|likes|loves|hates|dislikes|uses|wants|writes|works|always|usually|never|runs|avoids|expects|tends|enjoys)\\b",
    ),
  },
  {
    name: 'prefer',
    gate: 'behavioral',
    weight: 3.5,
    pattern: i(
      '^(?:please |always |strongly )?(?:prefer|favou?r|default to|stick to|stick with|lean towards)\\b|\\bpreference\\b|\\bpreferably\\b|\\bwe(?: all| really| strongly| generally)? (?:prefer|like|favou?r|love|hate|dislike)\\b',
    ),
  },
  {
    name: 'standing instruction',
    gate: 'behavioral',
    weight: 3.5,
    pattern: i(
      '^(?:please |and |also )?(?:always|make sure|ensure|be sure|remember to|try to|whenever|every time|each time|before (?:you|every|each|committing|pushing|merging)|after (?:you|every|each|editing|changing)|when (?:you|writing|adding|creating|editing|committing|naming|reviewing|in doubt|asked|answering|i (?:ask|say)))\\b',
    ),
  },
  {
    name: 'instruction',
    gate: 'behavioral',
    weight: 2.5,
    pattern: i(
      '^(?:please |pls |just )?(?:use|write|keep|add|put|name|run|format|indent|follow|include|start|begin|end|limit|group|sort|order|document|comment|test|mock|wrap|return|throw|handle|log|check|ask|explain|show|give|respond|answer|reply|be|let|leave|make|create|place|store|import|export|declare|define|extract|split|commit|push|squash|rebase|sign|update|bump|review|read|treat|validate|separate|organi[sz]e|structure|reuse|minimi[sz]e|maximi[sz]e|optimi[sz]e|choose|pick|set|call|pass|inject|favor|annotate|type|mark|tag|label|link|reference|cover|aim|strive|verify|confirm|propose|suggest|summari[sz]e|think|work|skip|omit|tell|speak|only)\\b(?! (?:is|are|was|were|has|have|of|cases?|suite|runner|file|files)\\b)',
    ),
  },
  {
    name: 'our habit',
    gate: 'behavioral',
    weight: 2.5,
    pattern: i(
      '\\bwe(?: all| also)? (?:always|usually|never|generally|typically|normally|mostly|tend to|try to|aim to|like to|avoid|follow|squash|rebase|name|format|indent|write (?:our )?(?:tests|docs|commit)|pair|keep)\\b|\\bour (?:convention|style|code style|coding style|habit|rule|practice|policy|workflow|standard|guideline|naming)\\b|\\bhouse (?:style|rule)',
    ),
  },
  { name: 'way of working', gate: 'behavioral', weight: 1.2, pattern: i(`\\b(?:${workflow})\\b`) },
  {
    name: 'should',
    gate: 'behavioral',
    weight: 1.5,
    pattern: i(
      '\\b(?:should|must|ought to|has to|have to) (?:always|be|have|use|follow|start|go|live|come|include|contain|end|get|pass|match|stay|only|also|never)\\b',
    ),
  },

  // relational: people, teams, who owns and knows what
  {
    name: 'person does',
    gate: 'relational',
    weight: 4.5,
    pattern: i(
      `\\bPERSON(?:(?: and|,|&|/) PERSON| \\([^)]{1,40}\\)|,? (?:from|in|on|at) (?:the )?[\\w ]{1,20}?)?(?:,)? (?:usually |always |currently |also |now |still |only )?(?:${peopleVerbs})\\b`,
    ),
  },
  { name: 'person', gate: 'relational', weight: 2, pattern: i('\\bPERSON\\b') },
  {
    name: 'name leads',
    gate: 'relational',
    weight: 3,
    pattern:
      /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)? (?:leads|owns|manages|mentors|reviews|approves|oversees|heads|supervises|reports to|is on (?:vacation|leave|call|parental|holiday|PTO)|is (?:the|our|my) (?:\w+ )?(?:lead|manager|owner|designer|PM|CTO|contact|reviewer|maintainer)|joined (?:the|our)|left (?:the|our)|took over)\b/u,
  },
  {
    name: 'team does',
    gate: 'relational',
    weight: 3.5,
    pattern: i(
      "\\b(?:the|our|my|their|another|this)(?: [\\w-]+){0,3} (?:team|squad|tribe|guild|crew|department|group|chapter|org)(?:'s)?\\b(?! (?:id|table|model|settings|plan|page|slug|endpoint|object|entity|feature))|^(?:[\\w-]+ ){1,2}(?:team|squad|guild)\\b|^teams? ",
    ),
  },
  {
    name: 'role',
    gate: 'relational',
    weight: 2.5,
    pattern: i(
      `\\b(?:my|our|the|their|a|his|her|new|primary|main|backup|current|acting|tech|product|engineering)(?: [\\w-]+)? (?:${roleNouns})\\b|^(?:${roleNouns}) (?:is|for|:)`,
    ),
  },
  {
    name: 'ownership',
    gate: 'relational',
    weight: 3,
    pattern: i(
      '\\b(?:owned|maintained|led|run|managed|reviewed|approved|handled|staffed|headed|signed off|written) by (?!the (?:cron|job|scheduler|api|server|client|service|framework|ci|cd|system|kernel|script))|\\b(?:responsible for|in charge of|accountable for|point of contact|poc for|go-to (?:person|for)|reports? to|reporting line|direct reports?|on-?call (?:rotation|schedule|this|for)|is on-?call|code ?owners?|stakeholders?|belongs to (?:the )?[\\w ]{1,20}team)\\b',
    ),
  },
  {
    name: 'ask whom',
    gate: 'relational',
    weight: 3,
    pattern: i(
      '\\b(?:ask|ping|contact|reach out to|talk to|check with|escalate to|consult|cc|loop in|tag|assign .{1,30} to|go to|notify|page|email|dm|message) (?:PERSON|the [\\w ]{1,25}(?:team|lead|owner|manager|channel|group|squad)|@\\w|#\\w|him\\b|her\\b|them\\b)|#[a-z][\\w-]{2,30}\\b.{0,30}\\b(?:channel|slack)|\\bslack channel\\b|\\bin #[a-z]',
    ),
  },
  {
    name: 'where people are',
    gate: 'relational',
    weight: 2.5,
    pattern: i(
      '\\b(?:time ?zone|pst|cet|cest|ist|est|gmt|utc[+-]\\d)\\b|\\b(?:based in|lives in|located in|works? remotely|part[- ]time|full[- ]time|on (?:vacation|holiday|leave|pto|parental leave|maternity leave|paternity leave|sabbatical)|out of office|ooo|office hours|joined (?:us|the (?:team|company))|new hire|pronouns)\\b',
    ),
  },
  {
    name: 'I among people',
    gate: 'relational',
    weight: 4.5,
    pattern: i(
      "\\bi (?:report to|work (?:with PERSON|at|for|on the [\\w ]{1,25}team)|am on the [\\w ]{1,25}team|am part of|belong to|lead|manage|mentor|own|maintain|pair with)\\b|\\bi'm (?:on|part of|in) the [\\w ]{1,25}team\\b|\\bi'm (?:the|a|an) [\\w ]{0,30}?(?:lead|engineer|developer|manager|architect|designer|maintainer|owner|contractor|freelancer)\\b|\\bmy (?:team|manager|boss|colleague|teammate|co-?worker|mentor|report|reports|company|employer|client)\\b",
    ),
  },
  {
    name: 'meeting',
    gate: 'relational',
    weight: 1.5,
    pattern: i(
      '\\b(?:stand-?ups?|retros?|retrospectives?|1:1s?|one-on-ones?|sync meeting|weekly sync|sprint review|all[- ]hands)\\b',
    ),
  },

  // promissory: commitments, plans, what will be done
  {
    name: 'I will',
    gate: 'promissory',
    weight: 4,
    pattern: i(
      "\\b(?:i|we)(?:'ll| will| shall|'m going to|'re going to| am going to| are going to)(?: (?:also|then|still|probably|likely|definitely|just))? (?!not\\b|never\\b|always\\b|usually\\b|get an?\\b|need\\b)[a-z]",
    ),
  },
  {
    name: 'will be done',
    gate: 'promissory',
    weight: 3,
    pattern: i(
      '\\b(?:will|shall|is going to|are going to|to) be (?:\\w+ly )?(?:removed|deprecated|released|launched|migrated|replaced|shipped|done|finished|completed|merged|added|moved|retired|sunset|dropped|renamed|rolled out|delivered|deployed|rewritten|refactored|announced|enabled|disabled|decommissioned|discontinued|turned off|shut down|upgraded|ready|fixed|implemented|available|archived|published|introduced|handled in|addressed)\\b',
    ),
  },
  {
    name: 'person will',
    gate: 'promissory',
    weight: 6.5,
    pattern: i(
      "\\bPERSON(?: and PERSON)?(?:'ll| will| is going to| are going to| promised| agreed to| offered to| committed to| plans to| needs to| has to| volunteered| is supposed to| to (?:review|write|follow|send|check|fix|update|finish|investigate|prepare|draft|schedule))\\b",
    ),
  },
  {
    name: 'promise',
    gate: 'promissory',
    weight: 4.5,
    pattern: i(
      '\\b(?:promised?|committed to|agreed to (?!use\\b)|pledged?|signed up to|owe (?:\\w+ ){1,3}|on the hook|volunteered to|took on|assigned to me|i took|offered to|vowed)\\b',
    ),
  },
  {
    name: 'plan',
    gate: 'promissory',
    weight: 4,
    pattern: i(
      '\\b(?:plan(?:s|ned|ning)? (?:to|for|on)|planning (?:to|a|the)|is planned|are planned|intend(?:s|ing)? to|aim(?:s|ing)? to (?:ship|release|launch|finish|have|be|deliver|complete|migrate)|targeting|scheduled|slated|due (?:on|by|in|next|this|before|date|for|tomorrow|monday|tuesday|wednesday|thursday|friday)|is due|are due|deadline|eta|roadmap|milestone|upcoming|on track|launch date|release date|go-live|goes live|postponed|pushed (?:back )?to|rescheduled|moved (?:back |forward )?to (?:monday|tuesday|wednesday|thursday|friday|next|january|february|march|april|june|july|august|september|october|november|december|q[1-4]))\\b',
    ),
  },
  {
    name: 'to do',
    gate: 'promissory',
    weight: 4,
    pattern: i(
      '^(?:todo|to-do|to do|fixme|action item|action|ai|next step|next steps|follow[- ]?up|next up|remaining|still to do|open|pending|backlog|reminder to)\\b[ :)-]|\\b(?:todo:|need to follow up|follow up (?:with|on)|remind me|still (?:need|needs|have|has) to|remains to be|yet to be|next step is|action items?|backlog|left to do)\\b|^\\[ \\]',
    ),
  },
  {
    name: 'need to',
    gate: 'promissory',
    weight: 2.5,
    pattern: i(
      "\\b(?:i|we) (?:still |really |also |first |will )?(?:need|have|ought|must|gotta|got) ?(?:to)? (?!be able|always|not\\b)[a-z]+|\\bneeds? to be (?:done|fixed|updated|migrated|removed|replaced|rewritten|finished|reviewed|merged|cleaned|addressed|moved|refactored)\\b|^need to\\b|^gotta\\b|\\blet's\\b|^lets\\b",
    ),
  },
  {
    name: 'decided to, ahead',
    gate: 'promissory',
    weight: 5,
    pattern: i(
      '\\b(?:decided|agreed|going|want|wants|hope|hoping|expect|expects|expected|supposed|about|have|has|need|needs|aim|aims|target|commit|committed|ready|ready) to\\b.{1,100}\\b(?:next (?:sprint|week|month|quarter|year|release|iteration|version|cycle|monday|tuesday|wednesday|thursday|friday)|tomorrow|by (?:the end|end|monday|tuesday|wednesday|thursday|friday|eod|eow|next|q[1-4]|january|february|march|april|may|june|july|august|september|october|november|december|mid|early|late)|before (?:monday|tuesday|wednesday|thursday|friday|the (?:release|launch|freeze|demo|end|holidays)|next|christmas)|in (?:q[1-4]|january|february|march|april|may|june|july|august|september|october|november|december|two weeks|the (?:next|coming))|this (?:week|sprint|month|quarter)|later this|after the (?:release|launch|freeze|demo))\\b',
    ),
  },
  {
    name: 'soon',
    gate: 'promissory',
    weight: 1.5,
    pattern: i(
      '\\b(?:next (?:sprint|week|month|quarter|year|release|iteration|version|major|milestone|monday|tuesday|wednesday|thursday|friday)|tomorrow|tonight|later this|by (?:monday|tuesday|wednesday|thursday|friday|eod|eow|end of|the end of|q[1-4]|next)|in (?:q[1-4])|this (?:sprint|quarter)|soon|eventually|in the future|at some point)\\b',
    ),
  },

  // epistemic: facts about systems
  {
    name: 'our system',
    gate: 'epistemic',
    weight: 2,
    pattern: i(
      '\\b(?:our|the|this|each|every|all)(?: [\\w./-]+){0,3} (?:api|apis|app|application|service|services|microservices?|server|servers|backend|frontend|database|db|table|tables|column|schema|index|endpoint|endpoints|route|cluster|cache|queue|topic|worker|workers|job|jobs|cron|pipeline|build|ci|repo|repository|monorepo|module|package|library|sdk|cli|client|gateway|proxy|load balancer|container|image|config|configuration|settings|env|environment|variable|flag|feature flag|token|tokens|session|auth|authentication|middleware|migration|migrations|component|components|hook|class|function|method|handler|controller|model|type|interface|file|files|folder|directory|script|test suite|tests|e2e tests|bundle|bundler|compiler|linter config|webhook|bucket|storage|dashboard|logs|metrics|staging|production|prod|domain|url|port|key|version|plugin|extension|parser|scheduler|store|state|response|request|payload|header|cookie|user|users|stack|codebase|project|limit|timeout|lock file|dockerfile|makefile|website|site|docs|documentation|data|pool|connection|search|error|bug|page|form|button|query|queries)\\b',
    ),
  },
  {
    name: 'we run',
    gate: 'epistemic',
    weight: 2.5,
    pattern: i(
      "\\bwe(?: currently| also| now| only| still| both)? (?:use|deploy|run|host|store|have|rely|depend|support|ship|build|serve|cache|log|send|encrypt|expose|generate|self-host|authenticate|version|publish|moved|migrated|switched|chose|picked|went|adopted|dropped|replaced|removed|added|built|split|pin|consume|target|are (?:on|using|running|hosted)|'re (?:on|using|running)|had)\\b",
    ),
  },
  {
    name: 'decided',
    gate: 'epistemic',
    weight: 3,
    pattern: i(
      '\\b(?:decided|decision|chose|chosen|picked|opted|went with|settled on|agreed (?:on|to use|that)|adopted|selected|standardi[sz]ed on|ruled out|rejected|rationale|trade-?off)\\b',
    ),
  },
  {
    name: 'works so',
    gate: 'epistemic',
    weight: 2,
    pattern: i(
      '\\b(?:is|are) (?:stored|located|defined|configured|deployed|hosted|written|implemented|generated|handled|cached|built|exposed|encrypted|signed|served|backed|used|called|mounted|loaded|parsed|validated|limited|set|based|split|compiled|structured|indexed|partitioned|sharded|replicated|versioned|enabled|disabled|required|protected|rate[- ]limited|idempotent|async\\w*|eventually|single|multi\\w*|in|under|at|on port|behind|at most)\\b|\\b(?:lives?|runs?|sits?|listens?) (?:in|on|at|under|behind|as|inside|every|nightly)\\b|\\b(?:returns?|requires?|depends? on|expects?|contains?|consists? of|supports?|uses|stores?|reads? from|writes? to|talks? to|points? to|maps? to|extends|inherits|implements|emits|publishes|consumes|triggers|validates|expires?|exposes|accepts|rejects|throws|fails?|breaks|crashes|times? out|caches|proxies|calls|loads|needs|takes|defaults to|has)\\b',
    ),
  },
  {
    name: 'found out',
    gate: 'epistemic',
    weight: 3,
    pattern: i(
      '\\b(?:turns out|root cause|caused by|the reason|because of|found (?:out )?(?:that|the)|discovered|learned|realized|realised|noticed|figured out|the (?:fix|problem|issue|bug|culprit|cause|trick|workaround) (?:is|was)|gotcha|caveat|quirk|silently|race condition|memory leak|flaky|workaround|reproduc\\w+|regression|stack ?trace|happens when|only (?:works|happens|fails) (?:if|when|with|on)|due to)\\b',
    ),
  },
  {
    name: 'done',
    gate: 'epistemic',
    weight: 2.5,
    pattern: i(
      "^(?:i|we|just|i've|we've|i just)? ?(?:just )?(?:fixed|added|implemented|refactored|finished|completed|merged|shipped|removed|migrated|moved|renamed|upgraded|updated|released|deployed|rewrote|replaced|introduced|created|tested|investigated|debugged|reverted|bumped|enabled|disabled)\\b|\\b(?:currently|right now|at the moment|in the middle of|working on|wip|in progress|is failing|is broken|is down|are failing|stuck on|debugging|investigating)\\b",
    ),
  },
  {
    name: 'code',
    gate: 'epistemic',
    weight: 0.6,
    pattern:
      /\bCODE\b|\b[a-z]+[A-Z]\w+\b|\b\w+_\w+\b|\b[\w-]+\/[\w./-]+|\b\w+\.(?:ts|js|py|go|rs|java|json|ya?ml|toml|sql|sh|env|tsx|cs|rb|md)\b|\bv?\d+\.\d+/u,
  },
  {
    name: 'how long, how many',
    gate: 'epistemic',
    weight: 1,
    pattern: i(
      '\\b\\d+(?:\\.\\d+)? ?(?:ms|s|seconds?|minutes?|mins?|hours?|days|kb|mb|gb|tb|%|percent|requests?|rows|connections|replicas|nodes|cores|pods|shards|partitions|retries)\\b|\\bport \\d+',
    ),
  },
];
