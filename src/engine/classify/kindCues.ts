import type { Gate, Kind } from '../model/memory.js';
import type { KeywordRule } from '../text/keywordPrefilter.js';

export interface KindCue extends KeywordRule {
  readonly name: string;
  readonly kind: Kind;
  /** The gates at which the cue applies. */
  readonly gates: readonly Gate[];
  readonly pattern: RegExp;
}

/** The first match decides; specific kinds come before general ones. */
export const kindCues: readonly KindCue[] = [
  {
    name: 'summary',
    kind: 'summary',
    gates: ['epistemic'],
    keywords: 'summary|recap|tl;dr|tldr|in this session|today we'.split('|'),
    pattern: /^(?:summary|session summary|recap|tl;?dr)\b|\bin this session\b|\btoday we\b/iu,
  },
  {
    name: 'decision',
    kind: 'decision',
    gates: ['epistemic', 'promissory'],
    keywords:
      'decided|decision|chose|picked|opted|went with|settled on|agreed|selected|standardi|ruled out|rejected|adr |trade-off|tradeoff|rationale|we moved|we migrated|we switched|in favo|because'.split(
        '|',
      ),
    pattern:
      /\b(?:decided|decision|chose|chosen|picked|opted|went with|settled on|agreed (?:on|to use|that)|selected|standardi[sz]ed on|ruled out|(?:was|were|we) rejected|adr \d+|trade-?off|rationale|we (?:moved|migrated|switched) (?:from|to|away)|in favou?r of|over (?:\w+ )?because)\b/iu,
  },
  {
    name: 'gotcha',
    kind: 'gotcha',
    gates: ['epistemic'],
    keywords:
      "gotcha|caveat|beware|watch out|careful|quirk|silently|unexpected|surprising|intuitive|only |not work|n't work|fail|break|crash|hang|race condition|bug in|deadlock|by one|by-one|fires twice|unless|because of strict|unknown|duplicates|causes|choke|swallow|must |otherwise|or else|known issue|known bug|edge case|trap".split(
        '|',
      ),
    pattern:
      /\b(?:gotcha|caveat|beware|watch out|careful|quirk|silently|unexpected\w*|surprising\w*|counter-?intuitive\w*|only (?:works|fails|happens)|does(?: not|n't) work|won't work|fails? (?:if|when|unless|on|with|silently)|breaks? (?:if|when|unless|on)|crash(?:es)? (?:if|when)|hangs?|race condition|bug in|deadlocks?|off[- ]by[- ]one|fires twice|unless|because of strict|when the .{1,30} is unknown|duplicates|causes|choke\w*|swallow\w*|must (?:answer|be|run) .{1,60}\b(?:before|otherwise|or)\b|otherwise|or else|unless|known (?:issue|bug)|edge case|trap)\b/iu,
  },
  {
    name: 'insight',
    kind: 'insight',
    gates: ['epistemic'],
    keywords:
      'turns out|root cause|caused by|learned|learnt|realised|realized|discovered|insight|lesson|figured out|found|noticed that|the reason|key takeaway|bottleneck|culprit|the cause'.split(
        '|',
      ),
    pattern:
      /\b(?:turns out|root cause|caused by|learned|learnt|reali[sz]ed|discovered|insight|lesson|figured out|found (?:out )?that|noticed that|the reason|key takeaway|the (?:bottleneck|culprit|cause) (?:is|was))\b/iu,
  },
  {
    name: 'friction',
    kind: 'friction',
    gates: ['epistemic'],
    keywords: 'flaky|painful|annoying|takes |slow|tedious|cumbersome|friction|consuming|hard to'.split('|'),
    pattern:
      /\b(?:flaky|painful|annoying|takes (?:forever|ages|too long|\d+ (?:minutes|hours))|so slow|very slow|too slow|tedious|cumbersome|friction|time-?consuming|slows? (?:us|me) down|hard to)\b/iu,
  },
  {
    name: 'procedure',
    kind: 'procedure',
    gates: ['epistemic'],
    keywords: 'to |how to|first|step|procedure|runbook|before|after|prior to|then'.split('|'),
    pattern:
      /^(?:to|in order to) [a-z]+.{1,80}(?:,|:) ?(?:run|use|first|do|set|call|add|create|open|you)\b|\bfirst\b.{1,100}\bthen\b|\bsteps?:|\bstep \d|\bprocedure\b|\brunbook\b|\b(?:run|execute|call|do|check|update|build|test|lint|bump|regenerate) .{1,80}\b(?:before|after|prior to|then)\b|\b(?:before|after) .{1,80}, (?:always )?(?:run|execute|do|check|update|build|test)\b|\bhow to\b/iu,
  },
  {
    name: 'progress',
    kind: 'progress',
    gates: ['epistemic', 'relational'],
    keywords:
      'fixed|added|implemented|refactored|finished|completed|merged|shipped|removed|renamed|upgraded|released|deployed|rewrote|reverted|bumped|wip|in progress|currently|working on|blocked|halfway|done|stuck on|debugging|investigating|failing|broken|down|right now|at the moment|so far|remaining'.split(
        '|',
      ),
    pattern:
      /^(?:(?:i|we)(?:'ve| have)? |i just |just )?(?:just )?(?:fixed|added|implemented|refactored|finished|completed|merged|shipped|removed|renamed|upgraded|released|deployed|rewrote|reverted|bumped)\b|\b(?:wip|in progress|currently (?:working|debugging|investigating|migrating|refactoring|blocked|failing|broken)|working on|blocked (?:by|on)|halfway|is done|are done|half done|stuck on|debugging|investigating|is (?:failing|broken|down)|are (?:failing|broken|down)|right now|at the moment|so far|remaining)\b/iu,
  },
  {
    name: 'routine',
    kind: 'procedure',
    gates: ['behavioral'],
    keywords: 'before|after|prior to|then'.split('|'),
    pattern:
      /^(?:always )?(?:run|execute|build|deploy|migrate|bump|regenerate|rebase|back up) .{1,80}\b(?:before|after|prior to|then)\b|^(?:before|after) .{1,80}, (?:always )?(?:run|execute|format|check|update|build|test|regenerate)\b/iu,
  },
  {
    name: 'pattern',
    kind: 'pattern',
    gates: ['epistemic'],
    keywords:
      'pattern|convention|idiom|all |every |each |follow the|follows the|are named|is named|naming|structured as|co-located|colocated|next to|stored as|only place|alphabetical|append-only|immutable|cursor based|soft delete|rfc '.split(
        '|',
      ),
    pattern:
      /\b(?:pattern|convention|idiom|repository pattern|all (?:\w+ ){1,3}(?:are|use|go|live|follow|extend|implement|must|have)|every (?:\w+ ){1,3}(?:is|has|uses|goes|lives|follows|extends|implements|must|gets)|each (?:\w+ ){1,3}(?:is|has|uses|gets|lives|follows|extends|implements)|follows? the|are named|is named|naming|structured as|co-?located|next to|stored as|only place|alphabetical order|append-only|immutable|cursor based|soft deletes?|rfc \d+)\b/iu,
  },
  {
    name: 'architecture',
    kind: 'architecture',
    gates: ['epistemic'],
    pattern:
      /\b(?:architecture|architected|microservices?|monolith|monorepo|service[s]?|gateway|layer(?:s|ed)?|event[- ]driven|event[- ]sourc\w+|cqrs|hexagonal|message (?:bus|queue|broker)|queue|kafka|rabbitmq|backend|frontend|database|postgres\w*|mysql|mongo\w*|redis|dynamodb|sqlite|schema|deploy(?:ed|s)? (?:to|on|via|in)|hosted (?:on|in|at|by)|runs? (?:on|in|as|behind)|cluster|kubernetes|k8s|lambda|serverless|stack|module|component|api|graphql|grpc|rest|websocket|cdn|load balancer|replica\w*|shard\w*|index|auth\w*|jwt|oauth|built (?:with|on)|written in|terraform|docker|s3|aws|gcp|azure|pipeline|table)\b/iu,
  },
];
