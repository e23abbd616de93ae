import { cuesForGate } from './cue.js';

/** Cues of facts about systems, roughly from the strongest to the weakest. */
export const epistemicCues = cuesForGate('epistemic', [
  {
    name: 'our system',
    weight: 1.5,
    pattern:
      '\\b(?:our|the|this|each|every|all)(?: [\\w./-]+){0,3} (?:apis?|app|apps|application|services?|microservices?|servers?|backend|frontend|database|db|tables?|columns?|schema|index|endpoints?|routes?|cluster|cache|queue|topic|workers?|jobs?|cron|pipeline|build|ci|repo|repository|monorepo|modules?|packages?|library|sdk|cli|clients?|gateway|proxy|load balancer|containers?|images?|config|configuration|settings|env|environment|variables?|flags?|tokens?|sessions?|auth|authentication|middleware|migrations?|components?|hook|class|classes|function|functions|methods?|handlers?|controllers?|models?|types?|interface|folder|directory|scripts?|test suite|tests|e2e tests|bundle|bundler|compiler|webhooks?|buckets?|storage|dashboard|logs|metrics|staging|production|prod|domain|url|ports?|keys?|version|plugins?|extension|parser|scheduler|store|state|responses?|requests?|payload|headers?|cookies?|users?|stack|codebase|limit|timeout|dockerfile|makefile|website|site|data|pool|connection|search|error|bug|page|form|button|quer(?:y|ies)|engine|daemon|field|fields|report|export|incident|ledger|chart|runners?|artefacts?|artifacts?|emulator|binary|driver|entity|event bus|events?)\\b',
  },
  {
    name: 'we run',
    weight: 2.5,
    keywords: ['we '],
    pattern:
      "\\bwe(?: currently| also| now| only| still| both)? (?:use|deploy (?:to|on|via|with)|run|host|store|have (?:a|an|two|three|one|no)\\b|rely|depend|support|build|serve|cache|log|send|encrypt|expose|generate|self-host|authenticate|version|publish|moved|migrated|switched|chose|picked|went|adopted|replaced|removed|added|built|pin|consume|considered|are (?:on|using|running|hosted)|'re (?:on|using|running)|had|reali[sz]ed|found)\\b",
  },
  {
    name: 'decided',
    weight: 3,
    keywords:
      'decided|decision|chose|picked|opted|went with|settled on|agreed|adopted|selected|standardi|ruled out|rejected|rationale|trade-off|tradeoff|supersedes|adr'.split(
        '|',
      ),
    pattern:
      '\\b(?:decided|decision|chose|chosen|was picked|were picked|^picked|opted|went with|settled on|agreed (?:on|to use|that)|adopted|selected|standardi[sz]ed on|ruled out|rejected|rationale|trade-?off|supersedes|adr)\\b',
  },
  {
    name: 'works so',
    weight: 2,
    pattern:
      '\\b(?:is|are) (?:only |also |not |always |automatically |still )?(?:stored|kept|located|defined|configured|deployed|hosted|written|implemented|generated|handled|cached|built|exposed|encrypted|signed|served|backed|called|mounted|loaded|parsed|validated|limited|set|based|split|compiled|structured|indexed|partitioned|sharded|replicated|versioned|enabled|disabled|required|protected|rate[- ]limited|idempotent|async\\w*|eventually|single|multi\\w*|in|under|at|on port|behind|at most|public|internal|intentional|immutable|append-only|nullable|experimental|cursor|reset|rebuilt|retrained|computed|registered|checked|published|produced|buffered|exported|synced|shared|bundled|used|read|open|unknown|rounded|sequential|a single|a thin|a two-step|by design)\\b|\\b(?:lives?|runs?|sits?|listens?) (?:in|on|at|under|behind|as|inside|every|nightly|hourly|daily)\\b|\\b(?:returns?|requires?|depends? on|expects?|contains?|consists? of|supports?|stores?|reads? from|writes? (?:to|results)|talks? to|points? to|maps? to|extends|inherits|implements|emits|publishes|consumes|triggers|validates|expires?|exposes|accepts|rejects|throws|fails?|breaks|crashes|times? out|caches|proxies|loads|defaults to|belongs? to|rotates|retries|scales|drops|strips|blocks|guarantees|counts|maps|happens|streams|pulls|computes|exits|bundles|ships as|follows|costs|buffers|wipes|chokes|hangs|backtracks|holds)\\b',
  },
  {
    name: 'found out',
    weight: 3,
    keywords:
      "turns out|root cause|caused by|the reason|because of|found|discovered|learned|realised|realized|noticed|figured out|the fix|the problem|the issue|the bug|the culprit|the cause|the trick|workaround|bottleneck|incident|outage|lesson|gotcha|caveat|quirk|silently|race condition|memory leak|flaky|temporarily|reproduc|regression|stack trace|stacktrace|happens when|only |due to|that's why|shows|prevented|single point".split(
        '|',
      ),
    pattern:
      "\\b(?:turns out|root cause|caused by|the reason|because of|found (?:out )?(?:that|the)|discovered|learned|reali[sz]ed|noticed|figured out|the (?:fix|problem|issue|bug|culprit|cause|trick|workaround|bottleneck|incident|outage) (?:is|was)|lesson|gotcha|caveat|quirk|silently|race condition|memory leak|flaky|workaround|temporarily|reproduc\\w+|regression|stack ?trace|happens when|only (?:works|happens|fails) (?:if|when|with|on)|due to|that's why|shows (?:that|most)|prevented|single point of failure)\\b",
  },
  {
    name: 'done',
    weight: 3.5,
    pattern:
      "^(?:done:|wip\\b|summary|session summary|in this session)|^(?:i|we|just|i've|we've|i just)? ?(?:just |have )?(?:fixed|added|implemented|refactored|finished|completed|merged|shipped|removed|migrated|moved|renamed|upgraded|updated|released|deployed|rewrote|replaced|introduced|created|tested|investigated|debugged|reverted|bumped|enabled|disabled|learned|found)\\b(?! (?:to|the (?:endpoint|object)s? (?:get|will)))|\\b(?:currently|right now|at the moment|in the middle of|working on|wip|in progress|(?:is|are) (?:failing|broken|down|red)|stuck on|debugging|investigating|profiling|bisecting|on my branch)\\b",
  },
  {
    name: 'code',
    weight: 0.6,
    pattern:
      /\bCODE\b|\b[a-z]+[A-Z]\w+\b|\w_\w|\b[\w-]+\/[\w./-]+|\b\w+\.(?:ts|js|py|go|rs|java|json|ya?ml|toml|sql|sh|env|tsx|cs|rb|md)\b|\bv?\d+\.\d+/u,
  },
  {
    name: 'how many',
    weight: 1,
    pattern:
      '\\b\\d+(?:\\.\\d+)? ?(?:ms|s|seconds?|minutes?|mins?|hours?|days|kb|mb|gb|tb|%|percent|requests?|rows|connections|replicas|nodes|cores|pods|shards|partitions|retries|formats?)\\b|\\bport \\d+|:\\d{4}\\b',
  },
  {
    name: 'things do',
    weight: 2,
    keywords: 'will|would|can'.split('|'),
    pattern:
      '\\b(?:will|would|can) (?:\\w+ly )?(?:fail|retry|block|be rejected|return|throw|crash|break|time out|time ?out|cause|reject|log|exit|expire|belong|have many|change between)\\b',
  },
  {
    name: 'das System',
    weight: 2,
    keywords: 'läuft|ist |datenbank|das frontend|das backend|base de datos|el servicio|está en|est |usa '.split('|'),
    pattern:
      '\\b(?:läuft (?:auf|in)|ist (?:in .{1,40} geschrieben|\\p{Lu}\\w+ \\d)|die datenbank|das (?:frontend|backend)|la base de datos|el servicio|está en|est versionnée|est (?:écrit|hébergé)|usa [A-Z])\\b',
  },
]);
