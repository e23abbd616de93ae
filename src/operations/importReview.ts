import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import type { PastImport } from '../engine/model/importReport.js';
import type { ImportedLine } from '../engine/model/intake.js';
import { describeInstructionMarks } from '../engine/model/instructionMarks.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import type { CommandAnswer, CommandCaller } from './personCommand.js';

type ReviewEngine = Pick<MemoryEngine, 'exchange' | 'intakes' | 'activity'>;

/** What one key decides about: a file, a heading of it, or one line. */
interface ReviewStep {
  readonly level: 'file' | 'heading' | 'line';
  readonly items: readonly ImportedLine[];
}

/** Lines of a heading, and headings of a file, that are shown; the rest is a number. */
const maxShown = 12;
/** In characters, of a line that is shown with others. */
const maxLineLength = 100;
const keysByLevel = {
  file: '[k]eep  [d]rop  [h]eading by heading  [n]ext  [u]ndo  [q]uit',
  heading: '[k]eep  [d]rop  [l]ine by line  [n]ext  [u]ndo  [q]uit',
  line: '[k]eep  [d]rop  [n]ext  [u]ndo  [q]uit',
} as const;

/**
 * Goes through what an import brought in, one key for a file, a heading or a line. Each key is carried out at once, so that
 * leaving keeps what was decided: what was kept is confirmed, what was dropped is forgotten, and the rest comes again.
 */
export async function reviewImport(
  engine: ReviewEngine,
  reference: string | undefined,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const found = await findImport(engine, reference);
  const counts = await caller.withKeys(askKey => decideByKeys(engine, found, { askKey, caller }));
  const left = (await readUndecided(engine, found)).length;
  caller.show([
    left + counts.k + counts.d === 0
      ? 'Everything of this import is decided.'
      : `${counts.k} kept, ${counts.d} dropped, ${left} undecided.`,
    ...(left > 0 ? [`Go on with: recollect import --review ${shortId(found)}`] : []),
  ]);
  return { output: undefined, lines: [] };
}

async function decideByKeys(
  engine: ReviewEngine,
  found: PastImport,
  { askKey, caller }: { readonly askKey: (text: string) => Promise<string>; readonly caller: CommandCaller },
): Promise<{ readonly k: number; readonly d: number }> {
  const opened = new Set<string>();
  const passed = new Set<string>();
  const counts = { k: 0, d: 0 };
  const made: { readonly key: 'k' | 'd'; readonly count: number }[] = [];
  for (;;) {
    const undecided = (await readUndecided(engine, found)).filter(it => !passed.has(it.memory.id));
    const step = nextStep(undecided, opened);
    // The last decision can be taken back, as the others can.
    if (step === undefined && made.length === 0) return counts;
    const key = await askKey(
      step === undefined
        ? '\nThat was the last one. [u]ndo [q]uit '
        : `${describeStep(step).join('\n')}\n${keysByLevel[step.level]} `,
    );
    if (key === 'q') return counts;
    if (step !== undefined && key === 'n') for (const it of step.items) passed.add(it.memory.id);
    else if (key === 'h' && step?.level === 'file') opened.add(fileKey(step.items[0]!));
    else if (key === 'l' && step?.level === 'heading') opened.add(headingKey(step.items[0]!));
    else if (key === 'u') {
      const undone = await engine.intakes.undo(found.id).catch((error: unknown) => {
        if (EngineError.is(error, 'notFound')) return undefined;
        throw error;
      });
      const last = undone === undefined ? undefined : made.pop();
      if (last !== undefined) counts[last.key] -= last.count;
      caller.show([undone === undefined ? 'There is nothing to take back.' : `Taken back: ${undone.undone}.`]);
    } else if (step !== undefined && (key === 'k' || key === 'd')) {
      const choice = key === 'k' ? 'keep' : 'drop';
      const choices = Object.fromEntries(step.items.map(it => [it.memory.id, choice] as const));
      await engine.intakes.decide(found.id, choices);
      counts[key] += step.items.length;
      made.push({ key, count: step.items.length });
    }
  }
}

/** What is undecided of an import, by file and heading. */
export async function listReviewGroups(engine: ReviewEngine, reference: string | undefined): Promise<CommandAnswer> {
  const groups = new Map<string, { file: string; heading: string; ids: string[] }>();
  for (const it of await readUndecided(engine, await findImport(engine, reference))) {
    const key = headingKey(it);
    const group = groups.get(key) ?? { file: it.file, heading: it.heading, ids: [] };
    groups.set(key, group);
    group.ids.push(shortId(it.memory));
  }
  return { output: [...groups.values()], lines: [] };
}

/** @param reference undefined for the last one @throws EngineError notFound */
export async function findImport(
  { exchange }: Pick<MemoryEngine, 'exchange'>,
  reference: string | undefined,
): Promise<PastImport> {
  const wanted = reference?.replace(/^#/u, '').trim().toLowerCase();
  const found = (await exchange.listImports()).find(
    it => wanted === undefined || (wanted !== '' && it.id.endsWith(wanted)),
  );
  if (found !== undefined) return found;
  throw new EngineError(
    'notFound',
    reference === undefined
      ? 'There is no import to review.'
      : `There is no import "${neutralizeText(reference).slice(0, 40)}". List them: recollect import --list.`,
  );
}

async function readUndecided({ intakes, activity }: ReviewEngine, found: PastImport): Promise<readonly ImportedLine[]> {
  const lines = await intakes.undecidedLines(found.id);
  activity.noteCall(
    'import --review',
    lines.map(it => it.memory),
  );
  return lines;
}

const fileKey = ({ file }: ImportedLine): string => file;
const headingKey = ({ file, heading }: ImportedLine): string => `${file}\n${heading}`;

/** The first that is undecided: with its file, with its heading where the file was opened, or alone. */
function nextStep(items: readonly ImportedLine[], opened: ReadonlySet<string>): ReviewStep | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  if (!opened.has(fileKey(first))) return { level: 'file', items: items.filter(it => fileKey(it) === fileKey(first)) };
  if (!opened.has(headingKey(first)))
    return { level: 'heading', items: items.filter(it => headingKey(it) === headingKey(first)) };
  return { level: 'line', items: [first] };
}

function describeStep({ level, items }: ReviewStep): readonly string[] {
  const [{ file, heading, text, memory }] = items as readonly [ImportedLine];
  if (level === 'line') {
    const { gate, store } = memory;
    return ['', `  ${neutralizeText(text).replaceAll('\n', '\n  ')}`, `  (${store} · ${gate}${careful(memory)})`];
  }
  if (level === 'heading') {
    const lines = items.slice(0, maxShown).map(it => `    - ${toLine(it.text)}${careful(it.memory)}`);
    return [
      '',
      `  ${neutralizeText(heading) || 'Without a heading'}: ${formatMemoryCount(items.length)}`,
      ...lines,
      ...more(items.length),
    ];
  }
  const countByHeading = new Map<string, number>();
  for (const it of items) countByHeading.set(it.heading, (countByHeading.get(it.heading) ?? 0) + 1);
  const headings = [...countByHeading].map(
    ([name, count]) =>
      `  ${String(count).padStart(4)}  ${name === '' ? `without a heading: ${toLine(items.find(it => it.heading === '')!.text)}` : toLine(name)}`,
  );
  const suspect = items.filter(it => careful(it.memory) !== '').length;
  return [
    '',
    `${neutralizeText(file)}: ${formatMemoryCount(items.length)}`,
    ...headings.slice(0, maxShown),
    ...more(headings.length),
    ...(suspect === 0
      ? []
      : [
          `  careful: ${pluralize(suspect, 'line')} ${suspect === 1 ? 'looks' : 'look'} as if written to steer an assistant`,
        ]),
  ];
}

function more(count: number): readonly string[] {
  return count > maxShown ? [`    and ${count - maxShown} more`] : [];
}

function careful({ content }: Memory): string {
  const marks = describeInstructionMarks(content);
  return marks === undefined ? '' : ` · careful: it ${marks}`;
}

function toLine(text: string): string {
  const line = neutralizeText(text).replaceAll(/\s+/gu, ' ');
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1)}…`;
}
