/** In characters: a rule names itself in its first sentences; what follows is its reason. */
const maxLength = 400;

/** Verbs that open an order about work on code. */
const orderVerbs =
  'accept|add|address|answer|apply|ask|assume|attach|avoid|base|branch|build|bump|cache|call|capitali[sz]e|check|cite|close|comment|commit|compare|compile|confirm|copy|cover|create|declare|default|deploy|describe|document|draw|edit|end|ensure|escape|explain|export|fail|fetch|file|fix|flash|follow|format|generate|give|group|guard|handle|import|include|indent|inject|inspect|install|introduce|invoke|keep|label|launch|leave|limit|lint|link|list|load|lock|log|make|mark|measure|mention|merge|mock|move|name|note|offer|omit|open|order|pass|patch|phrase|pin|plan|prefer|prefix|propose|pull|push|put|quote|read|rebase|record|refer|register|regenerate|reject|release|remember|remove|rename|repeat|reply|report|request|respect|restart|return|review|round|run|say|seed|send|separate|serve|set|show|sign|skip|sort|speak|split|squash|stage|start|state|stay|stick|stop|store|stub|suggest|surround|tag|target|tell|test|throw|translate|treat|try|turn|update|use|validate|verify|wait|warn|wrap|write';

/** The subject of a convention. */
const practice =
  'commits?(?: messages?| subjects?| bod(?:y|ies))?|branch(?: name)?(?:s|es)?|prs?|mrs?|pull requests?|merge requests?|(?:unit |integration |end-to-end )?tests?|(?:code )?reviews?|migrations?|builds?|linting|lint|formatting|formatter|changelogs?(?: entries)?|tags|versions|releases|deploys|deployments(?: to \S+)?|rollouts|logs?|logging|error (?:messages?|codes?|handling)|errors|exceptions|docs|documentation|(?:doc |code )?comments|docstrings?|fixtures|naming|names|identifiers|imports|indentation|spelling|(?:code )?style|(?:code )?examples|snippets|units|dates|timestamps|money|secrets|dependencies|packages|feature flags|issues|tickets|diagrams|answers|replies|explanations';

const strongPatterns: readonly RegExp[] = [
  // An order: at the start, after a label, a condition or a reason.
  new RegExp(
    String.raw`(?:^|[.;:!?]\s+|,\s+|\b(?:please|so|then|and|just)\s+)(?:(?:please|always|only|just|first)\s+)?(?:${orderVerbs})\s+(?!(?:is|are|was|were|has|had|questions?)\b)\S`,
    'iu',
  ),
  /(?:^|[.;:!?]\s+|,\s+)(?:no|nothing|never|always|only|don['’]?t|do not|not)\s+\S/iu,
  /\b(?:never|always|must(?:n['’]t)?|shall|should(?:n['’]t)?|ought to|(?:is|are|stays?) (?:to be|forbidden|banned|prohibited|mandatory|obligatory|off limits)|not allowed|no one may|without (?:asking|approval|permission|(?:a )?review)|as a rule|from now on|going forward)\b/iu,
  /\b(?:prefers?|likes?|wants?|favou?rs?|insists?|would rather|hates?|dislikes?)\b/iu,
  // Everything of its kind; what was done wrong; what is out.
  /(?:^|[.;:]\s+)(?:every|each|all)\s+\p{L}|(?:^|[.;:,]\s+)(?:everything|anything|nothing|anyone|everyone|whoever)\s+\S|\b(?:in|for|to|on|with) (?:everything|anything|everywhere)\b|\beverywhere\b/iu,
  /(?:^|[.;:]\s+)you (?:again |still |just )?(?:used|wrote|pushed|put|forgot|added|removed|deleted|made|did|called|named|committed|merged|changed|reformatted|renamed|ran|mocked|kept|keep|assumed|guessed|suggested|left|broke|mixed|answered|said)\b/iu,
  /\b(?:is|are|stays?) (?:out|taboo|a no-go|off the table|unwelcome|not welcome|not wanted|frowned upon)\b(?! of)/iu,
  /\b(?:before|after|for|on|in|with|at) every \S|\b(?:every|each|all) (?:new )?(?:commits?|prs?|mrs?|pull requests?|merge requests?|changes?|functions?|tests?|modules?|releases?|migrations?|endpoints?|branch(?:es)?|handlers?|components?|schedules?|public)\b/iu,
  /\bbefore (?:you )?(?:an? |the )?(?:commit|push|merg|deploy|releas|flash|tag|open|review|chang|edit|touch|migrat|publish|rebas|anything)/iu,
  new RegExp(
    String.raw`(?:^|[.;]\s+|\b(?:our|the|all|new)\s+)(?:${practice})\b[^.:]{0,25}(?:\b(?:are|is|go(?:es)?|gets?|follows?|lives?|uses?|runs?|starts?|begins?|ends?|carry|carries|needs?|targets?|stays?|has|have|refer|say|belongs?|in|with|as|via|through|from|under)\b|[:=])`,
    'iu',
  ),
  // The same in other languages, by their commonest words.
  /(?<!\p{L})(?:nie(?:mals)?|immer|bitte|muss|müssen|darf|dürfen|soll(?:en)?|kein\p{L}*|statt|nunca|siempre|hay que|deben?|jamais|toujours|il faut|никогда|всегда|нельзя|только)(?!\p{L})|不要|必须|必須|总是|永远|禁止|只用|一律|请用|请先|してはいけない|必ず|常に/iu,
  // A command that works.
  /`[^`]*\b(?:build|tests?|lint|run|check|fmt|format|deploy|flash|install|migrate|start|serve|release|exec|make|sync|seed|gen(?:erate)?)\b[^`]*`|\b(?:npm|pnpm|yarn|npx|cargo|go|make|just|west|pytest|tox|nox|mvn|gradlew?|dotnet|bazel|docker|podman|kubectl|helm|terraform|uv|poetry|bundle|rake|composer|zig|cmake|ctest|mix|sbt|flutter|dart|swift|xcodebuild|ansible-playbook|nix|rails|artisan|phpunit|jest|vitest|playwright) (?:run|test|build|exec|install|start|check|fmt|lint|ci|verify|compose|up|apply|dev|migrate|compile|sync|release|nextest|-\w|--\w)/iu,
];
const weakPatterns: readonly RegExp[] = [
  // About the work itself, more than about what is built.
  /\b(?:commits?|committ(?:ed|ing)|branch(?:es)?|merges?|merged|rebase[ds]?|squash(?:ed)?|pull requests?|merge requests?|prs?|mrs?|reviews?|reviewers?|approvals?|approves?|ci|pipelines?|lint(?:er|ed)?|formatters?|formatted|spelling|tests?|tested|testing|mocks?|mocked|stubs?|fakes?|fixtures?|snapshots?|coverage|builds?|compiles?|compiler|changelogs?|release notes|releases?|tags?|deploys?|deployments?|rollbacks?|rollouts?|freezes?|migrations?|dependenc(?:y|ies)|lockfile|licen[cs]es?|naming|named|prefix(?:es)?|suffix(?:es)?|conventions?|comments?|docstrings?|readme|docs|documentation|logging|logs?|error codes?|exceptions?|secrets?|credentials?|editor|formatting|indent(?:ation|ed)?|tabs|style|tickets?|issues?|jira)\b/iu,
  /\b(?:instead of|rather than|in place of|in favou?r of|not (?:via|with|the)|only (?:via|with|through|after|from|on|in|by|when|if|for)|unless|by default|on purpose)\b/iu,
  /\b(?:need(?:s|ed)? to|(?:has|have) to|do(?:es)? not|don['’]?t|may not|cannot be|(?:is|are) (?:required|rejected|refused)|nobody|expects?|requires?|demands?)\b/iu,
  /\b(?:built|tested|run|started|deployed|flashed|formatted|linted|generated|signed|released|installed|written|named|numbered|tagged|merged|squashed|logged|pinned|reviewed|validated|wrapped) (?:with|by|via|through|as|in|from|using|under|to|on)\b/iu,
];

/** Letters of a script without rules here, several in a row. */
const otherScript = /(?:(?!\p{Script=Latin})\p{L}){4}/u;

/** How clearly a text reads as a rule for work. */
export type RuleWording = 'rule' | 'maybe' | 'none';

/**
 * Whether a text reads as a rule for work: an order, a prohibition, a wish, a convention, or a command that works. By its
 * wording, mostly in English, so that a standing rule is not lost where nothing else says that it is one. It errs towards
 * yes, and of a text in another script it says maybe. Linear.
 */
export function ruleWording(text: string): RuleWording {
  const start = text.slice(0, maxLength);
  if (strongPatterns.some(it => it.test(start))) return 'rule';
  return otherScript.test(start) || weakPatterns.some(it => it.test(start)) ? 'maybe' : 'none';
}
