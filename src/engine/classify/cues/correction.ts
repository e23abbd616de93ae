import { cuesForGate } from './cue.js';
import * as lexicon from '../lexicon.js';

/** Cues of mistakes to avoid and of explicit corrections, roughly from the strongest to the weakest. */
export const correctionCues = cuesForGate('correction', [
  {
    name: 'prohibition',
    weight: 6,
    keywords: "not|n't|dont|shouldnt|never|avoid|stop|quit|no more|under no".split('|'),
    pattern:
      "^(?:please |pls |and |so |also |again,? |hey |just |seriously,? )*(?:do not|don't|dont|do n't|never|avoid|stop|quit|no more|you (?:must|should|can|may) ?(?:not|n't|never)|must not|mustn't|should(?: not|n't|nt)|cannot|can't|under no circumstances|not ever)\\b(?! (?:worry|mind|like|love|been|care|need|want)\\b)",
  },
  {
    name: 'prohibition inside',
    weight: 3.5,
    keywords: "not|don't|dont|never|avoid|stop".split('|'),
    pattern:
      "^(?!(?:i|i'm|i've|my|we) ).*(?:[,;:.—–-] ?|\\b(?:but|and|so|please) )(?:but |and |so |please )?(?:do not|don't|dont|never|avoid|not ever|stop)\\b",
  },
  {
    name: 'must not',
    weight: 3.5,
    keywords:
      "not|n't|never|forbidden|prohibited|banned|off-limits|off limits|disallowed|verboten|unacceptable|no-go|under no".split(
        '|',
      ),
    pattern:
      "\\b(?:must|should|may|shall|ought)(?:n't| not| never)\\b|\\b(?:is|are|was|were) (?:strictly |never )?(?:forbidden|prohibited|banned|off[- ]limits|not allowed|not permitted|disallowed|verboten|not acceptable|unacceptable|a no-go|not ok(?:ay)?|supposed to never|never (?:supposed|allowed|to be))\\b|\\bno-go\\b|\\bunder no circumstances\\b|\\b(?:is|are) never ok",
  },
  {
    name: 'not this but that',
    weight: 4,
    keywords: ['not'],
    pattern:
      '(?:,| -| –| —|;| \\(| and| but) ?(?:and |but )?not (?!only\\b|just\\b|yet\\b|all\\b|sure\\b|even\\b|every\\b|looking\\b|been\\b|going\\b|necessarily\\b|much\\b|us\\b|with \\w+ing)',
  },
  {
    name: 'not but',
    weight: 3.5,
    keywords: "not|n't".split('|'),
    pattern:
      "\\b(?:is|was|are|it's|that's|its) not\\b.{1,60}?[,;.:—–-] ?(?:but|it's|its|it is|they're|they are|rather|use)\\b|\\b(?:isn't|aren't|wasn't) .{1,60}?[,;.—–-] ?(?:but|it's|it is|they're|rather|use)\\b",
  },
  {
    name: 'wrong',
    weight: 6,
    keywords:
      'nope|nah|wrong|incorrect|not |no,|no.|no!|no:|no;|nein|non|falsch|correction|mistake|misspoke|a bug here'.split(
        '|',
      ),
    pattern:
      "^(?:nope|nah|wrong|incorrect|not quite|no[,.!:;] )|^(?:nein|non|falsch)[,.! ]|\\b(?:that|this|it|which|answer|fix|assumption|assuming .{1,40}|previous .{1,30}|your .{1,30})(?:'s| is| was| were)(?: just| simply| still| all)? (?:wrong|incorrect|not (?:right|correct|true|what|how))|\\bwrong (?:import|path|port|order|name|file|branch|version|key|table|one|way|place|env\\w*|url|endpoint|type|field)\\b|\\bis wrong\\b|\\bcorrection\\b|\\bmistakes? (?:to avoid|was|here|you)\\b|\\bmisspoke\\b|\\bis a (?:bug|mistake) here\\b",
  },
  {
    name: 'you did',
    weight: 5,
    keywords: 'you|claude|copilot|assistant|the ai|model|agent|bot'.split('|'),
    pattern:
      "\\b(?:you|claude|copilot|the (?:assistant|ai|model|agent|bot)) (?:always |just |also |again |keep |wrongly |incorrectly )?(?:got|were|was|made|keep|kept|used|forgot|misunderstood|misread|assumed|mixed|confused|broke|introduced|hallucinated|invented|suggested|missed|wrote|left|returned|deleted|removed|changed|renamed|ignored|added|put|did|didn't|told|touched|overwrote|skipped|called)\\b|\\b(?:why|what) (?:did|are|were) you\\b|\\byour (?:fix|change|answer|code|last|previous|version|suggestion|solution|assumption)\\b|\\blast time you\\b",
  },
  {
    name: 'I said',
    weight: 4.5,
    keywords: 'said|say|meant|ask|told'.split('|'),
    pattern:
      "\\bi (?:said|meant|asked for|asked you|told you|didn't ask|did not ask|never asked|didn't say|already said)\\b",
  },
  {
    name: 'actually',
    weight: 3.5,
    keywords:
      "actually|really|spelled|spelt|i told you|made it|made that|exist|there's no|there is no|right|correct".split(
        '|',
      ),
    pattern:
      "\\bactually (?:called|named|spelled)\\b|\\b(?:is|are) really (?:called|named)\\b|\\b(?:is|it's) (?:spelled|spelt)\\b|\\bas i told you\\b|\\bmade (?:it|that) up\\b|\\b(?:does|do)(?:n't| not) exist\\b|\\bthere(?:'s| is) no (?:such )?(?:\\W|CODE|flag|option|method|function|column|field|endpoint|setting|table)|\\bthe (?:right|correct) (?:\\w+ ){1,2}is\\b|\\bis the (?:right|correct) (?:one|way|command|name)\\b",
  },
  {
    name: 'instead of',
    weight: 2.5,
    keywords: 'instead|in place of'.split('|'),
    pattern: `^(?:please |always )?(?:${lexicon.imperativeVerbs}) .{1,80}\\b(?:instead|in place of)\\b|^instead of\\b|, use .{1,40} instead\\b|\\buse .{1,40} instead\\b`,
  },
  {
    name: 'deprecated',
    weight: 3,
    keywords: "deprecated|obsolete|outdated|legacy|the old|no longer|don't|dont|do not|stopped|dropped".split('|'),
    pattern:
      '\\b(?:deprecated|obsolete|outdated|legacy)\\b.{0,80}\\b(?:use|instead|switch)\\b|\\b(?:instead of|rather than) the (?:deprecated|legacy|old)\\b',
  },
  {
    name: 'make sure not',
    weight: 5,
    keywords: "not|n't|never|avoid".split('|'),
    pattern:
      "\\b(?:make sure|be sure|be careful|take care|remember|try|ensure|see to it|careful)(?: that)?(?: you| we| it)?(?:'re| are)? (?:not to|never|to not|to never|you don't|we don't|don't|do not|to avoid|not)\\b",
  },
  {
    name: 'no such thing',
    weight: 4.5,
    keywords: 'no |not '.split('|'),
    pattern:
      '^no (?!one\\b|need\\b|idea\\b|problem\\b|matter\\b|pr\\b|longer\\b|code is\\b)[!a-z`"\'’ -]{2,60}$|^no [!\\w.-]+(?: [\\w-]+){0,3} (?:in|on|here|without|for|please)\\b|^not (?:a |an |the )?[\\w-]+[.,;:]',
  },
  {
    name: 'verbot',
    weight: 5,
    keywords: 'niemals|kein|nicht| pas|jamais|no uses|no usar|no hagas|no toques|no pongas|nunca|se llama'.split('|'),
    pattern:
      "\\b(?:niemals|keinesfalls|auf keinen fall|nicht (?:direkt|mehr|ohne|die|den|das|\\w+en)|keine? .{1,40}(?:verwenden|benutzen|nutzen|machen|committen)|ne (?:jamais|pas)|n'\\w+ (?:pas|jamais)|no (?:uses|usar|hagas|toques|pongas)|nunca)\\b|, nicht \\w|\\bund nicht \\w|\\bse llama\\b|\\bheißt .{1,40}\\bnicht\\b",
  },
]);
