import { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import { describeEnd, formatDate } from '../engine/model/answer.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { shortId, storeKinds, type DecayClass } from '../engine/model/memory.js';
import type { RememberInput } from '../engine/model/rememberInput.js';
import type { RelatedFact, RememberOutcome } from '../engine/model/rememberOutcome.js';
import { rememberInput } from './schemas.js';
import { defineTool, type Caller } from './tool.js';

const contradictionSchema = z.strictObject({ id: z.string(), content: z.string() });
const relatedSchema = z.strictObject({ id: z.string(), content: z.string(), date: z.string() });
const storedFields = {
  id: z.string(),
  content: z.string(),
  store: z.enum(storeKinds),
  keptUntil: z.string().exactOptional().describe('The day after which it lapses. Absent: it lasts.'),
  contradicts: z
    .array(contradictionSchema)
    .exactOptional()
    .describe('Memories that say otherwise. What the user confirmed stays beside the newer fact.'),
  reason: z.string().exactOptional().describe('What could not be done beside storing it.'),
};
const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('stored'),
    ...storedFields,
    related: z
      .array(relatedSchema)
      .exactOptional()
      .describe('Near memories. Call revise for one that no longer holds or says the same.'),
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
    const views = outcomes.map(toOutcomeView);
    return {
      text: [
        ...views.map((it, i) => formatOutcome(it, placeOf(outcomes[i]!))),
        ...(views.some(it => it.outcome === 'stored' && it.related !== undefined) ? [reviseHint] : []),
      ].join('\n'),
      structured: { outcomes: views },
      given: views.flatMap(givenIds),
      failed: outcomes.every(it => it.outcome === 'refused'),
    };
  },
});

const reviseHint = 'If one of the near memories no longer holds, or says the same, call revise with its id.';

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
    // A fact has an argument for its day and its life.
    readsDay: !whole,
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
  const others = [...(it.contradicts ?? []), ...(it.outcome === 'stored' ? (it.related ?? []) : [])];
  return [...(it.outcome === 'reinforced' ? [it.id] : []), ...others.map(other => other.id)];
}

function toOutcomeView(it: RememberOutcome): OutcomeView {
  if (it.outcome === 'refused') return it;
  const { content, store, keptUntil, contradicts = [], reason } = it;
  const stored = {
    id: shortId(it),
    content,
    store,
    ...(keptUntil === undefined ? {} : { keptUntil: keptUntil.slice(0, 10) }),
    ...(contradicts.length === 0
      ? {}
      : { contradicts: contradicts.map(other => ({ id: shortId(other), content: neutralizeText(other.content) })) }),
    ...(reason === undefined ? {} : { reason }),
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

/** Where a fact holds: the name of its project. */
function placeOf(it: RememberOutcome): string {
  if (it.outcome === 'refused') return '';
  return it.store === 'global' ? 'all projects' : (it.project ?? 'this project');
}

function formatOutcome(it: OutcomeView, place: string): string {
  if (it.outcome === 'refused') return `Refused: ${it.reason}`;
  const verb = it.outcome === 'stored' ? 'Stored' : 'Already known, reinforced';
  const { reason } = it;
  const related = it.outcome === 'stored' ? (it.related ?? []) : [];
  return [
    `${verb} #${it.id} for ${place}${describeEnd(it.keptUntil)}: ${it.content}`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...(it.contradicts ?? []).map(other => `  It contradicts #${other.id}: ${other.content}`),
    ...related.map(other => `  Near: #${other.id} (${other.date}): ${other.content}`),
  ].join('\n');
}
