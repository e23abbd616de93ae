import { stem } from '../../text/analyzer.js';
import { toThirdPerson } from '../../text/verbs.js';

const withStems = (row: string): ReadonlySet<string> => new Set(row.split(' ').flatMap(it => [it, stem(it)]));

function verbForms(row: string): ReadonlySet<string> {
  return new Set(
    row.split(' ').flatMap(it => {
      const base = it.replace(/e$/u, '');
      return [
        it,
        toThirdPerson(it),
        `${base}ed`,
        `${base}ing`,
        `${it}${it.at(-1)!}ed`,
        `${it}${it.at(-1)!}ing`,
        `${it.replace(/y$/u, 'i')}ed`,
      ];
    }),
  );
}

/** Verbs that are hardly ever nouns, in all their forms. */
export const unambiguousVerbs = verbForms(
  'allocate apply approve arrive ask assign attach authenticate become bring calculate call cancel carry choose clean ' +
    'clear collect compute configure connect consume contain convert cost create decide declare define delete deliver ' +
    'depend derive describe detect determine develop disable discuss distribute edit emit enable encode encrypt enforce ' +
    'ensure enter evaluate execute exist expect expire expose extend extract fetch fill finish fire fit fix flush follow ' +
    'forward generate give given grant grow handle happen hire hold identify ignore implement improve inform inherit ' +
    'initialise initialize inject insert inspect install integrate introduce invoke join keep kick leave listen ' +
    'maintain manage mean meet mention migrate miss mount modify move notify obtain occur operate own parse pay perform persist ' +
    'pick postpone prefer prepare prevent process produce protect prove provide publish raise reach receive recommend ' +
    'reduce refer refuse register reject rely remain remember remove render repeat replace represent reset resolve ' +
    'respond restart restore restrict retain retry return reuse rewrite rotate run save scan scrape sell send serialise ' +
    'serialize serve shut sit skip solve speak specify spend spin stand start stay stop store submit subscribe suggest ' +
    'switch take talk tell tend terminate think throttle throw touch transfer transform translate treat trigger try ' +
    'understand update use utilise utilize validate verify visit compare wait walk want warn wear work wrap write yield written ' +
    'sent kept held made done taken chosen built run shown thrown spoken drawn grown known put came went ran gave took ' +
    'located placed pinned tagged named called stays sits expects talks',
);

/** Nouns that apply to any subject: "the interval of", "mode". */
export const genericNouns = withStems(
  'threshold usage interval frequency period rate size count number amount level duration length width height value ' +
    'setting option mode standard approach process rule convention guideline current initial whole kind type sort case ' +
    'name budget quota maximum minimum total average target way style convention scheme policy strategy max min cap ' +
    'cadence place location spot thing stuff purpose reason everything nothing something everywhere anywhere people ' +
    'everyone everybody nobody someone full further additional extra new own proper different various several few ' +
    'half first second third whole entire single plain pure simple usual normal general regular common cost effort ' +
    'freely soon even alone wherever whenever convenient outside appear good bad slow fast happy ready sure able likely team colleague customer user',
);

/** Stop words of German, French and Spanish. */
export const foreignStopWords = new Set(
  (
    'der die das den dem des ein eine einen einem einer und oder auf bei für im ins vom zum zur mit von nach über unter ist ' +
    'sind wird werden wurde wurden hat haben wir ich ihr sie es nutzt nutzen benutzt benutzen verwendet verwenden läuft ' +
    'laufen jetzt nun mehr statt bitte immer ' +
    'le la les un une du de des et ou à au aux en dans par pour sur avec est sont sera nous on ils utilise utilisons ' +
    'utilisent pendant maintenant ' +
    'el los las una unos y o del al con por para en se lo que es son está están usamos usa ahora nuestro nuestra'
  ).split(' '),
);

/** Terms too common in statements of developers to distinguish two subjects; plain forms and stems. */
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

/** Nouns that rarely distinguish two subjects, unless the statements have no others. */
export const weakTerms = new Set(
  (
    'list sprint week day support characters ' +
    'project app application service server team system code file files repo repository data design page component ' +
    'components element item items request requests client clients key order field index format push pushed attempt ' +
    'delivery pipeline pipelines literal state layer subscription create created handling explicit message messages'
  ).split(' '),
);

/** Prepositions and verbs that depend on word order only: "use X for Y", "Y is done with X", "Y lives in X". */
export const lightWords = new Set(
  (
    'in on at for as with by of through via use live run keep kept host sit store set done handl call name built build goe ' +
    'go put written write made make there where'
  ).split(' '),
);

/** Words that do not change the meaning of a statement. */
export const ignorableWords = new Set(
  (
    'a an the this that these those our my your we i you it its is are be use uses used using please always should must ' +
    'do does has have been which also just so and all'
  ).split(' '),
);

/** Terms for a slot that holds one value. */
export const singleValueTerms = new Set(
  (
    'main default primary official current favourite favorite preferred name title capital colour color owner birthday ' +
    'address deadline codename nickname password only best lead standard root'
  ).split(' '),
);
