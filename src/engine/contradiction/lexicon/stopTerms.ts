import { stem } from '../../text/analyzer.js';
import { toThirdPerson } from '../../text/verbs.js';

/** Words that are so common among developers that they seldom tell what a statement is about. */

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

/** Verbs that are hardly ever nouns: what is done may be told in many words, what it is done to in few. */
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

/** What is measured or arranged, of anything: "the interval of", "mode". */
export const genericNouns = withStems(
  'threshold usage interval frequency period rate size count number amount level duration length width height value ' +
    'setting option mode standard approach process rule convention guideline current initial whole kind type sort case ' +
    'name budget quota maximum minimum total average target way style convention scheme policy strategy max min cap ' +
    'cadence place location spot thing stuff purpose reason everything nothing something everywhere anywhere people ' +
    'everyone everybody nobody someone full further additional extra new own proper different various several few ' +
    'half first second third whole entire single plain pure simple usual normal general regular common cost effort ' +
    'freely soon even alone wherever whenever convenient outside appear good bad slow fast happy ready sure able likely team colleague customer user',
);

/** Little words of the other languages that developers write in. */
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
