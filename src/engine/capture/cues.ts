// Cue tables that decide which sentences of a person's turn are worth keeping. Most sentences to an assistant are about
// the moment; a lasting one shows in its wording and in its subject.

export interface CaptureCue {
  readonly name: string;
  readonly weight: number;
  readonly pattern: RegExp;
}

const defineCaptureCue = (weight: number, name: string, pattern: string): CaptureCue => ({
  name,
  weight,
  pattern: new RegExp(pattern, 'iu'),
});

/** Verbs of rules about work, in base form. */
const actionVerbs =
  'use|add|include|start|begin|end|finish|prefix|suffix|append|prepend|name|call|write|put|keep|import|export|format|indent|wrap|run|test|check|log|commit|push|merge|rebase|squash|deploy|document|annotate|comment|follow|apply|adopt|implement|incorporate|utili[sz]e|employ|ensure|set|define|declare|place|attach|decorate|capitali[sz]e|avoid|prefer|stick|choose|pick|go with|switch|move|store|cache|return|throw|raise|catch|handle|validate|review|ask|tell|answer|reply|respond|explain|show|read|update|bump|pin|mock|skip|leave|make|create|treat|work|take|communicate|schedule|do|get|give|have|change|target|build|ship|generate|delete|remove|touch|assume|suggest|mention|repeat|quote|translate|lint|sort|group|order|split';
const actionGerunds =
  'using|adding|including|starting|beginning|ending|prefixing|suffixing|appending|naming|calling|writing|putting|keeping|importing|formatting|wrapping|running|testing|committing|merging|rebasing|squashing|deploying|documenting|annotating|commenting|following|applying|adopting|implementing|incorporating|utili[sz]ing|employing|ensuring|setting|defining|decorating|avoiding|working|taking|communicating|switching|moving|storing|returning|handling|validating|making|creating';

/** Nouns of software development that rules are about. */
const domainNouns =
  'functions?|methods?|class(?:es)?|variables?|attributes?|arguments?|args|parameters?|properties|fields?|constants?|modules?|packages?|imports?|exports?|decorators?|annotations?|docstrings?|comments?|asserts?|assertions?|statements?|types?|type hints?|interfaces?|enums?|components?|hooks?|names?|naming|identifiers?|prefix(?:es)?|suffix(?:es)?|underscores?|digits?|letters?|case|snake_case|camelcase|pascalcase|uppercase|lowercase|code|codebase|files?|folders?|director(?:y|ies)|paths?|lines?|indent(?:ation)?|tabs?|spaces?|quotes?|semicolons?|strings?|tests?|mocks?|fixtures?|coverage|commits?|commit messages?|branch(?:es)?|pull requests?|prs?|merges?|reviews?|releases?|versions?|tags?|changelogs?|deploys?|deployments?|builds?|ci|pipelines?|linters?|lint|formatters?|debuggers?|profilers?|pre-commit|ide|editor|terminal|shell|logs?|logging|errors?|exceptions?|warnings?|api|apis|endpoints?|routes?|requests?|responses?|headers?|cookies?|urls?|ports?|hosts?|network|timestamps?|dates?|utc|json|yaml|schemas?|migrations?|database|db|tables?|columns?|quer(?:y|ies)|sql|cache|queues?|services?|servers?|clusters?|containers?|docker|staging|production|prod|environment|virtual environment|env|configs?|settings?|dependenc(?:y|ies)|librar(?:y|ies)|frameworks?|tools?|scripts?|commands?|docs|documentation|readme|tickets?|issues?|tasks?|sprints?|standups?|deadlines?|answers?|repl(?:y|ies)|explanations?|summar(?:y|ies)|examples?|diffs?|patches|bullets?|emoji|english|german|french|spanish|python|javascript|typescript|rust|golang|java|node|react|vue|git|github|gitlab|bitbucket|npm|pnpm|yarn|pip|poetry|vpn|laptop|desktop|monitors?|phone|password manager|notebook|whiteboard|video calls?|pair programming|gpus?|tpus?';

/** The sentence names something concrete: code, a literal, a number, a term of software development. */
export const concreteCues: readonly CaptureCue[] = [
  defineCaptureCue(
    2,
    'literal',
    '`[^`]+`|\'[^\'\\s]{1,40}\'|"[^"\\s]{1,40}"|‘[^’\\s]{1,40}’|“[^”\\s]{1,40}”|(?<![\\w])@\\w+|\\b\\w+_\\w*|\\b_\\w+|\\b\\w+\\(\\)|--\\w[\\w-]+',
  ),
  defineCaptureCue(1, 'number', '\\b\\d+(?:\\.\\d+)*\\b'),
  defineCaptureCue(1, 'thing', `\\b(?:${domainNouns})\\b`),
];

/** The sentence holds beyond the current change: a rule, preference, decision, correction or promise. */
export const durabilityCues: readonly CaptureCue[] = [
  defineCaptureCue(
    3,
    'from now on',
    '\\b(?:from (?:now|here|this point|today) on(?:wards?|ward)?|from this (?:point|moment)|going forward|moving forward|henceforth|in (?:the )?future|as a rule|by default|permanently|at all times|every time|each time|from the get-go)\\b',
  ),
  defineCaptureCue(
    3,
    'always',
    `\\b(?:always|never|consistently|ever)\\s+(?:again\\s+)?(?:${actionVerbs}|${actionGerunds}|be|have)\\b|^(?:always|never)\\b`,
  ),
  defineCaptureCue(2.5, 'always first', '^(?:please )?(?:always|never)\\s+(?!remember|hesitate|forget|mind)[a-z]+\\s'),
  defineCaptureCue(
    2,
    'must',
    `\\b(?:(?:you|we|everyone|everybody|they|one)(?:'ll|'d)?(?: all| always| also| now| still| really| just)* (?:must|should|shall|need to|have to|has to|ought to|are (?:required|expected|supposed|asked|encouraged) to|will (?:need|have) to|can start)(?: always| never| not| also| now)*|(?:must|should|need to|needs to|have to|has to|ought to)(?: always| never| not| also| now)* (?:be|have|start|end|begin|contain|include|use|follow|go|live|match|pass|carry|get|come|stay))\\b`,
  ),
  defineCaptureCue(
    2.5,
    'must not',
    "\\b(?:must|should|shall|may|can)(?:n't| not| never)\\b|\\bcannot\\b|\\b(?:is|are) (?:never|not) (?:allowed|permitted|supposed|to be)\\b|\\b(?:forbidden|prohibited|off[- ]limits|forbids?)\\b",
  ),
  defineCaptureCue(
    2,
    'standing verb',
    '^(?:please |always )*(?:prefer|favou?r|avoid|stick (?:to|with)|default to|limit|treat)\\b|^(?:please )?(?:keep|use|name|format)\\s+(?!going|up|it\\b|this|that|the\\b|a\\b|an\\b|in mind|me\\b|track|trying)\\S+(?: \\S+){1,6}$',
  ),
  defineCaptureCue(
    3.5,
    'about me',
    "^(?:i (?:really |always |usually |much )*(?:like|love|hate|dislike|prefer|want)(?:d|s)? (?!(?:it|that|this|these|your|the|how|to|you|us|what|everyone)\\b)|my (?:[\\w-]+ ){0,2}(?:name|role|team|timezone|editor|machine|manager|setup|stack|company|job|background)(?: is|'s| are)\\b|i work (?:on|at|for|in|with|as)\\b|i'?m (?:an?|the) [\\w -]{3,40}(?:developer|engineer|designer|lead|manager|student|beginner|architect|maintainer|owner)\\b)",
  ),
  defineCaptureCue(
    2.5,
    'fact',
    '^(?:the|our|all|every|each)\\b[^,;]{2,50}?\\b(?:(?:needs?|requires?|must|has to|have to)\\b|(?:is|are|returns?|uses?|expects?|forbids?|lives?|runs?)\\s+(?!(?:a|an|one|very|really|not|so|just|all|also|always|important|crucial|essential|key|about|to|vital|designed|meant)\\b)\\S)',
  ),
  defineCaptureCue(
    2,
    'make sure',
    "\\b(?:make sure|be sure to|ensure(?: that)?|remember to|don't forget to|do not forget to|please (?:also |now )*(?:always|never|use|avoid|keep|prefer|don't|do not|make sure|stick|ensure|follow|start)\\b|be careful to|see to it|it's (?:important|crucial|essential|vital|required|mandatory|necessary) (?:to|that)|it is (?:important|crucial|essential|vital|required|mandatory|necessary) (?:to|that))\\b",
  ),
  defineCaptureCue(
    2.5,
    'I want you to',
    "\\bi(?:'d| would| do|'ll| will)?(?: also| now| just| really| always| specifically)* (?:want|need|expect|like|love|ask|prefer|require|advise|urge|encourage|recommend|insist)(?:ing)?(?: that)? (?:you|us|everyone|all|every|it)\\b|\\bi'm (?:asking|going to ask) you to\\b",
  ),
  defineCaptureCue(
    2.5,
    'we do',
    `\\bwe(?:'ve|'re| have| are| will|'ll|'d like to| want to)?(?: all| always| usually| never| only| also| now| primarily| mainly| mostly| generally| typically| standardi[sz]ed on| starting to| going to| be| been| started| decided to| agreed to| require| not| don't| do not)* (?:${actionVerbs}|${actionGerunds}|require|mandate|enforce|like to have)\\b`,
  ),
  defineCaptureCue(
    2.5,
    'convention',
    '\\b(?:conventions?|standards?|guidelines?|polic(?:y|ies)|rules?|best practices?|practices?|requirements?|house style|code style|style guide|naming scheme|instructions?|approach|preference)\\b[^.?!]{0,60}(?:\\b(?:is|are|includes?|involves?|requires?|of|to|for|that|says?|regarding|when|where)\\b|[:–—-])',
  ),
  defineCaptureCue(
    3,
    'prefer',
    "\\bi(?:'d| would)?(?: really| much| strongly| always| generally| usually| rather)* (?:prefer|rather|like(?! (?:your|that|this|the|to (?:discuss|talk|touch|go|start|share|see|know|hear|remind|emphasi[sz]e|mention|introduce|begin|cover|explore|shift|highlight|focus|address|bring)))|hate|dislike|can't stand|favou?r)\\b|\\bmy preference\\b|\\bprefer(?:red|s)?\\b",
  ),
  defineCaptureCue(
    2.5,
    'decided',
    "\\b(?:(?:we|i|the team|they|management)(?:'ve| have|'re| are)?(?: just| now| also| finally)* (?:decided|agreed|chosen|chose|settled|opted|switched|switching|moved|moving|transition\\w*|migrat\\w+|updated|updating|chang(?:ed|ing)|adopted|adopting|standardi[sz]\\w+|introduc\\w+|implement\\w+|replac\\w+|dropp\\w+|ruled out)|let's (?:go with|stick with|stick to|use|switch to|standardi[sz]e|keep|not)|we're going with|going with|the decision is|decision:)\\b",
  ),
  defineCaptureCue(
    2,
    'instead',
    '\\b(?:instead of|rather than|no longer|any ?more|not .{1,40} but|in place of|as opposed to)\\b|,\\s+not\\s+\\S|\\binstead\\b',
  ),
  defineCaptureCue(
    3.5,
    'correction',
    "^(?:no|nope|wrong|incorrect|that's (?:not|wrong)|that is (?:not|wrong)|actually)\\b[,.:;!-]?\\s+\\S|\\bthat'?s (?:wrong|not (?:right|how|what))\\b|\\bis (?:wrong|incorrect)[:;,.]",
  ),
  defineCaptureCue(
    2.5,
    "don't",
    `^(?:please |also |and |but )*(?:do not|don't|dont|never|avoid|stop|refrain from)\\s+(?:ever )?(?:${actionVerbs}|${actionGerunds}|\\w+ing)\\b`,
  ),
  defineCaptureCue(
    1.5,
    'imperative',
    `^(?:please |just |simply |also |and |then |instead,? )*(?:${actionVerbs})\\b(?! (?:care|sense|sure|note|up|it up|the time))`,
  ),
  defineCaptureCue(
    1,
    'all of them',
    `\\b(?:all|every|each|any|your|our|whole|entire|both)(?: of)?(?: the| your| our| my| new| such)*(?: [\\w'@-]+){0,4}? (?:${domainNouns})\\b|\\b(?:function|method|class|variable|attribute|argument|parameter|file|branch|test|module|constant|column|table|component)(?: argument)? names?\\b`,
  ),
  defineCaptureCue(
    2,
    'when',
    `^(?:when(?:ever)?|if|for|in|before|after|during)\\b[^,]{3,80},\\s*(?:please |always |never |you |we |i |make |ensure |be |don't |do |${actionVerbs})|\\bwhen(?:ever)? (?:you|we|naming|writing|creating|defining|working|adding|committing|coding|calling|implementing|using|you're)\\b`,
  ),
  defineCaptureCue(
    2,
    'applies',
    '\\b(?:applies to|apply (?:this|it|that|these|the same)|should also|the same (?:goes|applies|rule)|likewise|similarly)\\b',
  ),
  defineCaptureCue(
    2.5,
    'promise',
    "\\b(?:i|we)(?:'ll| will| promised?| committed?| owe| must| need to| have to)\\b[^.?!]{3,80}\\b(?:by|before|until|on|next|end of) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|tomorrow|the end|next|this|q[1-4]|week|month|sprint|\\d)|\\bdeadline (?:is|for)\\b|\\bis due\\b",
  ),
  defineCaptureCue(
    2.5,
    'who',
    '\\b\\p{Lu}\\p{Ll}+ (?:owns|leads|maintains|is responsible for|is in charge of|handles|reviews|signs off)\\b|\\bask \\p{Lu}\\p{Ll}+ (?:about|before|for)\\b',
  ),
  defineCaptureCue(
    2.5,
    'place',
    '\\b(?:our|the|my) [\\w -]{2,40}? (?:lives?|runs?|is hosted|is deployed|are kept|is kept|listens|expires?|is stored|are stored)\\b',
  ),
];

/** The sentence is about the moment, or has no content to keep. */
export const transienceCues: readonly CaptureCue[] = [
  defineCaptureCue(
    -9,
    'only announced',
    '^(?![^]*(?:case\\b|digits?\\b|letters?\\b|underscore|`|\'[^\'\\s]{1,40}\'|"[^"\\s]{1,40}"|@\\w|\\w_))[^]*\\b(?:a few|few|some|several|couple(?: of)?|one|two|three|both|another|additional|additional|more|certain|specific|particular|following|important|new|consistent|these|those|certain|best|our|the)(?: [\\w-]+){0,3} (?:conventions?|practices?|guidelines?|standards?|instructions?|changes?|updates?|rules?|aspects?|points?|things|adjustments?|techniques|principles|requirements?|areas?|preferences?|habits?|methodologies)\\b(?![^.]{0,60}(?:\\bis to\\b|\\bare to\\b|: ))',
  ),
  defineCaptureCue(
    -4,
    'attend to',
    '\\b(?:focus on|pay (?:particular |special |close |extra )?attention|(?:get|become) familiar|continue (?:working|to)|think about|(?:to|keep) work(?:ing)? on|look over|update your (?:cod(?:e|ing) (?:style|practices)|understanding)|be mindful|be aware|familiari[sz]e|experiment|strive|explore|brainstorm|take pride|ask questions|stay (?:up|on|focused|organi[sz]ed))\\b',
  ),
  defineCaptureCue(
    -2,
    'benefit',
    '\\b(?:(?:will|can|may|might|could|would|to|also|greatly|significantly)? ?(?:help(?:s|ing|ed)?|improv(?:e|es|ing)|enhanc(?:e|es|ing)|foster\\w*|promot(?:e|es|ing)|allow(?:s|ing)?|enabl(?:e|es|ing)|streamline\\w*|facilitat\\w+|maximi[sz]\\w+|contribut\\w+) (?:you|us|with|in|to|our|the|your|code|overall|make|maintain|readability|collaboration|a|and|productivity|for)|(?:is|are|be) (?:a |an |the )?(?:great|crucial|essential|important|key|valuable|useful|helpful|vital|beneficial|small|minor|significant|good|effective|powerful|best) ?(?:way|tool|part|step|to|for|in|detail|aspect|indication)?\\b)',
  ),
  defineCaptureCue(
    -3,
    'we together',
    "\\bwe(?:'ll| can| could| should| will| want to| need to| also| all| aim to| strive to| have to| must| might| may)* (?:think|ensure|consider|discuss|schedule|explore|review|look|continue|encourage|foster|support|provide|offer|believe|value|strive|aim|plan|organi[sz]e|host|celebrate|promote|maintain|create|catch|hold|emphasi[sz]e|incorporate|prioriti[sz]e|focus|see|work)\\b",
  ),
  defineCaptureCue(-9, 'question', '\\?\\s*["\'”’)]*$'),
  defineCaptureCue(
    -9,
    'question word',
    '^(?:what|why|how|who|where|which|do|does|did|is|are|can|could|would|will|have|has|should|shall|may) (?:you|we|i|it|there|this|that|the|your|our|they|everything|all)\\b(?! \\w+, )',
  ),
  defineCaptureCue(
    -6,
    'courtesy',
    "\\b(?:thanks?|thank you|you're (?:very |most )?welcome|glad|great to|good to (?:hear|see|know)|nice to|happy to|excited|looking forward|look forward|proud|congratulations|good luck|take care|see you|talk soon|have a (?:great|good|nice|wonderful)|feel free|don't hesitate|do not hesitate|never hesitate|reach out|let me know|here to (?:help|support|guide|assist)|keep up|well done|good job|great job|great work|impressive|impressed|appreciate|wonderful|fantastic|excellent (?:question|point|idea)|enjoy|cheers|i understand|understood|i agree|i'm sure|i am sure|i trust|i hope|hope you|sorry|no problem|no worries|how are you|it's (?:great|good|been)|keep (?:me|us) (?:posted|updated|in the loop)|i'm always|i'll always|i am always|my door|counting on)\\b",
  ),
  defineCaptureCue(
    -3,
    'reason',
    "^(?!that(?:'s| is) (?:wrong|not|incorrect))(?:this|it|that|these|they|those|such|doing so|doing this|by (?:doing|following|adhering|using|including|adding|keeping|having|being|incorporating|implementing)|that way|this way|consistency|which|because|since)\\b(?:'ll|'s)?(?! (?:wrong|incorrect|not|rule|convention|means (?:you|that|we|all|no)|applies|should|must|is how we|needs to|has to|includes|project|repo\\w*|package|service|team)\\b)",
  ),
  defineCaptureCue(
    -4,
    'announcement',
    "\\b(?:i(?:'d| would| want|'ll| will| do|'ve| have| just| also|'m| am| wanted)*(?: also| just| now| going| wanting| like)* (?:to )?(?:like to )?(?:discuss|talk (?:about|to)|touch (?:base|on|upon)|share|go (?:over|through)|check in|circle back|catch up|cover|give you (?:an? )?(?:update|some|quick)|remind|bring up|mention|emphasi[sz]e|introduce|provide|address|walk you|chat|shift gears|let you know|inform|begin|have (?:an? |some )?(?:update|news|new))|let's (?:discuss|talk|move on|start|begin|dive|get|go over|touch|shift|continue|focus|see|review|catch|schedule|set up|explore|look|cover|make sure|ensure|also|create|work|keep up|do)|(?<!from )now,? (?:on|moving|onto|let's|about|regarding))\\b",
  ),
  defineCaptureCue(
    -3,
    'looking back',
    "\\b(?:as (?:we|i) (?:discussed|mentioned)|you(?:'ve| have) (?:done|been|made|got|shown|already)|i (?:noticed|saw|heard|remember|recall)|we(?:'ve| have) been|last (?:time|week|month|session|meeting)|you're (?:doing|making|right|absolutely))\\b",
  ),
  defineCaptureCue(
    -2.5,
    'opinion',
    "^(?:i (?:think|believe|feel|find|guess|see|know|get|can|was|am)|i'm|i've|you're|you are|you'll|you can|that's|that is|there's|there are|there is|we're (?:all|here)|we are (?:all|here)|everyone|absolutely|exactly|indeed|definitely|yes|yeah|sure)\\b(?! (?:wrong|incorrect|not)\\b)(?!.{0,80}\\b(?:always|never|from now on|should|must|prefer|want you to|need you to)\\b)",
  ),
  defineCaptureCue(
    -3,
    'this once',
    '\\b(?:for now|right now|just this once|this (?:time|bug|error|test failure|morning|afternoon|one)|at the moment|today|in a moment|quickly|real quick|try again|once more|can you|could you|would you|take a look|have a look|look at|look into|on my machine|(?:is|are|was|were|still|keeps?) (?:now |still )?(?:broken|failing|down|crashing|red|green|stuck|missing|not working|flaky))\\b',
  ),
  defineCaptureCue(
    -4,
    'soft',
    "\\b(?:is key|are key|goes a long way|keep in mind that|it's all about|culture|mindset|well-being|wellness|teamwork|diversity|inclusion|growth|career|creativity|morale|trust|empath\\w+|journey|leadership|mentor\\w*|inspir\\w+|motivat\\w+|celebrat\\w+|learning opportunit\\w+|open[- ]minded|stakeholders?|marketing|sales|brand|budget|campaigns?|workshops?|initiatives?|strateg\\w+|innovation|feedback|communication skills|kpis?|competitors?|partnerships?|revenue|audience|engagement|onboarding|negotiat\\w+|accountab\\w+|collaborat\\w+|sustainab\\w+|environmental|social|community|employees?|engagement)\\b",
  ),
];
