/** Words that negate what follows them, up to the end of the clause. */
export const negators = new Set(
  (
    'not no never none nothing nobody without dont avoid isnt arent doesnt didnt wont cant cannot shouldnt mustnt wasnt hasnt havent ' +
    "couldnt wouldnt instead_of rather_than stop stopped no_longer neither nor don't isn't aren't doesn't didn't won't " +
    "can't shouldn't mustn't wasn't hasn't haven't couldn't wouldn't kein keine keinen nicht nie pas ya_no plus_de jamais " +
    'no_more lost off in_place_of took_the_place_of take_the_place_of takes_the_place_of took_over_from takes_over_from supersedes superseded supplants statt anstatt anstelle ' +
    'rarely seldom hardly barely hardly_ever skip skipping'
  ).split(' '),
);

/** Idioms with a negator that negate nothing. */
export const nonNegatingIdioms = new Set(
  "not_only no_more_than no_later_than no_longer_than no_worries no_problem no_doubt time_no_see time_no_talk can't_wait cant_wait no_matter not_sure not_yet".split(
    ' ',
  ),
);

/** Verbs that end what follows them; in the passive, what precedes them. */
export const terminationVerbs = new Set(
  (
    'dropped removed killed retired deprecated abandoned ditched banned forbidden prohibited cancelled canceled ' +
    'discontinued shut_down decommissioned compiled_out archived got_deleted was_deleted were_deleted been_deleted torn_down phased_out sunset scrapped axed killed_off took_out taken_out threw_out thrown_out parted_with got_rid_of get_rid_of getting_rid_of drop remove retire ended gave_up stopped_using quit no_longer stop stopped ya_no plus_de'
  ).split(' '),
);

/** Predicates that declare their subject ended. */
export const terminatedStates = new Set(
  'gone dead archived banned avoided discouraged forbidden prohibited obsolete history ended'.split(' '),
);

/** Verbs of change, used with "from … to …". */
export const changeVerbs = new Set(
  (
    'switch switched switching move moved moving migrate migrated migrating change changed changing rename renamed ' +
    'convert converted port ported go went upgrade upgraded bumped transition transitioned swapped swap passé'
  ).split(' '),
);

/** Words that open an exception, which only narrows the statement. */
export const exceptionMarkers = new Set('except unless besides apart_from'.split(' '));

/** Comparatives: "not longer than" is a limit and no negation. */
export const comparatives = new Set(
  'longer more greater higher later larger bigger older fewer less shorter lower only'.split(' '),
);
