/** The words that statements are read with, as tables: lower case, several words joined by `_`. */

/** Words of one meaning; the first is the one kept. */
export const synonymGroups: readonly string[] = [
  'production prod live_environment',
  'development dev',
  'staging stage',
  'database db databases',
  'pr pull_request pull_requests prs merge_request',
  'repository repo repos repositories',
  'e2e end-to-end end_to_end',
  'configuration config configs tsconfig',
  'environment env',
  'timeout time_out times_out timeouts',
  'oncall on-call on_call',
  'checkout check_out checks_out',
  'documentation docs doc',
  'internetexplorer internet_explorer ie ie11',
  'administrator admin admins',
  'characters chars char',
  'message messages msg',
  'argument args arg arguments parameter parameters param params',
  'authentication auth',
  'monorepo mono-repo',
  'retry retries retried retrying',
  'review reviews reviewed',
  'responsible in_charge_of',
  'prefix start starts begin begins prefixed starting beginning',
  'suffix end ends suffixed ending',
  'ship ships release releases released launch launches',
  'log logs logging logged',
  'deploy deploys deployment deployments deploying deployed desplegamos despliegue',
  'host hosts hosting hosted',
  'store stores stored storing storage',
  'line lines',
  'invoice invoices',
  'license licence relicensed licensed',
  'generate generation generated generates',
  'migrate migration migrations migrated',
  'expire expires expiry expiration valid_for lives',
  'decide decides decision decisions',
  'format formatting formatted',
  'indent indentation indenting indented einrücken',
  'comment comments',
  'error errors',
  'retention kept',
  'track tracking tracked tracks',
  'translate translations translation',
  'upload uploads uploaded',
  'limit limits limited capped limit_is',
  'test tests testing tested',
  'style styles styling styled css',
  'search searches searching search_index',
  'export exports exporting exported',
  'email emails mail mails e-mail',
  'public publicly',
  'ticket tickets',
  'library lib libs libraries',
  'alert alerts alarm alarms alerting',
  'folder folders directory directories dir',
  'image images',
  'function functions func funcs fn',
  'picture pictures photo photos',
  'meeting meetings',
  'standup stand-up daily_standup standups',
  'maintainer maintainers',
  'customer customers',
  'temperature temp',
  'bug bugs defect defects',
  'specification spec specs specifications',
  'information info',
  'internationalisation i18n internationalization',
  'accessibility a11y',
  'garbage_collection gc',
  'learning_rate lr',
  'interrupt_handler isr interrupt_handlers interrupt_service_routine interrupt_service_routines',
  'identifier identifiers id ids',
  'password passwords passphrase',
  'dependency dependencies deps dep',
  'package packages pkg',
  'statistics stats',
  'credential credentials creds',
  'certificate certificates cert certs',
  'virtual_machine vm vms',
  'continuous_integration ci ci_pipeline',
  'primary_key primary_keys pk',
  'ui user_interface',
  'spreadsheet spreadsheets',
  'task tasks',
  'commit commits committed committing',
];

/** What a statement is restricted to: where these differ, two statements speak of different things. */
export const scopeTerms: Readonly<Record<string, string>> = {
  environment: 'production development staging preview qa sandbox',
  'part of code':
    'variable function method class attribute argument interface enum constant property module column types=type_name=type_names struct trait macro namespace',
  'build type': 'release_build=release_builds=release_mode debug_build=debug_builds=debug_mode',
  edge: 'prefix suffix',
  bound: 'minimum=min maximum=max',
  side: 'frontend=front-end backend=back-end',
  platform: 'ios=iphone=ipad android web mobile desktop',
  'phase of training': 'pretraining=pre-training fine-tuning=finetuning=fine-tune=finetune inference',
  'kind of test': 'unit integration e2e',
  market: 'eu=europe=european us=usa uk germany france',
  age: 'legacy new old',
  plan: 'free enterprise premium',
};

/** So common in statements of developers that they tell no two subjects apart; stems and plain forms. */
export const genericTerms = new Set(
  (
    'use used using uses go goes went run runs ran running do does done handle handled handles set sets make made ' +
    'get gets got put keep keeps live lives come comes take takes call called calls name named work works write ' +
    'written writes wrote rewrite rewritten build built builds manage managed manages serve served serves store ' +
    'stored thing stuff value setting configuration option way tool tooling time default now currently today ' +
    'anymore longer since rate limit size length count number amount level period interval window retention version ' +
    'runtime must should shall may might can could will would need want like prefer preferred rather please always ' +
    'every each all any own main our my your their we i you they it there here per via through up down out off over ' +
    'under into onto from to by for in on at of with and or as be is are was were been being have has had having ' +
    'that this these those move moved migrate switch switched change changed replace replaced rename renamed ' +
    'upgrade upgraded bump bumped update updated drop new old also too just really strictly usually instead only ' +
    'last next reorg decide decided choose chosen base based require required follow extend limited allow allowed ' +
    'enable enabled supported target listen listens respond start begin happen find found send sent return returned ' +
    'sit belong say tell give show separate max min minimum maximum least most exactly about around approximately ' +
    'newer older later higher lower bigger reachable scale scaled pin pinned again direct directly attempts deliver ' +
    'daily regular declare declared expire kept alone mehr because check nearly mode said straight fyi back promise ' +
    'promised agree agreed announce announced confirm confirmed open opened filed see seen talk talking think feel ' +
    'feels felt know knows mean look looks hope love sure right wait great awesome nice good bad fun cool amazing ' +
    'happy lot people try trying tried hey thanks thank wow yeah hi yes ok okay well something anything everything ' +
    'able help let within ever some many much better best important definitely fit second alway took take came since ever'
  ).split(' '),
);

/** Verbs of having more than one: another object is added, not put in place of the first. */
export const additiveTerms = new Set(
  'import imports include includes add adds also too additionally besides plus'.split(' '),
);

/** With these a name or a quotation is one of several, though a number or a tool is not. */
export const partitiveVerbs = new Set('has have contain contains likes'.split(' '));

/** Words around which only one can be in charge. */
export const ownershipTerms = new Set(
  (
    'own owns owned owner belong belongs lead leads led maintain maintains maintained maintainer review reviews reviewed ' +
    'responsible oncall decide decides decided approve approves approver contact manager manages heads runs handles handled heading access handed'
  ).split(' '),
);

/** They deny nothing. */
export const nonNegatingIdioms = new Set(
  "not_only no_more_than no_later_than no_longer_than no_worries no_problem no_doubt time_no_see time_no_talk can't_wait cant_wait no_matter not_sure not_yet".split(
    ' ',
  ),
);

/** What follows, up to the end of the part of the sentence, is denied. */
export const negators = new Set(
  (
    'not no never none nothing nobody without dont avoid isnt arent doesnt didnt wont cant cannot shouldnt mustnt wasnt hasnt havent ' +
    "couldnt wouldnt instead_of rather_than stop stopped no_longer neither nor don't isn't aren't doesn't didn't won't " +
    "can't shouldn't mustn't wasn't hasn't haven't couldn't wouldn't kein keine keinen nicht nie pas ya_no plus_de jamais " +
    'no_more lost off in_place_of took_the_place_of take_the_place_of takes_the_place_of took_over_from takes_over_from supersedes superseded supplants statt anstatt anstelle ' +
    'rarely seldom hardly barely hardly_ever skip skipping'
  ).split(' '),
);

/** Verbs that end what follows them; in the passive, what went before them. */
export const terminationVerbs = new Set(
  (
    'dropped removed killed retired deprecated abandoned ditched banned forbidden prohibited cancelled canceled ' +
    'discontinued shut_down decommissioned compiled_out archived got_deleted was_deleted were_deleted been_deleted torn_down phased_out sunset scrapped axed killed_off took_out taken_out threw_out thrown_out parted_with got_rid_of get_rid_of getting_rid_of drop remove retire ended gave_up stopped_using quit no_longer stop stopped ya_no plus_de'
  ).split(' '),
);

/** Said of what went before: it is over. */
export const terminatedStates = new Set(
  'gone dead archived banned avoided discouraged forbidden prohibited obsolete history ended'.split(' '),
);

/** Verbs with "from … to …". */
export const changeVerbs = new Set(
  (
    'switch switched switching move moved moving migrate migrated migrating change changed changing rename renamed ' +
    'convert converted port ported go went upgrade upgraded bumped transition transitioned swapped swap passé'
  ).split(' '),
);

/** Words that say that something is newer than what was told before. */
export const updateMarkers = new Set(
  (
    'now anymore longer instead switched moved replaced renamed migrated changed upgraded bumped pushed postponed ' +
    'rescheduled these_days from_now_on no_longer already updated increased decreased reduced raised lowered extended ' +
    'rewritten dropped gone scaled since relicensed actually correction wrong redesigned reworked overhauled refactored rebuilt restructured rewrote ' +
    'reorganised reorganized turns_out changed_my_mind any_more as_of deprecated superseded became new swapped taken_over took_over takes_over'
  ).split(' '),
);

/** A part that only narrows what was said. */
export const exceptionMarkers = new Set('except unless besides apart_from'.split(' '));

/** Forms of auxiliaries; a denial after one is of the subject as well. */
export const auxiliaries = new Set(
  (
    'is are was were be been am has have had do does did can could will would shall should must may might gets get got ' +
    "isn't aren't wasn't doesn't don't can't won't mustn't shouldn't isnt arent doesnt dont cant wont"
  ).split(' '),
);

/** Number words. */
export const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
  hundred: 100,
  once: 1,
  twice: 2,
  thrice: 3,
  forever: Infinity,
  unlimited: Infinity,
};

/** Units that belong to a number: which measure, and how many of its smallest unit. */
export const measurementUnits: Readonly<Record<string, readonly [measure: string, factor: number]>> =
  Object.fromEntries(
    (
      [
        ['duration', 0.001, 'ms millisecond milliseconds'],
        ['duration', 1, 's sec secs second seconds sekunden'],
        ['duration', 60, 'min mins minute minutes minuten'],
        ['duration', 3_600, 'h hr hrs hour hours stunden'],
        ['duration', 86_400, 'd day days tage jours días'],
        ['duration', 604_800, 'wk week weeks wochen'],
        ['duration', 2_592_000, 'month months'],
        ['duration', 31_536_000, 'year years'],
        ['bytes', 1, 'kb'],
        ['bytes', 1_000, 'mb'],
        ['bytes', 1_000_000, 'gb'],
        ['bytes', 1_000_000_000, 'tb'],
        ['percentage', 1, '% percent'],
      ] as const
    ).flatMap(([measure, factor, names]) => names.split(' ').map(name => [name, [measure, factor]] as const)),
  );

/** Nouns that seldom tell two subjects apart, unless nothing else does. */
export const weakTerms = new Set(
  (
    'list sprint week day support characters ' +
    'project app application service server team system code file files repo repository data design page component ' +
    'components element item items request requests client clients key order field index format push pushed attempt ' +
    'delivery pipeline pipelines literal state layer subscription create created handling explicit message messages'
  ).split(' '),
);

/** A slot that holds one value. */
export const singleValueTerms = new Set(
  (
    'main default primary official current favourite favorite preferred name title capital colour color owner birthday ' +
    'address deadline codename nickname password only best lead standard root'
  ).split(' '),
);

export const beForms = new Set('is are was were be been being get gets got'.split(' '));

/** "Not longer than" is a limit, not a denial. */
export const comparatives = new Set(
  'longer more greater higher later larger bigger older fewer less shorter lower only'.split(' '),
);

/** Which half of the day a clock time is of. */
export const clockPhrases: Readonly<Record<string, string>> = {
  in_the_morning: 'am',
  in_the_afternoon: 'pm',
  in_the_evening: 'pm',
  at_night: 'pm',
  "o'clock": '',
  uhr: '',
};

/** In seconds, as "every 7 days" is. */
export const frequencySeconds: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: 86_400,
  weekly: 604_800,
  fortnightly: 1_209_600,
  monthly: 2_592_000,
  yearly: 31_536_000,
};

/** Words that change nothing about what is said. */
export const ignorableWords = new Set(
  (
    'a an the this that these those our my your we i you it its is are be use uses used using please always should must ' +
    'do does has have been which also just so and all'
  ).split(' '),
);

/** Prepositions and verbs that come and go with the order of words: "use X for Y", "Y is done with X", "Y lives in X". */
export const lightWords = new Set(
  (
    'in on at for as with by of through via use live run keep kept host sit store set done handl call name built build goe ' +
    'go put written write made make there where'
  ).split(' '),
);

/** Verbs that say where, how or by what something is; what follows their preposition is one slot. */
export const placementVerbs = new Set(
  (
    'get gets got happen happens takes_place take_place was were is are live lives run runs go goes come comes keep kept store stored write written build built host hosted save saved ' +
    'serve served do done send sent handle handled manage managed call called name named put set based generated made ' +
    'deployed sit sits go went belong rendered returned formatted rewritten moved found loaded triggered processed started name put keep store write build host save send serve manage set load'
  ).split(' '),
);

/** Those of them that say what is done, by meaning; the others may stand for any. */
export const placementVerbGroups: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  [
    'kept keep stored store saved save lives live put load loaded',
    'written write build built based generated generate made make rewritten formatted rendered',
    'runs run host hosted deployed serve served started triggered',
    'called call name named',
    'done handle handled manage managed processed',
    'send sent returned',
  ].flatMap(row => row.split(' ').map(it => [it, row.split(' ')[0]!] as const)),
);

/** Prepositions that open such a slot; those of one row may stand for each other. */
export const slotPrepositions: Readonly<Record<string, string>> = Object.fromEntries(
  ['in on at to into under inside', 'by with via through using', 'as', 'from', 'for'].flatMap(row =>
    row.split(' ').map(it => [it, row.split(' ')[0]!] as const),
  ),
);
