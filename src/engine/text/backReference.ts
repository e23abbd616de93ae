/**
 * Whether a sentence cannot be read without the one before it: it begins with a word that points back ("It listens on
 * 9443", "Otherwise merge", "The other two"), or names nothing that its pronoun could stand for ("Never run that
 * yourself", "Ask her first"). In doubt it does. Words of a closed class only; English first, and the pronouns of
 * German, French, Spanish, Russian, Chinese and Japanese. Linear, never throws.
 */
export function refersBack(sentence: string): boolean {
  const plain = sentence.replace(opener, '');
  const rules = [openingReference, doneBy, bareReason, addition];
  return rules.some(it => it.test(plain)) || hasUnboundPronoun(plain);
}

/** Words before the one that counts. */
const opener = /^[\s"'“‘«([–—-]*(?:(?:and|und|et|y|also|oh|well|ok(?:ay)?|now|hm+)[, ]+){0,2}/iu;

/** "Fixed by awaiting the response." says what was done about what was said before. */
const doneBy = /^(?:\p{Lu}?\p{Ll}+ed|done|built|sent|kept|found) (?:by|via|through|because|due to)\b/u;

/** A place or a time that everyone in the conversation sees: "this repo", "this week" point at nothing that was said. */
const here =
  '(?:repo|repository|project|codebase|code base|monorepo|workspace|team|company|machine|branch|app|sprint|week|month|quarter|year|release|morning|afternoon|evening)';

const openingReference = new RegExp(
  [
    `^(?:it|its|they|them|their|he|him|his|she|her|hers)\\b`,
    `^(?:this|that|these|those)\\b(?! ${here})`,
    `^(?:both|neither|either one|each of them|all of them|none of them|one of them|some of them|the (?:other|others|rest|same|former|latter|first one|second one|last one|reason|exception|former|above)|another one|such)\\b`,
    `^(?:otherwise|else|instead|so|hence|therefore|thus|then|but|yet|though|however|except|unless|only then|likewise|similarly|ditto|still|elsewhere|afterwards?|after that|before that|until then|since then|in (?:that|this|those|these|which|both) (?:case|cases)|for (?:that|this|those|these)|(?:because of|without|with|apart from|besides|instead of|before|after) (?:that|this|it|them)|that's why|which|in other words|for (?:example|instance)|e\\.g\\.|i\\.e\\.)\\b`,
    `^(?:reason|rationale|why|exceptions?|answer|a|consequence|background|workaround|fix|solution)\\s?:`,
    `^(?:es|er|dieser|diese|dieses|diesen|diesem|dort|dafür|davon|damit|dazu|darum|deshalb|daher|deswegen|sonst|ansonsten|danach|davor|dabei|dadurch|stattdessen|trotzdem|aber|außer|dann|ihre|seine|beide|erstere|letztere)(?![\\p{L}])`,
    `^sie (?:ist|sind|hat|haben|läuft|laufen|wird|werden|liegt|liegen|braucht|brauchen|kann|können|muss|müssen|darf|dürfen|soll|sollen)(?![\\p{L}])`,
    `^(?:il|elle|ils|elles|cela|ça|celui-ci|celle-ci|ceux-ci|c'est pourquoi|c’est pourquoi|donc|sinon|mais|sauf|alors|leur|leurs|dans ce cas|pour cela)(?![\\p{L}])`,
    `^(?:ello|eso|esto|él|ella|ellos|ellas|éste|ésta|por eso|por esto|si no|de lo contrario|pero|salvo|entonces|en ese caso|su|sus)(?![\\p{L}])`,
    `^(?:он|она|оно|они|это|этот|эта|эти|его|её|их|там|поэтому|иначе|но|тогда)(?![\\p{L}])`,
    `^(?:它|他|她|这(?!个?(?:项目|仓库|代码|团队|周|里))|那|其|因此|所以|否则|但|不过|而且|然后)`,
    `^(?:それ|これ|その|この(?!リポ|プロジェクト)|彼|だから|なので|ただし|しかし|でも|そうでない)`,
  ].join('|'),
  'iu',
);

/** "Because ordering matters." gives the reason of what was said before; with a comma or "we" it has a main clause. */
const bareReason =
  /^(?:because(?!(?: \S+){3,9} (?:we|i|you) )|weil|parce que|porque|потому что|因为|なぜなら)(?![\p{L}])[^,，、]*$/iu;

const pronoun =
  /\b(?:it|them|they|him|her|he|she)\b|\b(?:this|that|these|those)\b(?=\s*(?:[.,;:!?)]|$|(?:is|was|are|were|'s|means|must|should|can|will|has|happens|too|either|yourself)\b))/iu;

/** "Postgres 15 locally too." adds to what was said before. */
const addition = /\b(?:too|as well|either|then|there|both|the same|likewise|instead)[.!]*$/iu;

/** Words that name nothing: closed classes, and the verbs that instructions begin with. */
const emptyWords = new Set(
  (
    "a an the and or but not no never always only just also please do don't don’t dont does is are was were be been to of " +
    'in on at by for from with without about as if when while before after until unless because so than then i we you my ' +
    'our your me us can could will would should must may might have has had get let make sure use run ask tell try keep ' +
    'want need call put set all any each every what which who how why where there here now again first yourself most some one none half'
  ).split(' '),
);

/** So few words before a pronoun name only the subject and the verb, and an object pronoun stands for neither. */
const maxUnboundWords = 2;

/** Whether the first pronoun of a sentence has nothing before it that it could stand for. */
function hasUnboundPronoun(sentence: string): boolean {
  const match = pronoun.exec(sentence);
  if (match === null) return false;
  const names = sentence
    .slice(0, match.index)
    .split(/[^\p{L}\p{N}'’_./-]+/u)
    .filter(it => it !== '' && !emptyWords.has(it.toLowerCase()));
  // "her" before a noun is a possessive, which stands for the subject: "Sarah and her team".
  const isPossessive =
    /^her$/iu.test(match[0]) &&
    /^ (?!(?:in|on|at|by|for|from|to|with|about|when|while|during|before|after|until|if|and|or|first|too)\b)\p{L}/iu.test(
      sentence.slice(match.index + 3),
    );
  // A person has a name.
  if (/^h(?:im|er|e)$|^she$/iu.test(match[0]) && /(?:^|\s)@?\p{Lu}\p{Ll}/u.test(sentence.slice(1, match.index)))
    return false;
  return names.length <= (isPossessive || /^(?:they|he|she)$/iu.test(match[0]) ? 0 : maxUnboundWords);
}
