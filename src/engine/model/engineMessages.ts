import { LocalizableMessage } from '../base/localizableMessage.js';

/**
 * Message templates for texts that are stored, logged or passed to models in English: reasons of edges and refusals,
 * degradations of a recall, problems of a store. A surface parses them with `parseMessage` to show them in the reader's
 * language.
 */
export const messageTemplates = {
  saysMore: 'The newer one says more about {0}.',
  similar: 'They speak of similar things.',
  perhapsReplaces: 'The newer one may replace the older one. You say which one holds.',
  onlyOneHolds: 'A person said that only one of the two holds.',
  replacedByModel: 'The assistant said that the newer one replaces it.',
  replacedByPerson: 'A person said that the newer one replaces it.',
  sameByModel: 'The assistant said that both say the same.',
  sameByPerson: 'A person said that both say the same.',
  unnamedDecisions:
    'Your team does not learn what you decided about shared facts: git knows no name of yours here. Set one, then send it: git config user.name NAME && recollect team sync',

  embeddingsOff: 'embeddings are off: searched by words alone',
  modelUnusable: 'the embedding model cannot be used: searched by words alone',
  endpointUnasked: 'no text may be sent to the embedding endpoint yet: searched by words alone',
  endpointFails: 'the embedding endpoint gives no vectors now: searched by words alone',
  endpointBudget: "the embedding endpoint's tokens of the day are used up: searched by words alone",
  modelLate: 'the embedding model did not answer in time: searched by words alone',
  modelFails: 'the embedding model does not run: searched by words alone',
  indexBuilding: 'the search index is being built: searched by words alone',
  indexFails: 'the search index does not run: searched by words alone',
  notIndexed: 'superseded memories are not in the search index: searched by words alone',
  storeUnreachable: 'the server of the memories did not answer in time: what it holds was not searched',
  foundByWords:
    'on the server memories were found by their words and only then compared by meaning: it has no pgvector',
  partlyEmbedded: 'searched by meaning: {0} of {1} memories; the others by words alone',

  nothingToRemember: 'There is nothing to remember: write the fact as a sentence.',
  binary: 'This looks like binary data, not text: describe in words what should be remembered.',
  tooLong: 'The text has {0} characters and a memory holds at most {1}: shorten it, or remember its facts one by one.',
  tooManyFacts: 'The text has {0} facts; at most {1} can be remembered at once. Send it in parts.',
  secret:
    'It contains a secret ({0}), and secrets are not kept. Leave the secret out and say where it is found instead.',
  noProject:
    'No project is known here, and this is true of one, so it was not stored. Call again with the full path of its folder in "project", or with appliesTo "user" if it holds for the user everywhere.',
  forgotten:
    'A person chose to forget this or said it is done, so it is not noted again. It comes back when they say it themselves or restore it.',

  holdsAgain:
    'Said again, it holds again, and so does #{0}, which had replaced it: if only one of them does, say which replaces the other.',

  settingsNotRead: '{0} was not read: {1}',
  settingsInvalid: '{0} is no valid TOML (line {1}, column {2}); it was passed over.',
  settingsScope: 'memory.scope in {0} is none of {1}.',
  settingsUnread: 'memory.scope in {0} is project_only: lerim reads none of these files in a project.',
  settingsDecay:
    "{0} sets how memories fade in lerim. Here all memories fade by one rule; lerim's is `recollect config decayProfile gentle`.",
  settingsManyUnknown: '{0} has settings that mean nothing here: {1} and {2} more.',
  foldersOwn: 'Not read, because they hold in their own folders only: {0}. Import one by its path.',
  settingsUnknown: '{0} has settings that mean nothing here: {1}.',

  saysNothing: 'It says nothing.',
  waitsForServer: 'The server of its project cannot be used now. It waits on this machine, and goes there by itself.',
  sameThere: 'The same memory is there already (#{0}). Forget one of the two.',
  differsThere:
    'It is in both places and differs there. Delete one of the two: recollect delete {0} --scope project-only, or global-only.',
  changedSince: 'It was changed since, and stays as it is.',
  deletedSince: 'It was deleted since.',

  fileDamaged: 'The database file is damaged: {0}.',
  auditMissing: 'Audit entries {0} to {1} are missing.',
  auditAltered: 'Audit entry {0} was altered.',
  auditEnd: 'The end of the audit log is missing or was replaced.',
  rolledBack:
    'This is an older copy of the store, or another one: entry {0} of the audit log, which was written on this machine, is not in it. If you put it there yourself, run recollect verify --seen.',
  notAnchored:
    'Entry {0} of the audit log, which the anchor of {1} holds, is not in the store: it was replaced or rewritten since.',
  notAudited: 'Memories without a line in the audit log: {0}.',
  goneUnaudited: 'Memories gone without a line in the audit log: {0}.',
  notSearchable: 'Memories missing from the search index: {0}.',
  changedTexts:
    'Memories whose text is no longer what was stored: {0} ({1}). Close every program that uses the memory and open it again: what a backup has of them is restored.',
  changedRows:
    'Memories whose lane, pin or confidence is not what was last written: {0} ({1}). Another program changed them: confirm, pin or correct each, or restore a checkpoint from before.',
  changedEdges:
    'Memories whose connections are not what was last written: {0} ({1}). Another program changed them: restore a checkpoint from before, or look at each and link it again.',
  changedVectors:
    'Memories whose vector for the search by meaning is not what was last written: {0} ({1}). Another program changed them: restore a checkpoint from before, or correct the text of each, which makes a new one.',
  damagedFields:
    'Memories with a damaged field other than their text: {0} ({1}). Restore a checkpoint from before, or delete each for good and remember it again.',
} as const;

export type MessageTemplateName = keyof typeof messageTemplates;

/** Templates with numeric arguments. */
const numericTemplates: ReadonlySet<MessageTemplateName> = new Set([
  'partlyEmbedded',
  'tooLong',
  'tooManyFacts',
  'auditMissing',
  'auditAltered',
  'notAudited',
  'goneUnaudited',
  'notSearchable',
  'rolledBack',
]);

type TemplateArgs<Pattern extends string> = Pattern extends `${string}{${string}}${infer Rest}`
  ? readonly [string | number, ...TemplateArgs<Rest>]
  : readonly [];

/** Formats a message in English. */
export function formatMessage<Name extends MessageTemplateName>(
  name: Name,
  ...args: TemplateArgs<(typeof messageTemplates)[Name]>
): string {
  return String(new LocalizableMessage(messageTemplates[name], args));
}

/** Whether a refusal says that the text holds a secret. */
export function isSecretRefusal(reason: string): boolean {
  return parseMessage(reason)?.pattern === messageTemplates.secret;
}

/** Finds the template of a message; undefined for texts by a model, truncated ones, and ones of other versions. */
export function parseMessage(text: string): LocalizableMessage | undefined {
  for (const { name, pattern, regex } of templateRegexes) {
    const values = regex.exec(text)?.slice(1);
    if (values === undefined) continue;
    if (numericTemplates.has(name)) return new LocalizableMessage(pattern, values.map(parseNumber));
    return new LocalizableMessage(pattern, values);
  }
  return undefined;
}

/** Regular expressions of the templates, in the order of the table; the first match wins. */
const templateRegexes = Object.entries(messageTemplates).map(([name, pattern]) => {
  const source = pattern.replace(/[.*+?^$()[\]|\\]/gu, '\\$&').replace(/\{\d\}/gu, '(.*)');
  return { name: name as MessageTemplateName, pattern, regex: new RegExp(`^${source}$`, 'su') };
});

/** `10,000` becomes a number; other text stays. */
function parseNumber(text: string): number | string {
  return /^\d{1,3}(,\d{3})*$/u.test(text) ? Number(text.replaceAll(',', '')) : text;
}
