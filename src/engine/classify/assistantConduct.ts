/** Words before an instruction, and what it depends on: "Please, next time don't …". */
const opening =
  "(?:(?:please|no|stop|quit|and|but|so|also|again|always|never|don't|dont|do not|just|keep|next time|from now on|in (?:the )?future|(?:i want|i'd like|i need) you to|(?:you|claude|copilot) (?:should|must|shouldn't|must not|need to|needn't|don't (?:need|have) to|always|never|keep|are)|(?:when|if|before|whenever) (?:you|i) [^,;.]{1,40}(?=,)|when \\w+ing)[,:.! ]+){0,4}";

/** How an assistant words and ends what it answers, and when it asks. */
const conductPatterns: readonly RegExp[] = [
  new RegExp(
    `^${opening}(?:answer(?:ing)?\\b|repl(?:y|ying)\\b|respond(?:ing)?\\b|explain(?:ing)? (?!plans?\\b)|apologi[sz](?:e|ing)\\b|be (?:brief|concise|terse|direct|honest|blunt|polite|formal|less|more|shorter)\\b|(?:talk|speak|lectur|flatter|prais|interrupt|hedg|rambl)\\w*\\b|(?:ask|asking) (?:me|for (?:my|permission)|only|one|so many|too many)\\b|(?:tell|telling|show|showing|remind|reminding|warn|warning|call|calling|address|addressing) me\\b|repeat(?:ing)? (?:me|my|yourself|what i)\\b|saying? (?:sorry|that|"|“|')|(?:emojis?|small talk|flattery|preambles?|disclaimers?|apologies|filler)\\b)`,
    'iu',
  ),
  new RegExp(
    `^${opening}(?:use|using|add|adding|write|writing|give|giving|put|start|starting|end|ending|open|close) (?:\\w+ ){0,4}(?:emojis?|answers?|repl(?:y|ies)|responses?|explanations?|exclamation marks?|disclaimers?|preambles?|apolog(?:y|ies)|walls? of text)\\b`,
    'iu',
  ),
  /\byour (?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|summar(?:y|ies)|tone|wording|apolog(?:y|ies)|questions?|emojis?)\b/iu,
  /^(?:i (?:want|prefer|like|need|hate|dislike) )?(?:(?:much|too|far|more|less) )?(?:short|shorter|brief|long|longer|direct|plain|honest)(?:, \w+)? (?:answers?|repl(?:y|ies)|responses?|explanations?)\b/iu,
  /^(?:please )?keep (?:your )?(?:answers?|repl(?:y|ies)|responses?|explanations?)\b/iu,
  /\byou (?:apologi[sz]e|ask|explain|talk|repeat|hedge)\b.{0,40}\btoo (?:much|often|many)\b/iu,
  /^one (?:question|step) at a time\b/iu,
];

/** Names of what a project has or does, and of the people who work on it: a text that mentions one is true there. */
const projectPattern =
  /\b(?:we|us|our|ours|team|here|this|repo\w*|projects?|code ?base|code|workspace|files?|folders?|tests?|specs?|builds?|branch(?:es)?|commits?|committing|diffs?|prs?|pull requests?|merg\w+|rebas\w+|push\w*|deploy\w*|releas\w+|flash\w*|install\w*|tickets?|issues?|services?|apis?|endpoints?|requests?|http\w*|json|status|clients?|users?|customers?|databases?|db|queries|query|tables?|columns?|migrations?|schemas?|servers?|modules?|packages?|functions?|class(?:es)?|methods?|scripts?|pipelines?|ci|staging|prod(?:uction)?|clusters?|dashboards?|bugs?|logs?|docs?|readme|changelog|comments?|libraries|library|dependenc\w+|reviews?|edit\w*|delet\w+|run(?:s|ning)?|chang\w+)\b/iu;

/** Code, a path, a name as code writes it. */
const codePattern = /[`@#/\\]|\w[._]\w|\p{Ll}\p{Lu}|\d{3}/u;

/** In UTF-16 units: a longer text is no correction. */
const maxReadLength = 300;

/**
 * Whether a statement is a correction of how an assistant behaves towards the person (its answers, its style, when it asks
 * or apologizes) that names nothing of a project: true wherever the person works. In doubt it is not. English. Linear,
 * never throws.
 */
export function isAssistantConduct(statement: string): boolean {
  const text = statement.replaceAll('’', "'").trim();
  if (text.length > maxReadLength || codePattern.test(text) || projectPattern.test(text)) return false;
  return conductPatterns.some(it => it.test(text));
}
