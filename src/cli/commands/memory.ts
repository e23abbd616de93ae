import { Option, type Command } from 'commander';
import type { MemoryEngine } from '../../engine/engine.js';
import {
  daysUntilCold,
  decayClasses,
  gates,
  kinds,
  lanes,
  shortId,
  storeKinds,
  type DecayClass,
  type Gate,
  type Kind,
  type Lane,
  type Memory,
  type StoreKind,
  ratings,
} from '../../engine/model/memory.js';
import { isSecretRefusal, messageTemplates } from '../../engine/model/engineMessages.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { exitCodes, print, readText, type WithEngine } from '../command.js';
import { describeHit, describeMemory, describeRememberOutcome, formatMemoryLine } from '../output/describeMemory.js';
import type { GlobalOptions } from '../program.js';
import { keepSensitive, offerEncryption, showSensitive } from './sensitive.js';
import { addFilterOptions, toFilter, parseWholeNumber, type FilterOptions } from './filterOptions.js';

/** Registers the commands that keep, find, list and change memories. */
export function registerMemoryCommands(program: Command, withEngine: WithEngine): void {
  registerRemember(program, withEngine);
  registerRecall(program, withEngine);
  registerList(program, withEngine);
  registerShow(program, withEngine);
  registerActions(program, withEngine);
  registerRatings(program, withEngine);
}

function registerRemember(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly gate?: Gate;
    readonly kind?: Kind;
    readonly class?: DecayClass;
    readonly lane: Lane;
    readonly store?: StoreKind;
    readonly tag?: string[];
    readonly scopeId?: string;
    readonly session?: string;
    readonly whole?: true;
    readonly priority?: number;
    readonly sensitive?: true;
    readonly label?: string;
    readonly yes?: true;
  }
  program
    .command('remember')
    .description('keep one or more facts')
    .argument('[text...]', 'the facts, as sentences; - or nothing reads them from stdin')
    .addOption(new Option('--gate <gate>', 'what it is about').choices(gates))
    .addOption(new Option('--kind <kind>', 'what sort of note it is').choices(kinds))
    .addOption(new Option('--class <class>', 'how it fades').choices(decayClasses))
    .addOption(new Option('--lane <lane>', 'who says so').choices(lanes).default('confirmed'))
    .addOption(new Option('--store <store>', 'where it goes').choices(storeKinds))
    .option('--tag <tag...>', 'words to find it by')
    .option('--priority <n>', 'how much it counts, 1 to 10 (default: 5)', parseWholeNumber)
    .option('--scope-id <id>', 'keep it in an isolated set')
    .option('--session <id>', 'the conversation it comes from')
    .option('--whole', 'keep the text as one memory')
    .option('--sensitive', 'keep a text that holds a secret, encrypted with your key, after asking')
    .option('--label <name>', 'with --sensitive: your name for it, which is not encrypted')
    .option('--yes', 'with --sensitive: do not ask')
    .action((given: string[], { class: decayClass, tag: givenTags, sensitive, label, yes, ...rest }: Options) =>
      withEngine(async (engine, json) => {
        const { store } = rest;
        const [words, tag] = separateText(given, givenTags);
        if (sensitive === true) return keepSensitive(engine, json, words, { label, store, yes });
        const problemsBefore = embeddingProblems(engine);
        const outcomes = await engine.remember({
          ...rest,
          content: await readText(words),
          source: 'explicit',
          ...(decayClass === undefined ? {} : { decayClass }),
          ...(tag === undefined ? {} : { tags: tag }),
        });
        print(json, { outcomes }, () => outcomes.map(describeRememberOutcome));
        const { project: projects = [] } = program.opts<GlobalOptions>();
        if (projects.length > 1 && outcomes.some(it => it.outcome !== 'refused' && it.store === 'project'))
          console.error('A fact of a project is kept for the first --project alone. Run it once for each.');
        for (const it of embeddingProblems(engine)) if (!problemsBefore.includes(it)) console.error(it);
        offerEncryption(outcomes.filter(it => it.outcome === 'stored'));
        if (outcomes.some(it => it.outcome === 'refused' && isSecretRefusal(it.reason)))
          console.error(
            'If you want it kept all the same, encrypted and for yourself alone: recollect remember --sensitive',
          );
        return outcomes.some(it => it.outcome !== 'refused') ? exitCodes.ok : exitCodes.failed;
      }),
    );
}

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

/** A choice, and what opening the memory says with the next step. */
const knownDegradations: readonly string[] = [
  messageTemplates.embeddingsOff,
  messageTemplates.endpointUnasked,
  messageTemplates.modelUnusable,
];

/** Says on stderr what a recall had to do without. */
function reportDegradations(degraded: readonly string[]): void {
  const news = degraded.filter(it => !knownDegradations.includes(it));
  if (news.length === 0) return;
  const next = news.some(it => endpointDegradations.includes(it)) ? ' See why: recollect models endpoint --status' : '';
  console.error(`Incomplete: ${news.join('; ')}.${next}`);
}

const endpointDegradations: readonly string[] = [messageTemplates.endpointFails, messageTemplates.endpointBudget];

function registerRecall(program: Command, withEngine: WithEngine): void {
  interface Options extends FilterOptions {
    readonly limit?: number;
    readonly budget?: number;
    readonly context?: true;
    readonly fresh?: true;
  }
  addFilterOptions(program.command('recall'))
    .description('find memories by meaning and words')
    .argument('<query...>', 'what to recall')
    .option('--limit <n>', 'memories at most', parseWholeNumber)
    .option('--budget <tokens>', 'tokens of packed context at most', parseWholeNumber)
    .option('--context', 'print the packed context that an assistant gets')
    .option('--fresh', 'search, whatever was answered before')
    .action((words: string[], options: Options) =>
      withEngine(async (engine, json) => {
        const { limit, budget, context, fresh } = options;
        const result = await engine.recall({
          ...toFilter(options),
          query: words.join(' '),
          ...(limit === undefined ? {} : { limit }),
          ...(budget === undefined ? {} : { tokenBudget: budget }),
          mode: fresh === true ? 'fresh' : 'fast',
        });
        print(json, result, () => (context === true ? [result.context] : result.hits.map(describeHit)));
        if (!json) reportDegradations(result.trace.degraded);
        // Their code may only have moved: the next recall knows.
        if (result.hits.some(it => it.code !== undefined)) await engine.codeAnchors.update();
        if (result.hits.length > 0) return exitCodes.ok;
        const isWhole = engine.team.store.notices.length === 0;
        console.error(isWhole ? 'Nothing is remembered about this.' : 'Nothing was found in what could be searched.');
        return exitCodes.notFound;
      }),
    );
}

function registerList(program: Command, withEngine: WithEngine): void {
  interface Options extends FilterOptions {
    readonly cold?: true;
    readonly withoutAids?: true;
    readonly limit: number;
    readonly offset: number;
  }
  addFilterOptions(program.command('list'))
    .description('list memories, newest first')
    .option('--cold', `only memories that were not used, said or changed for ${daysUntilCold} days and are not pinned`)
    .option('--without-aids', 'only those without questions and keywords to be found by')
    .option('--limit <n>', 'memories at most', parseWholeNumber, 100)
    .option('--offset <n>', 'how many to pass over', parseWholeNumber, 0)
    .action((options: Options) =>
      withEngine(async (engine, json) => {
        const { limit, offset, withoutAids, cold } = options;
        const filter = {
          ...toFilter(options),
          ...(withoutAids === true ? { withoutAids } : {}),
          ...(cold === true ? { temperature: 'cold' as const } : {}),
        };
        const memories = await engine.list({ ...filter, limit, offset });
        engine.activity.noteCall('list', memories);
        print(json, memories, () =>
          memories.map(it =>
            formatMemoryLine(it, engine.effectiveConfidence(it), {
              keptUntil: engine.explainer.keptUntil(it),
              archivedAt: engine.explainer.archivedSoonAt(it),
            }),
          ),
        );
        const encrypted = await engine.sensitive.count();
        if (memories.length === 0 && !json) {
          // The notices have named what is missing.
          const isMissing = engine.team.store.notices.length > 0;
          const isWhole = !isMissing && Object.keys(filter).length === 0 && offset === 0 && limit > 0;
          console.error(
            isWhole
              ? 'Nothing is kept here yet. Keep a fact: recollect remember TEXT'
              : `No memory ${isMissing ? 'here ' : ''}is like that.`,
          );
        }
        if (encrypted > 0)
          console.error(`${pluralize(encrypted, 'sensitive memory', 'sensitive memories')}: recollect sensitive`);
        return exitCodes.ok;
      }),
    );
}

function registerShow(program: Command, withEngine: WithEngine): void {
  program
    .command('show')
    .description('show one memory whole')
    .argument('<id>', 'its id or the last eight digits of it')
    .option('--reveal', 'with the text of a sensitive memory')
    .action((id: string, { reveal }: { readonly reveal?: true }) =>
      withEngine(async (engine, json) => {
        const sensitive = await showSensitive(engine, json, id, reveal === true);
        if (sensitive !== undefined) return sensitive;
        const memory = await engine.get(id);
        const effectiveConfidence = engine.effectiveConfidence(memory);
        engine.activity.noteCall('show', [memory]);
        const aids = (await engine.aids([memory.id])).get(memory.id);
        const sharedId = await engine.team.sharedId(memory);
        const fields = {
          ...{ ...memory, effectiveConfidence },
          ...(aids === undefined ? {} : { aids }),
          ...(sharedId === undefined ? {} : { sharedId }),
        };
        const keptUntil = engine.explainer.keptUntil(memory);
        const end = keptUntil === undefined ? { archivedAt: engine.explainer.fadesAt(memory) } : { keptUntil };
        print(json, fields, () => describeMemory(memory, { effectiveConfidence, aids, sharedId, end }));
        return exitCodes.ok;
      }),
    );
}

function registerActions(program: Command, withEngine: WithEngine): void {
  const actions = {
    pin: 'lock a memory: it neither fades nor weakens',
    unpin: 'unlock it again; it guards nothing any more',
    forget: 'archive a memory; restore undoes it',
    restore: 'make an archived memory active again',
    promote: 'confirm a note, so that it does not expire',
  } as const;
  for (const [name, description] of Object.entries(actions) as [keyof typeof actions, string][]) {
    const command = program
      .command(name)
      .description(description)
      .argument('<id...>', 'ids, or the last eight digits of them');
    if (name === 'pin')
      command.option(
        '--guard',
        'also have assistants ask you before a command or an edit that the memory names; only for a confirmed one',
      );
    command.action((ids: string[], { guard }: { readonly guard?: true }) =>
      withEngine(async (engine, json) => {
        // All are looked up first: an id that is wrong stops the call before it has changed anything.
        const targets: Memory[] = [];
        for (const id of ids) targets.push(await engine.get(id));
        const memories: Memory[] = [];
        for (const { id } of targets) {
          if (guard === true) await engine.guards.set(id);
          memories.push(await engine[name](id));
        }
        const forgotten = name === 'forget' ? targets.filter(it => it.status === 'active') : [];
        print(json, memories, () => [
          ...memories.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))),
          ...(forgotten.length === 0 ? [] : [`Undo: recollect restore ${forgotten.map(shortId).join(' ')}`]),
        ]);
        return exitCodes.ok;
      }),
    );
  }
}

/** `recollect priority` and `recollect feedback`. */
function registerRatings(program: Command, withEngine: WithEngine): void {
  program
    .command('priority')
    .description('set how much a memory counts when memories are ranked')
    .argument('<id>', 'its id or the last eight digits of it')
    .argument('<n>', '1 to 10; 5 for most', parseWholeNumber)
    .action((id: string, priority: number) =>
      withEngine(async (engine, json) => {
        const memory = await engine.setPriority(id, priority);
        print(json, memory, () => [
          `${formatMemoryLine(memory, engine.effectiveConfidence(memory))}  priority ${memory.priority}`,
        ]);
        return exitCodes.ok;
      }),
    );
  program
    .command('feedback')
    .description('say whether a memory helped')
    .argument('<id>', 'its id or the last eight digits of it')
    .addArgument(
      program
        .createArgument('<verdict>', 'whether it helped, or how much: 1 (it misled) to 5')
        .choices(['useful', 'not-useful', ...ratings.map(String)]),
    )
    .action((id: string, verdict: string) =>
      withEngine(async (engine, json) => {
        const rating = ratings.find(it => String(it) === verdict);
        const memory = await engine.feedback(id, rating ?? verdict === 'useful');
        print(json, memory, () => [formatMemoryLine(memory, engine.effectiveConfidence(memory))]);
        return exitCodes.ok;
      }),
    );
}
