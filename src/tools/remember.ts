import { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import { formatDate } from '../engine/model/answer.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { shortId, storeKinds, type DecayClass } from '../engine/model/memory.js';
import type { RememberInput } from '../engine/model/rememberInput.js';
import type { RelatedFact, RememberOutcome } from '../engine/model/rememberOutcome.js';
import { rememberInput } from './schemas.js';
import { defineTool, type Caller } from './tool.js';

const replacedSchema = z.strictObject({ id: z.string(), content: z.string() });
const relatedSchema = z.strictObject({ id: z.string(), content: z.string(), date: z.string() });
const storedFields = {
  id: z.string(),
  store: z.enum(storeKinds),
  content: z.string().exactOptional().describe('The fact, where a plain text was split.'),
  replaces: z.array(replacedSchema).exactOptional().describe('What it replaces now. Check that it is what you meant.'),
  reason: z.string().exactOptional().describe('What could not be done besides storing it.'),
};
const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('stored'),
    ...storedFields,
    related: z
      .array(relatedSchema)
      .exactOptional()
      .describe('May be of the same subject. Call revise for one that no longer holds or says the same.'),
  }),
  z.strictObject({ outcome: z.literal('reinforced'), ...storedFields }),
  z.strictObject({ outcome: z.literal('refused'), reason: z.string() }),
]);
type OutcomeView = z.infer<typeof outcome>;

export const rememberTool = defineTool({
  name: 'remember',
  reference: 'remember',
  title: 'Remember',
  description: `Stores facts in the user's long-term memory for later conversations. Call it when the user asks to remember something, corrects you, states a lasting preference, or a decision is made that outlives this change. Not for what the code shows, one-off tasks, guesses, or secrets (refused).
Send facts, one standalone sentence each, in the user's words. With each, add questions and keywords in other words than the fact's: they decide whether it is found again. If it makes a memory you have recalled wrong, name that id in replaces; if it says the same, in sameAs.
Example: {"facts":[{"content":"Staging moved to stg-pg-02.internal:6432.","appliesTo":"project","questions":["What is the host of the test database?"],"keywords":["postgres","connection string","pre-production"],"replaces":["1f3c9a20"]}]}
Returns each fact's outcome, what it contradicts, and near memories to judge with revise.`,
  readOnly: false,
  destructive: false,
  // Said again, a fact is reinforced.
  idempotent: false,
  input: rememberInput,
  output: z.strictObject({ outcomes: z.array(outcome).describe('One for each fact, in the order given.') }),
  progress: () => 'Remembering',
  async run(engine, input, caller) {
    const outcomes = await rememberAll(engine, input, caller);
    const isSplit = input.facts === undefined && outcomes.length > 1;
    const views = outcomes.map(it => toOutcomeView(it, isSplit));
    return {
      text: [
        ...views.map((it, i) => formatOutcome(it, placeName(engine, outcomes[i]!))),
        ...(views.some(it => it.outcome === 'stored' && it.related !== undefined) ? [reviseHint] : []),
      ].join('\n'),
      structured: { outcomes: views },
      given: views.flatMap(givenIds),
      failed: outcomes.every(it => it.outcome === 'refused'),
    };
  },
});

const reviseHint = 'If one that is near no longer holds, or says the same, call revise with its id.';

async function rememberAll(
  engine: MemoryEngine,
  { content, facts, ...shared }: z.infer<typeof rememberInput>,
  caller: Caller,
): Promise<readonly RememberOutcome[]> {
  if (content !== undefined) return engine.remember(toInput({ content, ...shared }, caller, false));
  return (await engine.rememberAll(facts!.map(it => toInput({ ...shared, ...it }, caller, true)))).flat();
}

const decayClasses: Readonly<Record<'day' | 'week' | 'months', DecayClass>> = {
  day: 'ephemeral',
  week: 'session',
  months: 'durable',
};

type FactInput = Omit<z.infer<typeof rememberInput>, 'content' | 'facts'> &
  Partial<NonNullable<z.infer<typeof rememberInput>['facts']>[number]> & { readonly content: string };

/** @param whole whether the text is one fact already */
function toInput(fact: FactInput, caller: Caller, whole: boolean): RememberInput {
  const { file, appliesTo, lasts, due, questions, keywords, replaces, refines, sameAs, ...rest } = fact;
  const aids = { ...(questions === undefined ? {} : { questions }), ...(keywords === undefined ? {} : { keywords }) };
  const links = {
    ...(replaces === undefined ? {} : { replaces }),
    ...(refines === undefined ? {} : { refines }),
    ...(sameAs === undefined ? {} : { sameAs }),
  };
  return {
    ...rest,
    whole,
    ...(file === undefined ? {} : { uri: file }),
    ...(appliesTo === undefined ? {} : { store: appliesTo === 'user' ? 'global' : 'project' }),
    ...(lasts === undefined ? {} : { decayClass: decayClasses[lasts] }),
    ...(due === undefined ? {} : { dueAt: new Date(due).toISOString() }),
    ...(Object.keys(aids).length === 0 ? {} : { aids }),
    ...(Object.keys(links).length === 0 ? {} : { links }),
    ...(caller.session === undefined ? {} : { session: caller.session }),
    source: caller.source,
    lane: 'note',
  };
}

/** The memories, other than a new one, whose text an outcome gives out. */
function givenIds(it: OutcomeView): readonly string[] {
  if (it.outcome === 'refused') return [];
  const others = [...(it.replaces ?? []), ...(it.outcome === 'stored' ? (it.related ?? []) : [])];
  return [...(it.outcome === 'reinforced' ? [it.id] : []), ...others.map(other => other.id)];
}

/** @param isSplit whether the caller gave one text of several facts, and does not know which they are */
function toOutcomeView(it: RememberOutcome, isSplit: boolean): OutcomeView {
  if (it.outcome === 'refused') return it;
  const { content, store, replaces = [], reason } = it;
  const stored = {
    id: shortId(it),
    store,
    ...(isSplit ? { content: neutralizeText(content) } : {}),
    ...(replaces.length === 0
      ? {}
      : { replaces: replaces.map(other => ({ id: shortId(other), content: neutralizeText(other.content) })) }),
    ...(reason === undefined ? {} : { reason: neutralizeText(reason) }),
  };
  if (it.outcome === 'reinforced') return { outcome: 'reinforced', ...stored };
  const { related = [] } = it;
  return {
    outcome: 'stored',
    ...stored,
    ...(related.length === 0 ? {} : { related: related.map(toRelatedView) }),
  };
}

function toRelatedView(it: RelatedFact): z.infer<typeof relatedSchema> {
  return { id: shortId(it), content: neutralizeText(it.content), date: formatDate(it.assertedAt) };
}

/** Where a fact went, in words: the project's name, or that it holds everywhere. */
function placeName(engine: MemoryEngine, outcome: RememberOutcome): string {
  if (outcome.outcome === 'refused') return '';
  if (outcome.store === 'global') return 'all projects';
  return engine.projectName ?? 'this project';
}

function formatOutcome(it: OutcomeView, place: string): string {
  if (it.outcome === 'refused') return `Refused: ${it.reason}`;
  const verb = it.outcome === 'stored' ? 'Stored' : 'Already known, reinforced';
  const { content, reason, replaces = [] } = it;
  const related = it.outcome === 'stored' ? (it.related ?? []) : [];
  return [
    [
      `${verb} #${it.id} for ${place}${content === undefined ? '.' : `: ${content}`}`,
      ...replaces.map(other => `Replaces #${other.id}: "${other.content}".`),
    ].join(' '),
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...related.map(other => `  Near: #${other.id} (${other.date}): ${other.content}`),
  ].join('\n');
}
