import { cuesForGate } from './cue.js';
import * as lexicon from '../lexicon.js';

/** Cues of habits and preferences, roughly from the strongest to the weakest. */
export const behavioralCues = cuesForGate('behavioral', [
  {
    name: 'I do',
    weight: 3.5,
    pattern:
      "\\bi(?: also| really| strongly| just| mostly| only| still| rather| personally| almost| always| usually| never| generally| often| typically| normally| tend to| like to| try to)* (?!will|'ll|am\\b|was\\b|were\\b|had\\b|have (?:to|until|never|an?)\\b|need to|must\\b|promised|plan\\b|report\\b|lead\\b|maintain\\b|manage\\b|own\\b|owe\\b|hope|intend|agreed|volunteered|committed|said|meant|told|didn't|shall|got\\b|gotta|should\\b|still have|took|sit\\b|noticed|learned|found\\b|fixed|found|and\\b|may\\b|might\\b|could\\b|can\\b|do not know|share\\b|mentor\\b|supervise\\b|pair with|work (?:with PERSONNAME|at\\b|for\\b)|want to (?:try|do|finish|ship|get)\\b)[a-z']+(?<!ed)\\b",
  },
  {
    name: 'I like',
    weight: 2,
    keywords:
      "prefer|like|love|enjoy|hate|favo|want you|expect|can't stand|always|usually|never|tend|appreciate|rather|insist".split(
        '|',
      ),
    pattern:
      "\\bi(?:'d| would)? (?:\\w+ly )?(?:prefer|like|love|enjoy|hate|dislike|favou?r|want you|expect|can't stand|always|usually|never|tend|appreciate|rather|insist)\\b|\\bi'd rather\\b|\\bi would rather\\b",
  },
  {
    name: 'I am',
    weight: 3,
    keywords: "i'm |i am ".split('|'),
    pattern:
      "\\bi'm (?!on\\b|part\\b|in the\\b|the\\b|going|gonna|planning|hoping|giving|out\\b|working|debugging|stuck|trying|in\\b|currently|still|looking|about\\b|supposed|waiting|taking|writing|preparing|investigating|profiling|seeing|getting|running|moving)\\w+|\\bi am (?:used|more|most|comfortable|picky|a (?:fan|heavy|big))\\b",
  },
  {
    name: 'my way',
    weight: 4,
    keywords: 'my |personal|pet peeve|for me|how i|where i live|looking back|fan of|habit'.split('|'),
    pattern:
      "\\bmy (?:preferred|favou?rite|default|usual|go-to|personal|typical|normal|main|daily|dotfiles|editor|ide|shell|terminal|keyboard|setup|workflow|style|coding|preference|habit|approach|rule|convention|font|theme|stack|machine|laptop|os|testing|background|experience|commits|prs|code|tests|branches|languages?)\\b|\\bpersonal(?:ly)?(?: preference)?\\b|\\bpet peeve\\b|\\bfor me$|\\bthat's how i\\b|\\bhow i (?:like|work|do|structure|want|write)\\b|\\bwhere i live\\b|\\bnot looking back\\b|\\b(?:never been|not) a fan of\\b|\\bas a habit\\b|\\bin my (?:code|projects|experience|commits)\\b|\\bmy (?:[\\w-]+ ){0,3}(?:is|are|lives?)\\b",
  },
  {
    name: 'user prefers',
    weight: 5,
    pattern:
      "^(?:the |this )?(?:user|developer|dev)(?:'s)? (?:always |usually |never |also |mostly |often |generally )?(?:prefers?|likes?|loves?|hates?|dislikes?|uses|wants|writes|works|runs|avoids|expects|tends|enjoys|preference|iterates|values|cares|asks|types|reads|thinks|insists|switched|favou?rs|needs|works|commits|trusts|codes|develops)\\b|^(?:prefers|likes|loves|hates|dislikes|uses|wants|writes|works|runs|avoids|expects|tends|enjoys|trusts|switched|codes|develops|insists|values|thinks|types|reads|favou?rs|appreciates|cares|asks|learns)\\b",
  },
  {
    name: 'prefer',
    weight: 4,
    keywords: 'prefer|favo|default to|stick|lean towards|like|love|hate|, always|please|rather than'.split('|'),
    pattern:
      "^(?:please |always |strongly )?(?:prefer|favou?r|default to|stick to|stick with|lean towards)\\b|\\bpreference\\b|\\bpreferably\\b|\\bwe(?: all| really| strongly| generally)? (?:prefer|like|favou?r|love|hate|dislike)\\b|\\w+ (?:>|over) \\w+, always\\b|^don't like\\b| please$|^please\\b|\\brather than (?:\\w+ing|nested|raw|guessing|guess|creating)\\b",
  },
  {
    name: 'standing instruction',
    weight: 4,
    keywords:
      'always|sure|remember to|try to|when|every time|each time|if |before |after |unless i ask|with me|wait for my|ask me|give me|show me|tell me'.split(
        '|',
      ),
    pattern:
      '^(?:please |and |also )?(?:always|make sure|ensure|be sure|remember to|try to|whenever|every time|each time|if (?:you|in doubt|unsure|i)|before (?:you|every|each|committing|pushing|merging|coding|writing|starting|editing|any)|after (?:you|every|each|editing|changing|any)|when (?:you|writing|adding|creating|editing|committing|naming|reviewing|in doubt|asked|answering|i (?:ask|say|write)|generating|making|possible))\\b|\\bwhen i say\\b|\\bunless i ask\\b|\\bwith me(?: first)?\\b|\\bwait for my\\b|\\bask me\\b|\\bgive me\\b|\\bshow me\\b|\\btell me\\b',
  },
  {
    name: 'instruction',
    weight: 3.5,
    pattern: `^(?:please |pls |just |first |then |and |always )*(?:${lexicon.imperativeVerbs})\\b${lexicon.notNounLookahead}`,
  },
  {
    name: 'our habit',
    weight: 3,
    keywords: 'we |our |house '.split('|'),
    pattern:
      "\\bwe(?: all| also)? (?:always|usually|never|generally|typically|normally|mostly|tend to|try to|aim (?:to|for) (?!ship|release|be on|have)|like to|avoid|follow|squash|rebase|merge|name|format|indent|write|pair|keep|review|timebox|do (?!not\\b|have\\b)|let|commit|test|document|deploy (?:only|behind|after|every|on)|only (?:merge|deploy|release|commit)|ask|sign|work|estimate|demo|discuss|celebrate|rotate|refactor|start every|don't \\w+ (?:until|without|unless))\\b|\\bour (?:own )?(?:convention|style|code style|coding style|habit|rule|practice|policy|workflow|standard|guideline|naming|team rule|way of)\\b|\\bhouse (?:style|rule)|\\bthat's our rule\\b",
  },
  { name: 'way of working', weight: 1.2, pattern: `\\b(?:${lexicon.workflowTerms})\\b` },
  {
    name: 'should',
    weight: 2,
    pattern:
      '\\b(?:commits?|commit messages?|messages?|functions?|tests?|test names?|prs?|pull requests?|branch(?:es)?(?: names)?|comments?|files?|variables?|names?|classes|methods?|components?|docs|docstrings|code|constants?|every (?:bug fix|endpoint|pr|function)|each \\w+|answers?|explanations?|booleans?) (?:should|must|ought to|have to|has to|go|goes|get|read like|start|stay|are written|named)\\b|^(?:constants|variables|files|functions|classes|components|booleans|tests|comments|imports|hooks|types|interfaces|enums)(?: \\w+)? (?:in|named|go|read|above|first|next|with|at)\\b',
  },
  {
    name: 'ich mag',
    weight: 3.5,
    keywords: "ich|je |j'|prefiero|me gusta|siempre|normalmente|nunca|bitte".split('|'),
    pattern:
      "\\b(?:ich (?:bevorzuge|mag|nutze|arbeite|schreibe|verwende|benutze|hasse|liebe|will|möchte|teste|programmiere)|(?:normalerweise|meistens|immer|grundsätzlich) \\w+ ich|je (?:préfère|prefere|déteste|n'aime|travaille|utilise|veux|code|teste)|j'(?:utilise|aime|écris|évite)|prefiero|me gusta|(?:siempre|normalmente|nunca) (?:uso|escribo|trabajo|hago|pruebo)|uso siempre|bitte (?:immer|auf deutsch))\\b",
  },
]);
