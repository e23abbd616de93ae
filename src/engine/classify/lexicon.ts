/** Verbs at the start of an instruction, in their base form. Each list of this file is the body of a regex group. */
export const imperativeVerbs =
  'use|write|keep|add|put|name|run|format|indent|follow|include|start|begin|end|limit|group|sort|order|document|comment|test|mock|wrap|return|throw|handle|log|check|ask|explain|show|give|respond|answer|reply|be|let|leave|make|create|place|store|import|export|declare|define|extract|split|commit|push|squash|rebase|sign|bump|review|read|treat|validate|separate|organi[sz]e|structure|reuse|minimi[sz]e|maximi[sz]e|optimi[sz]e|choose|pick|set|call|pass|inject|annotate|type|mark|tag|label|link|reference|cover|aim|strive|verify|confirm|propose|suggest|summari[sz]e|think|work|skip|omit|tell|speak|only|pin|match|edit|prefix|suffix|describe|double[- ]check|normali[sz]e|saniti[sz]e|escape|cache|batch|debounce|guard|assert|encapsulate|isolate|decouple|compose|inline|hoist|lint|build|deploy|ship|merge|open|close|delete|remove|drop|move|rename|convert|replace|refactor|upgrade|migrate|install|configure|enable|disable|turn|mention|cite|quote|assume|consider|expect|require|derive|generate|prefer|favou?r|default|stick|avoid|stay|go|get|take|look|see|try|work|do|batch|stage|justify|avoid|always|write|spell|capitali[sz]e|hide|expose|load|save|fetch|parse|render|model|draft|plan|break|stop|wait|report|share|print|colocate|co-locate|version|archive|back up|clean|tidy|initiali[sz]e|instantiate|implement|extend|override|register|document|localise|translate|thread|await|chain|bind|map|filter|reduce|iterate|loop|measure|profile|benchmark|monitor|trace|alert|audit|encrypt|hash|mask|redact|rotate|respect|honou?r|preserve|retain|maintain|ensure|focus|emphasi[sz]e|highlight|simplify|shorten|adhere|apply|indent|practice|practise';

/** Verbs after the first word that show that it is a noun and no instruction ("Build artefacts are kept"). */
const finiteVerbs =
  "is|are|was|were|has|have|had|lives?|runs?|comes?|gets?|uses|needs|takes|goes|must|should|can|cannot|can't|will|won't|may|might|would|could|does|do|doesn't|don't|isn't|aren't|contains?|returns?|requires?|depends?|happens?|fails?|breaks?|stays?|sits?|belongs?|starts|ends|works|expires?|counts?|refers?|reads|writes|supports|means|equals";
export const notNounLookahead = `(?! ?[:=])(?!(?: (?!(?:that|when|whenever|if|where|what|which|who|how|sure|every|each|everything|anything|whatever|unless|while|as|than|because|before|after|until|and|to|it|they|you|i|we)\\b)[\\w'’./-]+){0,3} (?:${finiteVerbs})\\b)`;

/** Departments of a company, which mean people. */
export const departmentNames =
  'qa|legal|finance|accounting|support|ops|devops|sre|infra|it|leadership|marketing|sales|procurement|compliance|hr|security|design|analytics|management|engineering|customer success|customer support|devrel|product|the business|data science|sales engineering|platform|research|operations|upper management|people ops';

/** Nouns for people at work. */
export const personNouns =
  'people|folks|guys|crew|squads?|guilds?|tribe|committee|contractors?|freelancers?|juniors?|seniors?|interns?|new hires?|hiring|developers|engineers|devs|sysadmins?|programmers?|designers?|testers?|analysts?|architects?|writers?|teammates?|colleagues?|co-?workers?|coworkers|nobody|someone|everyone|mentors?|founders?|stakeholders?|skip-level|trio|backup person|product owner|scrum master';

export const roleNouns =
  'manager|boss|tech lead|team lead|lead|teammates?|colleagues?|cto|ceo|cfo|coo|vp|head of \\w+|pm|po|product owner|product manager|project manager|designer|architect|intern|contractor|freelancer|consultant|reviewers?|approvers?|maintainers?|code ?owners?|owner|point of contact|contact|mentor|scrum master|dba|recruiter|founder|co-founder|director|engineering manager|em|new hire|buddy|on-?call|release manager|release captain|security champion|incident commander|qa lead|sponsor|expert|specialist|administrator|tester|backup|liaison|agile coach|staff engineer|principal engineer';

/** Words after a role that show that it names something in code, not a person. */
export const nonRoleFollowers =
  'fields?|entity|entities|columns?|roles?|models?|tables?|class|classes|ids?|objects?|components?|library|sdk|apps?|services?|code|versions?|types?|enum|flag|permission|process|node|thread|pod|instance|key|address|time|endpoint|interface|module|package|form|page|record|score|status|is the class|is a class|is nullable';

/** Verbs for what people do in a company. */
export const personVerbs =
  "leads?|owns?|manages?|maintains?|mentors?|reviews?|approves?|oversees?|heads?|supervises?|coordinates?|handles?|runs?|drives?|work(?:s|ed)? (?:on|with|in|from|at|for|remotely|part)|(?:is|are|was|were|'s) (?!going|supposed|about|due|expected|planning|meant|set|scheduled|preparing|writing|finishing|giving|working)\\w+|ha(?:s|ve) (?!to\\b)\\w+|reports? to|joined|left|took over|takes? (?:care|over)|knows?|wrote|built|authored|sits?|lives?|prefers?|likes?|wants?|hates?|needs? (?!to\\b)\\w+|gave|asked|covers?|supports?|looks? after|deals? with|signs? off|can|speaks?|uses?|does?|do|designs?|writes?|set up|created|started|founded|decides?|should (?:review|approve|be)|must|usually|always|never|only|stepped|left|moved|publish(?:es)?|answers?|consumes?|meets?|rotates?|serves?|delegates?|teaches|sponsors?|cares?|insists?|rarely|often|and i\\b|share[sd]?|split|pair";

/** Products and other words that are never people, whatever they "own" or "lead". */
export const productNames =
  'terraform|kubernetes|kafka|redis|jenkins|postgres(?:ql)?|docker|react|angular|vue|svelte|webpack|vite|babel|eslint|prettier|github|gitlab|bitbucket|jira|slack|figma|sentry|datadog|grafana|prometheus|nginx|apache|django|flask|rails|laravel|spring|hibernate|prisma|graphql|mongo(?:db)?|mysql|sqlite|elasticsearch|kibana|rabbitmq|celery|airflow|spark|hadoop|snowflake|bigquery|fivetran|stripe|twilio|auth0|okta|cognito|vault|consul|nomad|istio|envoy|helm|argo|flux|ansible|puppet|chef|vercel|netlify|heroku|cloudflare|fastly|aws|azure|gcp|google|apple|microsoft|linux|windows|macos|android|ios|chrome|safari|firefox|node|deno|bun|npm|yarn|pnpm|typescript|javascript|python|java|kotlin|swift|rust|ruby|php|elixir|scala|next|nuxt|remix|redux|zustand|mobx|jest|vitest|cypress|playwright|storybook|renovate|dependabot|temporal|bullmq|sidekiq|electron|tauri|openapi|swagger|supabase|firebase|pulumi|opentelemetry|the|this|that|it|each|every|code|build|config|release|service|module|function|class|method|table|query|schema|cache|queue|worker|server|client|database|production|staging|everything|nothing|something|there|here|each|one';

/** Terms of style and of ways of working. */
export const workflowTerms =
  'tabs?|spaces|indent\\w*|commit messages?|commits|pull requests?|prs?|rebas\\w+|squash\\w*|merge commits?|conventional commits|semicolons?|quotes|naming|camelcase|snake_case|pascalcase|kebab-case|upper_snake_case|tdd|unit tests?|lint\\w*|formatt\\w+|early returns?|comments?|docstrings?|type hints?|trunk[- ]based|pair[- ]program\\w*|code reviews?|one-liners?|dark mode|editor|vim|neovim|vs ?code|emacs|jetbrains|shortcuts?|readab\\w+|functional|composition|immutab\\w+|arrow functions?|named exports?|variable names|function names|file names|small functions|parameters per function|coverage|wording|tone|emojis?|bullets?|verbose|concise|brief|terse';

export const monthNames =
  'january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec';
export const weekdayNames = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday';

/** Names of places of teams. */
export const placeNames =
  'Amsterdam|Athens|Atlanta|Austin|Bangalore|Bengaluru|Barcelona|Belgrade|Berlin|Boston|Brazil|Brussels|Bucharest|Budapest|Canada|Chicago|China|Copenhagen|Cracow|Delhi|Denver|Dublin|Europe|France|Frankfurt|Geneva|Germany|Hamburg|Helsinki|Hyderabad|India|Ireland|Israel|Istanbul|Italy|Japan|Kiev|Kyiv|Krakow|Kraków|Lagos|Lisbon|London|Madrid|Manila|Melbourne|Mexico|Milan|Montreal|Mumbai|Munich|Nairobi|Oslo|Paris|Poland|Porto|Portugal|Prague|Pune|Rome|Romania|Seattle|Seoul|Singapore|Sofia|Spain|Stockholm|Sydney|Taipei|Texas|Tokyo|Toronto|UK|USA|Ukraine|Vancouver|Vienna|Vietnam|Warsaw|Zurich|Zürich';
