import { z } from 'zod';
import { codeHash } from '../engine/base/codeHash.js';
import { EngineError } from '../engine/base/errors.js';
import { message } from '../engine/base/localizableMessage.js';
import type { MemoryEngine } from '../engine/engine.js';
import { describeEnd, formatDate } from '../engine/model/answerText.js';
import { escapeMemoryText, formatMemoryText, neutralizeText } from '../engine/model/contextEnvelope.js';
import { isSecretRefusal } from '../engine/model/engineMessages.js';
import { pluralize } from '../engine/model/pluralize.js';
import {
  decayClasses,
  decayClassOfLifetime,
  gates,
  kinds,
  lanes,
  shortId,
  storeKinds,
  type LineRange,
} from '../engine/model/memory.js';
import type { RememberInput } from '../engine/model/rememberInput.js';
import type { RelatedFact, RememberOutcome, ReplacedFact } from '../engine/model/rememberOutcome.js';
import { describeRememberOutcome } from './describeMemory.js';
import { argument, definePersonCommand, flag, isoDate, option, refuseUnused, wholeNumber } from './personCommand.js';
import { keepSensitive, offerEncryption } from './sensitive.js';
import { factFields, rememberInput } from './factInput.js';
import { toIsoDate } from './inputFields.js';
import { defineTool, isFields, type Caller, type Fields } from './tool.js';

const replacedSchema = z.strictObject({
  id: z.string(),
  content: z.string(),
  undecided: z.literal(true).exactOptional().describe('The user confirmed it: it stays until they settle it.'),
});
const relatedSchema = z.strictObject({
  id: z.string(),
  content: z.string(),
  date: z.string(),
  sameAs: z.string().exactOptional().describe('Probably the same: give this to revise with its id.'),
});
const storedFields = {
  id: z.string(),
  store: z.enum(storeKinds),
  keptUntil: z.string().exactOptional().describe('The day after which it lapses. Absent: it lasts.'),
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

const rememberRoute = {
  method: 'POST',
  summary: 'Remember facts',
  isCreated: ({ outcomes }: Fields): boolean =>
    (outcomes as readonly OutcomeView[]).some(it => it.outcome === 'stored'),
} as const;

export const rememberTool = defineTool({
  name: 'remember',
  reference: 'remember',
  title: 'Remember',
  description: `Stores facts in the user's long-term memory. Call it when the user asks to, corrects you, states a preference, or decides or reverses something - and when they say in passing what the code does not show: a gotcha and its cause, a command or host that works, who does what, a date, a question left open. Not for one-off tasks, guesses or secrets (refused).
One fact per entry, in the user's words: what can change apart (a command, the host it runs on) is two entries, because replaces takes the whole old memory out; say again what of it still holds. Add questions and keywords in other words than the fact's: they decide whether it is found. Give a rule for the work its gate. If you know the id of what it makes wrong, name it in replaces; else the answer names near ones for revise.
Example: {"facts":[{"content":"Staging moved to stg-pg-02.internal:6432.","questions":["What is the host of the test database?"],"keywords":["postgres","pre-production"],"replaces":["1f3c9a20"]}]}`,
  readOnly: false,
  destructive: false,
  // Said again, a fact is reinforced.
  idempotent: false,
  routes: [
    {
      ...rememberRoute,
      path: '/memory',
      aliases: { metadata: 'An object whose tags are taken.' },
      rename: renameMetadata,
    },
    { ...rememberRoute, path: '/v1/remember' },
  ],
  input: rememberInput,
  output: z.strictObject({ outcomes: z.array(outcome).describe('One for each fact, in the order given.') }),
  progress: () => message`Remembering`,
  rearrange: gatherFact,
  async run(engine, input, caller) {
    const places = await Promise.all((input.facts ?? []).map(it => findPlace(engine, it)));
    const outcomes = await rememberAll(engine, input, { places, caller });
    const isSplit = input.facts === undefined && outcomes.length > 1;
    const views = outcomes.map((it, i) => toOutcomeView(it, { isSplit, placeProblem: places[i]?.problem }));
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

const reviseHint = 'If one that is near no longer holds, or says the same, call revise with its id.';

/**
 * A client that marks a text as sensitive must not find it stored as any other.
 * @throws EngineError notAllowed
 */
function refuseSensitive(input: object): void {
  const { facts, metadata } = input as { readonly facts?: unknown; readonly metadata?: unknown };
  const marked = [input, metadata, ...(Array.isArray(facts) ? (facts as readonly unknown[]) : [])];
  const isSensitive = marked.some(it => {
    const { sensitive, metadata: own } = (it ?? {}) as { readonly sensitive?: unknown; readonly metadata?: unknown };
    return isTrue(sensitive) || isTrue((own as { readonly sensitive?: unknown } | undefined)?.sensitive);
  });
  if (!isSensitive) return;
  throw new EngineError(
    'notAllowed',
    'Nothing was stored: a sensitive memory is encrypted with a key of the user, so that only the user can keep one. They can do it in VS Code, or with recollect remember --sensitive.',
  );
}

/** `metadata.tags` -> `tags`, `metadata.sensitive` -> `sensitive`, which is refused */
function renameMetadata({ metadata, ...input }: Fields): Fields {
  if (!isFields(metadata)) return input;
  const { tags, sensitive } = metadata;
  return { ...(tags === undefined ? {} : { tags }), ...(sensitive === undefined ? {} : { sensitive }), ...input };
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** One fact of a `content` with a fact's fields at the top level, where models write them and the schema has none. */
function gatherFact(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  refuseSensitive(input);
  const { facts, content, ...rest } = input as Readonly<Record<string, unknown>>;
  if (typeof content !== 'string' || (facts !== undefined && facts !== null)) return input;
  const isOfFact = (name: string): boolean => Object.hasOwn(factFields, name) && rest[name] !== null;
  const fields = Object.entries(rest).filter(([name]) => isOfFact(name));
  if (fields.length === 0) return input;
  const others = Object.entries(rest).filter(([name]) => !isOfFact(name));
  return { ...Object.fromEntries(others), facts: [{ content, ...Object.fromEntries(fields) }] };
}

async function rememberAll(
  engine: MemoryEngine,
  { content, facts = [] }: z.infer<typeof rememberInput>,
  { places, caller }: { readonly places: readonly FactPlace[]; readonly caller: Caller },
): Promise<readonly RememberOutcome[]> {
  if (content !== undefined) return engine.remember(toInput({ content }, { anchor: {} }, caller, false));
  return (await engine.rememberAll(facts.map((it, i) => toInput(it, places[i]!, caller, true)))).flat();
}

type FactInput = NonNullable<z.infer<typeof rememberInput>['facts']>[number];

/** The code of a fact as it is kept, and a sentence where that is less than was given. */
interface FactPlace {
  readonly anchor: Pick<RememberInput, 'uri' | 'range' | 'anchorHash'>;
  readonly problem?: string;
}

async function findPlace({ projects }: MemoryEngine, { file, lines }: FactInput): Promise<FactPlace> {
  if (file === undefined)
    return lines === undefined
      ? { anchor: {} }
      : { anchor: {}, problem: `The lines ${lines.trim()} were left out, because no file is named with them.` };
  const uri = projects.fileUri(file);
  // Code that is not there cannot change: a memory of it would say for ever that it is gone.
  if (projects.isMissingFile(uri))
    return { anchor: {}, problem: `No file ${file} was found in the project, so it is kept without one.` };
  if (lines === undefined) return { anchor: { uri } };
  const range = toLineRange(lines);
  const found = await projects.lines(uri);
  if (found === undefined) return { anchor: { uri, range } };
  const has = `${file} has ${pluralize(found.length, 'line')}`;
  if (range.startLine >= found.length)
    return { anchor: { uri }, problem: `${has}, so the lines ${lines.trim()} were left out.` };
  const known = { startLine: range.startLine, endLine: Math.min(range.endLine, found.length) };
  // By it a change of these lines is seen.
  const anchorHash = codeHash(found.slice(known.startLine, known.endLine).join('\n'));
  const anchor = { uri, range: known, anchorHash };
  if (known.endLine === range.endLine) return { anchor };
  return { anchor, problem: `${has}, so of the lines ${lines.trim()} those after ${found.length} were left out.` };
}

/** @param whole whether the text is one fact already */
function toInput(fact: FactInput, { anchor }: FactPlace, caller: Caller, whole: boolean): RememberInput {
  const {
    file: _file,
    lines: _lines,
    appliesTo,
    lasts,
    due,
    on,
    questions,
    keywords,
    replaces,
    refines,
    sameAs,
    ...rest
  } = fact;
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
    ...anchor,
    ...(appliesTo === undefined ? {} : { store: appliesTo === 'user' ? 'global' : 'project' }),
    ...(lasts === undefined ? {} : { decayClass: decayClassOfLifetime[lasts] }),
    ...(due === undefined ? {} : { dueAt: new Date(due).toISOString() }),
    ...(on === undefined ? {} : { on: toIsoDate(on).slice(0, 10) }),
    ...(Object.keys(aids).length === 0 ? {} : { aids }),
    ...(Object.keys(links).length === 0 ? {} : { links }),
    ...(caller.session === undefined ? {} : { session: caller.session }),
    source: caller.source,
    lane: 'note',
  };
}

/** Zero-based, end exclusive, of lines as an editor shows them: "12-20" or "12". */
function toLineRange(lines: string): LineRange {
  const [first = 1, last = first] = lines.split(/[-–]/u).map(Number);
  return { startLine: Math.min(first, last) - 1, endLine: Math.max(first, last) };
}

/** The memories, other than a new one, whose text an outcome gives out. */
function givenIds(it: OutcomeView): readonly string[] {
  if (it.outcome === 'refused') return [];
  const others = [...(it.replaces ?? []), ...(it.outcome === 'stored' ? (it.related ?? []) : [])];
  return [...(it.outcome === 'reinforced' ? [it.id] : []), ...others.map(other => other.id)];
}

interface OutcomeContext {
  /** Whether the caller gave one text of several facts, and does not know which they are. */
  readonly isSplit: boolean;
  readonly placeProblem: string | undefined;
}

function toOutcomeView(it: RememberOutcome, { isSplit, placeProblem }: OutcomeContext): OutcomeView {
  if (it.outcome === 'refused') return it;
  const { content, store, keptUntil, replaces = [] } = it;
  const reasons = [
    ...(it.reason === undefined ? [] : [it.reason]),
    ...(placeProblem === undefined ? [] : [placeProblem]),
  ];
  const stored = {
    id: shortId(it),
    store,
    ...(isSplit ? { content: neutralizeText(content) } : {}),
    ...(keptUntil === undefined ? {} : { keptUntil: keptUntil.slice(0, 10) }),
    ...(replaces.length === 0 ? {} : { replaces: replaces.map(toReplacedView) }),
    ...(reasons.length === 0 ? {} : { reason: neutralizeText(reasons.join(' ')) }),
  };
  if (it.outcome === 'reinforced') return { outcome: 'reinforced', ...stored };
  const { related = [] } = it;
  return {
    outcome: 'stored',
    ...stored,
    ...(related.length === 0 ? {} : { related: related.map(other => toRelatedView(other, shortId(it))) }),
  };
}

function toReplacedView(it: ReplacedFact): z.infer<typeof replacedSchema> {
  const undecided = it.isUndecided === true ? ({ undecided: true } as const) : {};
  return { id: shortId(it), content: neutralizeText(it.content), ...undecided };
}

function toRelatedView(it: RelatedFact, fact: string): z.infer<typeof relatedSchema> {
  return {
    id: shortId(it),
    content: neutralizeText(it.content),
    date: formatDate(it.assertedAt),
    ...(it.saysSame === true ? { sameAs: fact } : {}),
  };
}

/** Where a fact holds: the name of its project. */
function placeOf(it: RememberOutcome): string {
  if (it.outcome === 'refused') return '';
  return it.store === 'global' ? 'all projects' : (it.project ?? 'this project');
}

function formatOutcome(it: OutcomeView, place: string): string {
  if (it.outcome === 'refused') return `Refused: ${it.reason}`;
  const verb = it.outcome === 'stored' ? 'Stored' : 'Already known, reinforced';
  const { content, reason, replaces = [] } = it;
  const related = it.outcome === 'stored' ? (it.related ?? []) : [];
  return [
    [
      `${verb} #${it.id} for ${place}${describeEnd(it.keptUntil)}${content === undefined ? '.' : `: ${formatMemoryText(content)}`}`,
      ...replaces.map(other =>
        other.undecided === true
          ? `The user confirmed #${other.id}, which stays until they settle it: "${escapeMemoryText(other.content)}"`
          : `Replaces #${other.id}: "${escapeMemoryText(other.content)}"`,
      ),
    ].join(' '),
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...related.map(formatRelated),
  ].join('\n');
}

function formatRelated({ id, date, content, sameAs }: z.infer<typeof relatedSchema>): string {
  const line = `#${id} (${date}): ${escapeMemoryText(content)}`;
  return sameAs === undefined
    ? `  Near: ${line}`
    : `  Perhaps the same: ${line} If so: revise ${JSON.stringify({ id, sameAs })}`;
}

export const rememberCommand = definePersonCommand({
  name: 'remember',
  description: 'keep one or more facts',
  input: z.strictObject({
    words: argument(
      '[text...]',
      z.array(z.string()).default([]),
      'the facts, as sentences; - or nothing reads them from stdin',
    ),
    gate: option(
      '--gate <gate>',
      z.enum(gates).exactOptional(),
      'what it is about: a correction, a rule (behavioral), a fact (epistemic), a person (relational) or a plan (promissory); guessed without it',
    ),
    kind: option('--kind <kind>', z.enum(kinds).exactOptional(), 'what sort of memory it is; guessed without it'),
    decayClass: option(
      '--class <class>',
      z.enum(decayClasses).exactOptional(),
      'how long it lasts unless used: a day, a week, three months (durable) or for good; guessed without it',
    ),
    lane: option(
      '--lane <lane>',
      z.enum(lanes).default('confirmed'),
      'whose word it is: yours, or a note that expires unless you confirm it',
    ),
    store: option(
      '--store <store>',
      z.enum(storeKinds).exactOptional(),
      'for this project, or for all (global); guessed without it',
    ),
    due: option('--due <date>', isoDate.exactOptional(), 'the day on which it happens, or until which it holds'),
    tags: option('--tag <tag...>', z.array(z.string()).exactOptional(), 'more words to find it by'),
    priority: option('--priority <n>', wholeNumber.exactOptional(), 'how much it counts, 1 to 10 (default: 5)'),
    scopeId: option(
      '--scope-id <id>',
      z.string().exactOptional(),
      'keep it in this set, apart from all others; see `recollect set`',
    ),
    session: option('--session <id>', z.string().exactOptional(), 'the conversation it comes from'),
    whole: option('--whole', flag, 'keep the text as one memory, and do not split it'),
    sensitive: option('--sensitive', flag, 'keep a text that holds a secret, encrypted with your key, after asking'),
    label: option(
      '--label <name>',
      z.string().exactOptional(),
      'with --sensitive: your name for it, which is not encrypted',
    ),
    yes: option('--yes', flag, 'with --sensitive: do not ask'),
  }),
  async run(engine, { words: given, tags: givenTags, due, sensitive, label, yes, ...rest }, caller) {
    const [words, tags] = separateText(given, givenTags);
    if (sensitive === true) return keepSensitive(engine, { words, label, store: rest.store, yes }, caller);
    refuseUnused({ '--label': label, '--yes': yes }, 'only with --sensitive.');
    const problemsBefore = embeddingProblems(engine);
    const outcomes = await engine.remember({
      ...rest,
      content: await caller.readText(words),
      source: 'explicit',
      ...(due === undefined ? {} : { dueAt: due }),
      ...(tags === undefined ? {} : { tags }),
    });
    const isOfProject = outcomes.some(it => it.outcome !== 'refused' && it.store === 'project');
    return {
      output: { outcomes },
      lines: outcomes.map(describeRememberOutcome),
      remarks: [
        ...(isOfProject && engine.projectNames.length > 1
          ? ['A fact of a project is kept for the first --project alone. Run it once for each.']
          : []),
        ...embeddingProblems(engine).filter(it => !problemsBefore.includes(it)),
        ...offerEncryption(outcomes.filter(it => it.outcome === 'stored')),
        ...(outcomes.some(it => it.outcome === 'refused' && isSecretRefusal(it.reason))
          ? ['If you want it kept all the same, encrypted and for yourself alone: recollect remember --sensitive']
          : []),
      ],
      ending: outcomes.some(it => it.outcome !== 'refused') ? 'done' : 'failed',
    };
  },
});

/** Why texts are not embedded now; of what opening has said, it changes nothing. */
function embeddingProblems(engine: MemoryEngine): readonly string[] {
  const alerts = engine.maintenance.programAlerts();
  return alerts.filter(it => it.kind === 'embeddingFailed').map(it => String(it.text));
}

/** `--tag a b "A fact in words."`: an option that takes several words took the text, too. */
function separateText(words: string[], tags: string[] | undefined): [words: string[], tags: string[] | undefined] {
  const last = tags?.at(-1);
  const isText = words.length === 0 && tags !== undefined && tags.length > 1 && /\S\s+\S+\s+\S/u.test(last!);
  return isText ? [[last!], tags.slice(0, -1)] : [words, tags];
}
