/** Names of what a project has. A fact that mentions one is true there, whoever says it. */
const projectPattern =
  /\b(?:the (?:bug|error|job)|(?:the|this) (?!(?:first|last|next|full|whole|exact) )[\w-]+ (?:test|tests|page|job|screen|form|component|script|report|bug|error)|here|(?:this|the|our|that|each) (?:[\w-]+ ){0,2}(?:repo|repository|project|code ?base|monorepo|workspace|service|services|app|apps|application|api|apis|backend|frontend|database|db|schema|table|tables|column|columns|endpoint|endpoints|package|packages|module|modules|pipeline|build|cluster|server|servers|branch|branches|release|releases|team|customer|client|ticket|tickets|sprint|importer|parser|worker|queue|cache|dashboard|docs|wiki)|we|we're|we've|us|our|ours|prod|production|staging|tickets?|customers?|deploys?|releases?|migrations?|pull requests? (?:that|which)|prs? (?:that|which|from)|a pr)\b|(?<![\w`])(?:src|lib|test|tests|docs|apps|packages|infra|internal|cmd)\/|这个项目|本项目|这个仓库|このリポ|このプロジェクト|\b(?:unser|unsere|unserem|unseren|wir|notre|nos|nous|nuestro|nuestra|nosotros|este repo|este proyecto|ce projet|ce dépôt|diesem (?:repo|projekt)|im projekt)\b/iu;

/** Statements about a person that hold wherever they work. */
const personPatterns: readonly RegExp[] = [
  /^(?:(?:and|but|so|oh|hey|hi|also|btw|well|personally|in general|generally|usually|normally|as a rule)[, ]+){0,3}(?:i|i'm|i’m|im|i've|i’ve|ive|i'd|i’d)\b(?! (?:said|meant|told|think(?! in (?!the\b))|guess|found|noticed|see|saw|fixed|added|moved|changed|promised|agreed|decided|learned|will|shall|just|own(?! (?:an?|my|no|two|several)\b)|lead|manage(?! my\b)|maintain|report|need|have to|have (?:a|an|the) failing|got|was|were|had|did|broke|merged|deployed|run the|can't (?:reproduce|build|compile|deploy|merge|push|log in)|(?:am |currently |now ){0,2}\w+ing (?:on|the|an?))\b)/iu,
  /\bmy (?:name|role|profession|job title|pronouns|github|handle|user ?name|e-?mail|phone|tablet|mother tongue|first language|preferred|favou?rite|default|usual|personal|main (?:laptop|machine|computer|editor|language)|editor|ide|shell|terminal|keyboard|font|theme|laptop|machine|os|home|dotfiles|working hours|work hours|hours|time ?zone|background|experience|native language|style|preference|habit|setup|workflow|eyes|hearing|screen|monitor|eyesight)\b/iu,
  /^(?:the |this )?(?:user|developer)(?:'s|’s)?\b(?! (?:table|model|service|id|entity|endpoint|schema|page|role|profile|accounts?|sessions?|data|settings|import|interface|guide|docs|portal|api))/iu,
  /^(?:(?:always|usually|never|strongly|mostly|generally) )?(?:prefers|likes|loves|hates|dislikes|wants|avoids|enjoys|works|lives|speaks|writes|uses)\b/iu,
  /\b(?:in|for|across|on) (?:all|every|any)(?: of)?(?: my)? (?:projects?|repos?|repositor(?:y|ies)|code ?bases?|workspaces?)\b/iu,
  /^as an? (?:blind|deaf|dyslexic|colou?r-?blind|left-handed|beginner|newcomer|junior|senior|(?:non-)?native)\b|\bi (?:can't|cannot|struggle to) read\b/iu,
  /\b(?:call|calls) me\b|\bmy name\b|\b(?:i am|i'm|im) (?:in (?:utc|gmt|[A-Z]{3,4}\b))/iu,
  /\b(?:ich (?:bin|habe(?! [^.!?]{0,200}(?<![\p{L}])(?:\p{L}*ge\p{L}+(?:t|en)|(?:ver|be|ent|er|zer)\p{L}+(?:t|en)|\p{L}+iert)(?:[.!]|$))|arbeite|mag|bevorzuge|nutze|benutze|verwende|schreibe|spreche|will|möchte|heiße|brauche|lese|hasse|liebe)|mein(?:e|em|en)? (?:name|editor|rechner|laptop|tastatur|terminal|zeitzone|muttersprache|arbeitszeit\w*))\b/iu,
  /(?:^|\s)(?:je (?:suis|préfère|travaille|n'aime|déteste|code|parle|veux|m'appelle)|j'(?:utilise|aime|habite|écris|ai(?! (?:(?:déjà|bien|encore|enfin|juste) )?\p{L}+(?:é|i|is|it|u)(?:es?|s)?(?![\p{L}])))|(?:mon|ma) (?:clavier|nom|éditeur|terminal|machine|langue))(?![\p{L}])/iu,
  /\b(?:prefiero|me gusta|me llamo|trabajo (?:desde|de|solo|con|por)|soy|mi (?:teclado|nombre|editor|terminal|portátil|idioma))\b/iu,
  /^(?:я (?:предпочитаю|работаю|использую|люблю|не люблю|пишу)|меня зовут)/iu,
  /^我(?!们|把|将|已|刚|昨天|今天)|私は|僕は|俺は/u,
];

/** A person's profession, also where they name the team. */
const rolePattern =
  /^(?:(?:and|but|so|hey|hi|also|btw)[, ]+){0,2}(?:i'm|i am|im) (?:an?|the) (?:[\w-]+ ){0,3}(?:engineer|developer|programmer|designer|(?:tech|team) lead|architect|analyst|scientist|researcher|student|intern|teacher|consultant|freelancer|contractor|administrator|admin|sre|dba|tester|writer|founder)\b/iu;
const herePattern = /\b(?:this|here|repo|repository|project)\b/iu;

/** How an assistant is to behave towards the person: what it says, asks, shows, and does without them. */
const conductPatterns: readonly RegExp[] = [
  /\b(?:show|ask|tell|give|explain to|remind|warn|send|let|teach|wait for|check with|consult|ping|loses|confuses|annoys|bothers|helps|slows|distracts) me\b|\bmy (?:ok|okay|approval|go-ahead)\b|\bwith me\b|\bfor me\b|\bbefore (?:you|asking|telling)\b|(?:\bwithout|\bw\/o) (?:asking|my|being asked|telling)\b|\bunless i (?:ask|say)\b|\bwhen i (?:ask|say|write)\b|\b(?:do it |it )?yourself\b|\bif i (?:ask|say)\b/iu,
  /^(?:(?:please|and|but|so|also|oh|always|never|don't|don’t|dont|do not|just|keep) ){0,4}(?:answer|answers|answering|reply|respond|responses?|explain|explaining|explanations|apologi[sz]e|summari[sz]e|speak|talk|print the|think out loud|be (?:brief|concise|terse|direct|honest|blunt|polite)|(?:one step|step by step)|ask\b|your (?:answers|replies|explanations))\b/iu,
  /\b(?:walls? of text|small talk|emojis? in (?:your|answers|replies)|your (?:answers|replies|explanations|summaries))\b/iu,
  /(?:^|[\s,])(?:antworte\w*|antworten|erkläre?|sprich|réponds?|répondez|explique|responde|contesta|explica)(?![\p{L}])|回答|不要给我|答えて/iu,
  /\bone step at a time\b/iu,
];

/**
 * Whether a statement reads as one of a person, of how they work everywhere, or of how an assistant is to behave towards
 * them, and names nothing of a project. Decides no place: for the review of global memories. Linear, never throws.
 */
export function readsAsPersonal(statement: string): boolean {
  const head = statement.slice(0, maxReadLength).replaceAll('’', "'").trim();
  const isConduct = conductPatterns.some(it => it.test(head));
  const isPersonal = personPatterns.some(it => it.test(head));
  if (!isConduct && !isPersonal) return false;
  if (rolePattern.test(head) && !herePattern.test(head)) return true;
  // Code is no person: what names a file or "we" holds where that is.
  return !projectPattern.test(head.replace(/`[^`\n]{1,200}`/gu, ' '));
}

/** In UTF-16 units: a fact names what it is about early. */
const maxReadLength = 600;
