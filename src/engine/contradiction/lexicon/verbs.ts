/** Forms of auxiliaries; a negation after one includes the subject. */
export const auxiliaries = new Set(
  (
    'is are was were be been am has have had do does did can could will would shall should must may might gets get got ' +
    "isn't aren't wasn't doesn't don't can't won't mustn't shouldn't isnt arent doesnt dont cant wont"
  ).split(' '),
);

/** Forms of "be" and "get". */
export const beForms = new Set('is are was were be been being get gets got'.split(' '));

/** Verbs and adverbs of having more than one value: another object is added and replaces none. */
export const additiveTerms = new Set(
  'import imports include includes add adds also too additionally besides plus'.split(' '),
);

/** Verbs after which a name or a quotation is one of several; a number or a tool is not. */
export const partitiveVerbs = new Set('has have contain contains likes'.split(' '));

/** Terms of responsibility, which only one person or team can have. */
export const ownershipTerms = new Set(
  (
    'own owns owned owner belong belongs lead leads led maintain maintains maintained maintainer review reviews reviewed ' +
    'responsible oncall decide decides decided approve approves approver contact manager manages heads runs handles handled heading access handed'
  ).split(' '),
);

/** Verbs of {@link ownershipTerms} whose object may have several subjects at the same time. */
export const sharedDutyTerms = new Set(
  'review reviews reviewed maintain maintains maintained approve approves decide decides handle handles handled manage manages runs access contact'.split(
    ' ',
  ),
);

/** Verbs that say where, how or by what something is; the phrase after their preposition is one slot. */
export const placementVerbs = new Set(
  (
    'get gets got happen happens takes_place take_place was were is are live lives run runs go goes come comes keep kept store stored write written build built host hosted save saved ' +
    'serve served do done send sent handle handled manage managed call called name named put set based generated made ' +
    'deployed sit sits go went belong rendered returned formatted rewritten moved found loaded triggered processed started name put keep store write build host save send serve manage set load'
  ).split(' '),
);

/** Placement verbs with a meaning, by the first verb of their group; the others match any. */
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

/** Prepositions that open such a slot, by the first of their group: those of a group are interchangeable. */
export const slotPrepositions: Readonly<Record<string, string>> = Object.fromEntries(
  ['in on at to into under inside', 'by with via through using', 'as', 'from', 'for'].flatMap(row =>
    row.split(' ').map(it => [it, row.split(' ')[0]!] as const),
  ),
);
