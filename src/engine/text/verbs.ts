/** Verbs for lasting facts about a person or a system, in their base form. */
const baseVerbs = (
  'use prefer like love hate dislike want need own lead manage handle maintain review approve write read run work live ' +
  'deploy ship build test keep avoid choose follow enjoy expect require support contain include provide store save ' +
  'send receive return validate expire accept reject allow deny host serve expose consume publish subscribe depend ' +
  'rely sit listen connect speak report belong cover drive coordinate design mentor oversee administer think believe ' +
  'know make get take give put set go come start stop hold do have commit push merge rebase squash format lint document ' +
  'log cache call import export render generate track monitor sign encrypt hash'
).split(' ');

/** Words that open a dependent clause; the words after a later "and" can belong to it. */
export const subordinators =
  /\b(?:if|when|whenever|because|before|after|unless|while|since|until|till|which|that|who|whose|whom|where|whereas|although|though|so|once|as|than|whether|how|why|what|both|either|neither|between|not only|let|lets|make sure|ensure|instead of)\b/i;

/** Base verbs that look like past forms. */
const baseVerbsEndingInEd = new Set(
  'need feed seed heed weed speed bleed breed exceed proceed succeed embed shed'.split(' '),
);

const baseVerbSet = new Set(baseVerbs);
const thirdPersons = new Set(baseVerbs.map(toThirdPerson));

export function isBaseVerb(word: string): boolean {
  return baseVerbSet.has(word.toLowerCase());
}

/** Whether a word is the third person of a listed verb, or a form of be, have or do. */
export function isThirdPerson(word: string): boolean {
  return thirdPersons.has(word.toLowerCase()) || /^(?:is|has|was|does|isn't|doesn't|hasn't|wasn't)$/i.test(word);
}

/** The third person singular of a base verb: work → works, have → has, be or are → is; modals and past forms unchanged. */
export function toThirdPerson(verb: string): string {
  const irregular: Readonly<Record<string, string>> = {
    have: 'has',
    "haven't": "hasn't",
    do: 'does',
    "don't": "doesn't",
    dont: "doesn't",
    go: 'goes',
    are: 'is',
    "aren't": "isn't",
    were: 'was',
    "weren't": "wasn't",
    "'re": 'is',
    "'ve": 'has',
  };
  const known = irregular[verb.toLowerCase()];
  if (known !== undefined) return known;
  if (!/^[a-z]+$/.test(verb)) return verb;
  if (/(?:ed|[^s]s)$/.test(verb) && !baseVerbsEndingInEd.has(verb)) return verb;
  if (/(?:[sxz]|ch|sh|o)$/.test(verb)) return `${verb}es`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return `${verb}s`;
}
