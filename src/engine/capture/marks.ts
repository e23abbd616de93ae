// The wordings by which a person marks a sentence as lasting. Everything else that they type is about the moment, or has to
// be judged by someone who understands it. One pattern per kind and language; each must be sure on its own.

/** A wording that marks a lasting statement. */
interface Mark {
  readonly name: string;
  readonly pattern: RegExp;
}

const mark = (name: string, ...patterns: readonly string[]): Mark => ({
  name,
  pattern: new RegExp(patterns.join('|'), 'iu'),
});

/** Verbs of a request, in base form: what such a sentence asks for is done once. */
const requestVerbs =
  "add|apply|build|change|check|clean|commit|compare|continue|convert|copy|create|debug|delete|deploy|describe|do|download|draft|edit|ensure|execute|explain|explore|extract|find|fix|generate|get|give|go|help|hide|implement|import|improve|insert|install|investigate|let'?s|list|look|make|merge|migrate|move|open|parse|paste|plan|print|proceed|propose|publish|push|put|read|rebase|refactor|remove|rename|reorder|replace|rerun|research|resolve|restart|restore|retry|return|revert|review|rewrite|run|scan|search|see|send|set|show|simplify|sort|split|start|stop|suggest|summari[sz]e|switch|take|tell|test|think|translate|troubleshoot|try|undo|update|upgrade|use|validate|verify|view|walk|wait|write";

/** Sentences that look marked but speak of one occasion. */
const momentPattern = new RegExp(
  [
    '[?？]\\s*$',
    "\\b(?:for now|right now|at the moment|this time|just this once|today|tonight|this (?:session|chat|conversation|morning|afternoon|week)|until (?:i|we)|once (?:you|we|i)'?(?:re| are)? (?:done|finish\\w*)|when (?:you|we|i)'?(?:re| are) (?:done|finished|ready)|as (?:i|we) (?:said|mentioned|discussed)|you just|i just|now that (?:we|you|i|it'?s?|they)|in there|yet(?=[.!]*$))\\b",
    // What is only considered.
    '^(?:(?:and|but|so) )?(?:possibly|maybe|perhaps|i (?:think|guess|wonder|believe)|not sure|what if|vielleicht|peut-être|quizás?|tal vez|может|возможно|也许|可能)(?!\\p{L})',
    "\\b(?:heute|gerade|diesmal|fürs erste|vorerst|pour (?:l'instant|le moment)|aujourd'hui|cette fois|por ahora|hoy|esta vez)\\b|(?<!\\p{L})(?:сейчас|сегодня|пока что|в этот раз)(?!\\p{L})|这次|现在先|暂时|今回(?:は|だけ)|とりあえず",
    // What goes wrong is a report.
    '(?<!^|please |should |must |and )\\b(?:always|never|still|keeps?) (?:fail|crash|hang|break|get|got|return|show|say|happen|work|seem|appear|end|time|load)\\w*\\b(?![^.]{0,40}\\bshould\\b)',
    '\\b(?:error|exception|traceback|stack ?trace|segfault|undefined is not|cannot read|not found)\\b[:\\s]',
  ].join('|'),
  'iu',
);

/** What is wanted or not wanted stands in an earlier sentence. */
const danglingPattern =
  /^(?:and |but |so |also |no,? )*(?:we|i|you) (?:\p{L}+(?:['’]t)? ){1,3}(?:(?:a|to|just) \p{L}+ )?(?:this|that|these|those|it|them)(?:['’]s)?\b(?! (?:repo\w*|project|codebase|code ?base|app|service|package|team|workspace|module)\b)/iu;

/** The explicit request to remember, which is not part of what is to be remembered. */
export const rememberPhrase = new RegExp(
  `^(?:${[
    "(?:please |pls |and |also |but |so |ok(?:ay)?,? |can you |could you |i want you to |you should |you must )*(?:always )?(?:remember|memori[sz]e|don'?t forget(?= that\\b)|do not forget(?= that\\b)|never forget(?= that\\b)|make a (?:mental )?note|save (?:this |it )?(?:to|in) (?:your )?memory|add (?:this |it )?to (?:your )?memory)(?: (?:this|the following)(?= that\\b|:)| this for (?:later|next time|the future))?(?: that\\b|:|,)?(?! (?:when|how|what|where|why|who|if|me|us|him|her|them|it|to)\\b)",
    '(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? (?:bitte )?da?ran|vergiss (?:bitte )?nicht|behalte(?: bitte)?|beachte)(?: bitte)?(?:,? dass)?[:,]?(?![^.]* zu \\p{L}+en[.!]*$)',
    "(?:s'il te plaît,? )?(?:souviens-toi|rappelle-toi|retiens|mémorise|n'oublie pas|garde en tête|note bien)(?: (?:bien )?(?:que|qu'))?[:,]?(?! de\\b| d')",
    '(?:por favor,? )?(?:recuerda|acuérdate(?: de)?|no olvides|ten en cuenta|memoriza)(?: (?:bien )?que)?[:,]?(?! \\p{L}+(?:ar|er|ir)(?:me|lo|la|los|las)?\\b)',
    '(?:请)?(?:记住|记得|牢记|别忘了|不要忘记)[：:，,]?',
    '(?:пожалуйста,? )?(?:запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|не забывай(?:те)?|имей(?:те)? в виду|учти(?:те)?)(?:,? что)?[:,]?(?!\\p{L}| \\p{L}+ть(?!\\p{L}))',
  ].join('|')})\\s*`,
  'iu',
);
/** "From now on …" at the start of a sentence, or behind a comma at its end. */
const fromNowOn =
  "from (?:now|here|this point|today) on(?:wards?|ward)?|going forward|moving forward|henceforth|in (?:the )?future,|ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|in zukunft|künftig|zukünftig|désormais|dorénavant|à partir de maintenant|à l'avenir|de ahora en adelante|a partir de ahora|desde ahora|en adelante|de aquí en adelante|впредь|отныне|с этого момента|с (?:сегодняшнего|этого) дня";
const fromNowOnPattern = new RegExp(
  `^(?:(?:please|and|but|so|also|bitte|und|et|y|и|а),? )*(?:${fromNowOn})(?!\\p{L})|, (?:${fromNowOn})[.!]*$|^(?:请)?(?:从现在(?:开始|起)|从今(?:以)?后|今后|以后(?:都|请|要|不))|^(?:今後|これから)(?:は|も)`,
  'iu',
);
/** Japanese asks at the end. */
const rememberEnding =
  /(?:を|と|は|って)?(?:覚えて(?:おいて)?(?:ください|くれ|ね)?|忘れないで(?:ください|ね)?)[。！]?$/u;

const marks: readonly Mark[] = [
  mark(
    'from now on',
    '\\b(?:from (?:now|here|this point|today) on(?:wards?|ward)?|going forward|moving forward|henceforth|in (?:the )?future,|as a (?:general )?rule)\\b',
    '\\b(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|in zukunft|künftig|zukünftig|grundsätzlich)\\b',
    "\\b(?:désormais|dorénavant|à partir de maintenant|à l'avenir)(?!\\p{L})|(?<!\\p{L})(?:à partir de maintenant|à l'avenir)",
    '\\b(?:de ahora en adelante|a partir de ahora|desde ahora|en adelante|de aquí en adelante)\\b',
    '从现在(?:开始|起)|从今(?:以)?后|今后|以后(?:都|请|要|不)|今後(?:は|も)?|これから(?:は|も)|以後',
    '(?<!\\p{L})(?:впредь|отныне|с этого момента|с (?:сегодняшнего|этого) дня|в будущем|на будущее|теперь всегда)(?!\\p{L})',
  ),
  mark(
    'always, never',
    `^(?:please |and |but |so |also |then |in (?:this|the|our|my) (?:\\w+ )?(?:repo\\w*|project|codebase|code|workspace|package|app|monorepo|docs?|tests?),? )*(?:always|never(?: ever)?)\\s+(?!mind\\b|again\\b|ever\\b|the same\\b|a \\b|remember\\b|\\w+ed\\b|been\\b|got\\b|going\\b)\\p{L}+`,
    '(?:,|\\s[–—-])\\s*(?:always|never|immer|nie|niemals|toujours|jamais|siempre|nunca|всегда|никогда)[.!]*$',
    ',\\s*(?:please )?(?:always|never) (?:ask|use|add|run|verify|check|commit|push|write|keep|include|prefer|put|start|test|edit|delete|create|do)\\b',
    "\\b(?:should|must|shall|needs? to|ha(?:s|ve) to|ought to|shouldn'?t|mustn'?t|you'?ll)(?: just| really| also| please)? (?:always|never|ever)(?: just)? \\p{L}+",
    "^(?:please |and |but |so |also )*(?:don'?t|do not) ever (?!mind\\b)\\p{L}+",
    '^(?:and |but |so |also )*(?:in (?:this|our|my) (?:\\w+ )?(?:repo\\w*|project|codebase|code|workspace|package|app|monorepo),? )?(?:we|i) (?:always|never) (?!\\p{L}+ed\\b|said|got|saw|had|did|was|were|meant|wanted|told|heard|thought|knew|found|ran|wrote|made|took|gave|came|went|put it|see\\b|get\\b|know\\b|remember\\b|forget\\b)\\p{L}+',
    '^(?:bitte |und |also )*(?:immer|nie(?:mals)?) \\p{L}+|^bitte kein\\w* \\p{L}+ (?:\\p{L}+ )*(?:im|in|auf)\\b|\\b(?:bei uns|in diesem \\p{L}+|im (?:code|projekt|repo))\\b(?: \\p{L}+){0,4} (?:immer|nie(?:mals)?)\\b|\\b(?:muss|musst|müssen|soll|sollst|sollen|sollte\\w*|darf|darfst|dürfen|wir|bitte)\\b(?: \\p{L}+){0,6} (?:immer|nie(?:mals)?) ',
    "^(?:et |mais |s'il te plaît,? )*(?:toujours|jamais|ne jamais) \\p{L}+|\\b(?:doit|dois|doivent|devons|faut)\\b(?: \\p{L}+){0,3} (?:toujours|jamais)(?!\\p{L})|^ne \\p{L}+ jamais |^(?:dans (?:ce|notre|le) \\p{L}+,? )?(?:on|nous) (?:(?:ne |n')?\\p{L}+ jamais|\\p{L}+ toujours)(?!\\p{L})",
    '^(?:y |por favor,? |en (?:este|nuestro) \\p{L}+,? )*(?:siempre|nunca|jamás) (?!fall|da\\b|dice\\b|sale\\b|pas[aó]\\b|se\\b)\\p{L}+|^(?:por favor,? )?no \\p{L}+ (?:nunca|jamás) |\\b(?:debes?|deben|debemos|hay que|tienes? que)(?: \\p{L}+){0,3} (?:siempre|nunca)\\b|\\b(?:siempre|nunca) (?:debes?|deben|debemos|hay que|tienes? que)\\b',
    '(?:请)?(?:总是|始终|一律|务必|永远(?:不要)?|绝不|切勿|禁止|一定要|不要再|从不)(?!\\p{L}{0,6}(?:失败|报错|崩溃|出错|超时|不行))\\p{L}',
    '(?:必ず|常に|決して|絶対に)\\s*\\p{L}.*(?:こと|ください|する|しない|して|せよ|ように|です|ます)[。！]?$',
    '^(?:и |а |но |пожалуйста,? |в (?:этом|нашем) \\p{L}+,? (?:мы )?)*(?:всегда|никогда(?: не)?|ни в коем случае не) \\p{L}+|(?<!\\p{L})(?:должен|должна|должны|нужно|надо|мы|ты|следует)(?: \\p{L}+){0,3} (?:всегда|никогда)(?!\\p{L})',
  ),
  mark(
    'correction',
    "^(?:no|nope|wrong)[,.:;!—-]+\\s*(?:actually,? )?(?:we|i|it'?s|our|the|this|use|that'?s)\\b.*(?:,? (?:and )?not (?!ready|sure|working|done|yet|what|why|how|it\\b|that\\b)(?:\\S+ ?){1,4}[.!]?$|\\binstead of\\b|\\brather than\\b|\\b(?:we|i) (?:use|prefer|write|call|run|keep)\\b|^\\S+\\s+use\\b)",
    "\\b(?:we|i)(?:'re| are|'m| am)? (?:use|using|prefer|write|call|run|deploy|keep)\\b[^.?!]*(?:,? (?:and |but )?(?<!\\b(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|should) )not (?!all\\b|every\\b|sure\\b|only\\b|yet\\b|\\p{L}+ing\\b)|\\binstead of\\b|\\brather than\\b|\\bover\\b)",
    '^nein[,.:;!—-]+\\s*(?:wir|ich|das|der|die|es)\\b|\\b(?:wir|ich) (?:nutzen?|verwenden?|benutzen?|nehmen?|schreiben?)\\b[^.?!]*(?:,? (?:und )?nicht\\b|\\bstatt\\b|\\banstelle\\b|\\bkein\\w*\\b)',
    "^non[,.:;!—-]+\\s*(?:on|nous|je|j'|c'est|le|la)|\\b(?:on|nous) (?:utilise|utilisons|écrit|écrivons)\\b[^.?!]*(?:,? (?:et )?pas\\b|\\bau lieu de\\b|\\bplutôt que\\b)",
    '^no[,.:;!—-]+\\s*(?:usamos|uso|nosotros|se usa|es\\b|el\\b|la\\b)|\\b(?:usamos|utilizamos|escribimos)\\b[^.?!]*(?:,? (?:y )?no\\b|\\ben (?:lugar|vez) de\\b)',
    '^(?:不|不对|不是)[，,。]\\s*(?:我们|我|应该|要)|我们(?:用|使用|采用)[^。]*(?:不用|而不是|不是|不使用)',
    '^(?:いいえ|違います|いや)[、,。].*(?:使|です|ます)|ではなく[^。]*を(?:使|利用)',
    '^нет[,.:;!—-]+\\s*(?:мы|я|у нас|это)(?!\\p{L})|(?<!\\p{L})(?:мы|я) (?:используем|использую|пишем|пользуемся)(?!\\p{L})[^.?!]*(?:,? а не(?!\\p{L})|вместо|,? не(?!\\p{L}))',
  ),
  mark(
    'decision',
    "^(?:and |but |so |also )*we(?:'ve| have)? (?:decided|agreed|settled|standardi[sz]ed) (?:on|against|that|(?:not )?to (?:use|go|keep|switch|drop|support|move|stay|stick))\\b",
    '^(?:und |aber )*wir haben (?:uns )?(?:\\p{L}+ ){0,8}(?:entschieden|beschlossen|geeinigt)(?!\\p{L})',
    "^(?:et |mais )*(?:on a|nous avons) décidé (?:de|que|d')|^(?:y |pero )*(?:hemos decidido|decidimos|acordamos) |^我们(?:决定|商定)(?:了)?(?:用|使用|采用|不)|^(?:и |а |но )*мы (?:решили|договорились)(?!\\p{L})",
  ),
  mark(
    'we want',
    "^(?:and |but |so |also |no,? |because )*(?:we|i) (?:don'?t|do not|never) (?:want|need|use|support|do|allow|write|like|ship|accept|maintain|deploy|commit|merge|care about)\\b(?! to \\p{L}+ [^.]{0,40}\\b(?:this|these|those|it|them|all|anything|everything)\\b)",
    "^(?:for|in|on) (?!example|instance|this\\b|that\\b|now\\b|these\\b)[^,.?!]{3,50}, ?(?:we|i) (?:(?:do|don'?t|do not|only|always|never) )*(?:want|prefer|use)\\b(?! (?:it|this|that|you)\\b| to (?!be\\b))",
    '^(?:and |but |so |also |no,? )*we want (?!to\\b|it\\b|this\\b|that\\b|you\\b|them\\b|these\\b|those\\b)',
    "^(?:and |but |so |also |no,? )*we (?:should(?: not|n'?t)|must(?: not|n'?t)) \\p{L}+",
    "^(?:and |but |so |also |no,? )*i want you to (?:always|never|first|ask|show|wait|confirm|stop|not)\\b|^i (?:don'?t|do not) want you to\\b",
    "\\b(?:there'?s|there is) no need to (?:maintain|keep|support|preserve|worry about)\\b",
    '^(?:und |aber |nein,? )*wir wollen (?:kein\\w*|nicht|nur|immer|ein\\w*)\\b|^(?:wir|ich) (?:brauchen?|wollen|will|möchten?|mag|unterstützen|verwenden?|nutzen?) (?:\\p{L}+ ){0,3}(?:kein\\w*|nicht|nie)\\b|^ich (?:möchte|will),? dass du\\b',
    "^(?:et |mais |non,? )*(?:on|nous) (?:ne )?(?:veut|voulons|veux) (?:pas|plus|un|une|des|que)\\b|^je (?:ne )?(?:veux|voudrais) (?:pas |plus )?que tu\\b|^(?:on|nous) n'(?:utilise|utilisons|a|avons) (?:pas|plus|jamais)\\b",
    '^(?:y |pero |no,? )*(?:no )?queremos (?!que me |hacer |saber )|^(?:no )?quiero que (?:siempre|nunca|no|me preguntes|primero)\\b|^no (?:usamos|necesitamos|uso|quiero)\\b',
    '^(?:不，)?我们(?:不想|不要|不需要|不用|不使用|想要|要求)|^我(?:不想让你|希望你|想让你|要你)(?:先|总|每次|不要|别|始终)',
    'してほしくない|(?:しない|して|使わない)で(?:ください|ほしい)|は(?:不要|使いません|使わない)(?:です)?[。！]?$',
    '^(?:и |а |но |нет,? )*мы не (?:хотим|используем|поддерживаем|делаем|пишем)(?!\\p{L})|^мы хотим(?!,? \\p{L}+ть)(?!\\p{L})|^я (?:не )?хочу,? чтобы(?!\\p{L})',
  ),
  mark(
    'stop',
    '^(?:please |and |also |no,? )*(?:stop|quit) (?!running|serving|watching|working|processing|listening|building|using (?:it|this|that)\\b|doing (?:it|this|that)\\b)\\p{L}+ing\\b (?!it\\b|this$|that$)',
    '\\b(?:hör(?:e)? (?:bitte )?auf,? \\p{L}+|lass (?:bitte )?(?:das|die|den)\\b[^.]*\\b(?:weg|sein)\\b)',
    "\\b(?:arrête(?:z)? (?:de |d'))\\p{L}+",
    '\\b(?:deja|dejá|para) de \\p{L}+(?:ar|er|ir)(?:me|lo|la|los|las)?\\b',
    '(?:别|不要)再\\p{L}|(?:するの|のは|のを)やめて',
    '^(?:пожалуйста,? )?(?:перестань|прекрати|хватит)(?:те)? \\p{L}+ть',
  ),
  mark(
    'habit',
    "^(?:and |but |also |btw,? |fyi,? )*(?:i (?:use|prefer|work with|work on|develop on|never use|only use|mainly use|usually use)|i'?m on (?:a )?(?:mac|windows|linux|ubuntu|wsl))\\b(?! (?:it|this|that|these|those|them|to)\\b)",
    "^(?:and |but |also )*(?:my name(?:'s| is)|call me|i'?m new to|i'?m not (?:a|an) (?:\\p{L}+ )?(?:developer|programmer|coder|engineer)|i am (?:a|an) (?:\\p{L}+ ){0,3}(?:developer|programmer|engineer|designer|manager|analyst|scientist|student|researcher|writer|founder))\\b",
    '^(?:und |aber |übrigens )*ich (?:nutze|benutze|verwende|bevorzuge|arbeite (?:mit|unter|auf))\\b|^(?:mein name ist|ich heiße|nenn mich)(?!\\p{L})',
    "^(?:et |mais )*(?:j'utilise|je préfère|je travaille (?:avec|sous|sur)|je n'utilise (?:pas|jamais)|je m'appelle|appelle-moi)(?!\\p{L})",
    '^(?:y |pero )*(?:yo )?(?:uso|utilizo|prefiero|trabajo (?:con|en)|me llamo|mi nombre es|llámame)\\b',
    '^我(?:用|使用|只用|习惯(?:用)?|偏好|更喜欢|喜欢用|不用|叫|的名字是)\\s*\\p{L}|^(?:私|僕|俺)?(?:は|の名前は)?[^。]{0,30}を(?:使っています|使ってます|使います|愛用)',
    '(?:^|[,—–] ?)(?:и |а |но )*я (?:использую|предпочитаю|пользуюсь|работаю (?:в|на|с)|не использую|не пользуюсь)(?!\\p{L})|(?:^|, )[\\p{L}\\d .+#-]{2,20} не использую(?!\\p{L})|^(?:меня зовут|обращайся ко мне|называй меня)(?!\\p{L})',
  ),
  mark(
    'my part',
    "^(?:no,? |and |but |also )*i(?:'ll| will| can) (?:(?!(?:this|that|these|those|it|them) )\\p{L}+ ){1,8}(?:myself|on my own|by hand|manually)\\b",
    "^(?:no,? |and |but )*i(?:'ll| will) (?:do|handle|take care of) (?:all (?:of )?)?the \\p{L}+(?:ing|s)\\b\\.?$",
    "\\byou (?:are|'re) (?:not )?to (?:ask|wait|stop|never|always|only|run|do|make|use|commit|push)\\b|^(?:always )?ask me (?:before|first)\\b|\\bwithout (?:asking me|my (?:approval|permission|confirmation|consent|ok|okay|say[- ]so))\\b",
    '^(?:nein,? |und )*(?:das |den |die )?\\p{L}+ (?:ich |mache |starte |teste )[^.]{0,60}\\bselbst\\b|\\bohne (?:meine )?(?:rückfrage|zustimmung|erlaubnis|freigabe)\\b|^frag(?:e)? mich (?:vorher|immer|bevor)',
    '\\bmoi-même\\b|\\bsans (?:mon (?:accord|autorisation)|me demander)\\b|\\byo mismo\\b|\\byo misma\\b|\\bsin (?:mi (?:permiso|aprobación|confirmación)|preguntarme)\\b',
    '我(?:自己|会自己|来自己)(?:来|运行|跑|做|测试|处理)|(?:没有|未经)我的?(?:同意|确认|允许|批准)|自分で(?:実行|やり|テスト|行い)|(?:許可|確認|承認)なし(?:に|で)',
    '(?<!\\p{L})я (?:\\p{L}+ ){0,5}сама?(?!\\p{L})|^сама? (?:запущу|сделаю|проверю|протестирую)(?!\\p{L})|(?<!\\p{L})без моего (?:подтверждения|разрешения|согласия|ведома)(?!\\p{L})',
  ),
  mark(
    'whenever',
    "^(?:and |but |also |so )*(?:when(?:ever)?|every time|each time|any ?time|before|after) (?:(?:you|we) (?!are done|have (?:done|finished)|finish\\b)\\p{L}+|\\p{L}+ing)\\b[^.?!]{1,120}(?<!\\b(?:i|it|he|she|they|there)(?:['’]\\p{L}+)? (?:\\p{L}+ ){0,4})\\b(?:don'?t|do not|never|always|make sure|must|avoid|instead)\\b",
    '^(?:wenn|bevor|immer wenn|jedes mal,? wenn) (?:du|wir|man)\\b[^.?!]{3,120}\\b(?:nicht|nie|immer|zuerst)\\b',
  ),
];

/** The kind of mark by which a sentence says that it is to last; undefined without one. @param sentence without openers */
export function findMark(sentence: string): string | undefined {
  if (rememberEnding.test(sentence)) return 'remember';
  const rest = sentence.replace(rememberPhrase, '');
  if (rest !== sentence && /\p{L}/u.test(rest) && !/[?？]\s*$/u.test(sentence)) return 'remember';
  if (momentPattern.test(sentence) || danglingPattern.test(sentence)) return undefined;
  return marks.find(it => it.pattern.test(sentence))?.name;
}

/** Whether a sentence is an explicit order to remember, which alone is kept without a reader. @param sentence without openers */
export function findOrder(sentence: string): 'remember' | 'from now on' | undefined {
  const mark = findMark(sentence);
  if (mark === 'remember') return momentPattern.test(sentence) ? undefined : mark;
  if (momentPattern.test(sentence) || danglingPattern.test(sentence)) return undefined;
  return fromNowOnPattern.test(sentence) ? 'from now on' : undefined;
}

/** Whether a sentence speaks of one occasion, whatever else it says. */
export function isMomentary(sentence: string): boolean {
  return momentPattern.test(sentence);
}

const requestPattern = new RegExp(
  `^(?:(?:please|pls|ok(?:ay)?|now|then|and|also|so|first|next|just|go ahead and|can you|could you|i want you to|i need you to|we need to|let's)[, ]+)*(?:${requestVerbs})\\b`,
  'iu',
);

/** Whether a sentence asks for something to be done now, in English. */
export function isRequest(sentence: string): boolean {
  return requestPattern.test(sentence);
}
