import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { ImportedLine, IntakeChoice } from '../../engine/model/intake.js';
import type { PastImport } from '../../engine/model/importReport.js';
import { describeInstructionMarks } from '../../engine/model/instructionMarks.js';
import { commandIds } from '../contributions.js';
import { countLabel } from '../l10n/labels.js';
import { toPlainMessage } from '../ui/markdown.js';
import type { CommandRegistry } from './commandRegistry.js';

/** The open part of an import: all its files, a file, or a heading of it. */
interface ReviewPlace {
  readonly file?: string;
  readonly heading?: string;
}

/** A row: the lines that one choice decides about. */
interface ReviewRow extends vscode.QuickPickItem {
  readonly lines: readonly ImportedLine[];
  /** The place that it opens; absent for a single line. */
  readonly opens?: ReviewPlace;
}

type ReviewAnswer =
  | { readonly do: IntakeChoice; readonly lines: readonly ImportedLine[] }
  | { readonly do: 'open'; readonly row: ReviewRow }
  | { readonly do: 'back' }
  | { readonly do: 'undo' };

/** One choice that was carried out. */
interface ReviewChoice {
  readonly choice: IntakeChoice;
  readonly ids: readonly string[];
  /** Its time, by which it is undone. */
  readonly at: string;
}

const keepIcon = new vscode.ThemeIcon('check');
const dropIcon = new vscode.ThemeIcon('trash');

/**
 * Goes through what an import brought in, by file, heading and line, in quick picks. Each choice is carried out at once, so that
 * leaving keeps what was decided: what was kept is confirmed, what was dropped is forgotten, and the rest comes again.
 */
export async function reviewImportedLines(
  commands: CommandRegistry,
  engine: MemoryEngine,
  found: PastImport,
): Promise<void> {
  const made: ReviewChoice[] = [];
  let place: ReviewPlace = {};
  let left = await engine.intakes.undecidedLines(found.id);
  while (left.length > 0) {
    // A file or heading that is decided is left.
    if (linesAt(left, place).length === 0) {
      place = placeAbove(place);
      continue;
    }
    const answer = await askAt(found, place, left);
    if (answer === undefined) break;
    if ('lines' in answer) await decide(engine, found.id, answer.do, answer.lines, made);
    else if (answer.do === 'back') place = placeAbove(place);
    else if (answer.do === 'undo') await undoLast(engine, found.id, made);
    else {
      const choice = answer.row.opens === undefined ? await askLine(answer.row) : await askRow(answer.row);
      if (choice === 'open') place = answer.row.opens!;
      else if (choice !== undefined) await decide(engine, found.id, choice, answer.row.lines, made);
    }
    left = await engine.intakes.undecidedLines(found.id);
  }
  if (made.length > 0)
    commands.recordChange(commandIds.import, engine, {
      name: 'reviewed',
      ids: made.flatMap(it => it.ids),
      steps: made.toReversed().map(({ at }) => ({ do: 'undoReview', intake: found.id, at })),
    });
  const countOf = (choice: IntakeChoice): string =>
    countLabel(made.flatMap(it => (it.choice === choice ? it.ids : [])).length, 'memory');
  const message = vscode.l10n.t(
    'Import of {0}: {1} kept, {2} forgotten, {3} undecided.',
    found.source,
    countOf('keep'),
    countOf('drop'),
    countLabel(left.length, 'memory'),
  );
  commands.notify(commandIds.import, { message });
}

async function decide(
  { intakes }: MemoryEngine,
  id: string,
  choice: IntakeChoice,
  lines: readonly ImportedLine[],
  made: ReviewChoice[],
): Promise<void> {
  const ids = lines.map(it => it.memory.id);
  const { at } = await intakes.decide(id, Object.fromEntries(ids.map(it => [it, choice])));
  made.push({ choice, ids, at });
}

async function undoLast({ intakes }: MemoryEngine, id: string, made: ReviewChoice[]): Promise<void> {
  try {
    await intakes.undo(id);
    made.pop();
  } catch (error) {
    // There is nothing to take back.
    if (!EngineError.is(error, 'notFound')) throw error;
  }
}

/** @returns undefined where the person leaves the review */
function askAt(
  { source }: PastImport,
  place: ReviewPlace,
  left: readonly ImportedLine[],
): Promise<ReviewAnswer | undefined> {
  const keep = { iconPath: keepIcon, tooltip: vscode.l10n.t('Keep') };
  const drop = { iconPath: dropIcon, tooltip: vscode.l10n.t('Forget') };
  const undo = { iconPath: new vscode.ThemeIcon('discard'), tooltip: vscode.l10n.t('Undo the Last Choice') };
  const pick = vscode.window.createQuickPick<ReviewRow>();
  pick.title = [source, place.file, place.heading].filter(it => it !== undefined && it !== '').join(' › ');
  pick.placeholder = vscode.l10n.t('{0} undecided. Enter: keep, forget or open', countLabel(left.length, 'memory'));
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.buttons = [...(place.file === undefined ? [] : [vscode.QuickInputButtons.Back]), undo];
  pick.items = rowsAt(left, place).map(it => ({ ...it, buttons: [keep, drop] }));
  return new Promise(resolve => {
    const answer = (value: ReviewAnswer | undefined): void => {
      resolve(value);
      pick.dispose();
    };
    pick.onDidTriggerButton(it => {
      answer({ do: it === undo ? 'undo' : 'back' });
    });
    pick.onDidTriggerItemButton(({ item, button }) => {
      answer({ do: button === keep ? 'keep' : 'drop', lines: item.lines });
    });
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      if (row !== undefined) answer({ do: 'open', row });
    });
    pick.onDidHide(() => {
      answer(undefined);
    });
    pick.show();
  });
}

async function askRow({ label, lines, opens }: ReviewRow): Promise<'keep' | 'drop' | 'open' | undefined> {
  const count = countLabel(lines.length, 'memory');
  const open = opens?.heading === undefined ? vscode.l10n.t('Heading by Heading…') : vscode.l10n.t('Line by Line…');
  const choices = [
    { label: vscode.l10n.t('Keep All'), description: count, choice: 'keep' },
    { label: vscode.l10n.t('Forget All'), description: count, choice: 'drop' },
    { label: open, choice: 'open' },
  ] as const;
  return (await vscode.window.showQuickPick(choices, { title: label, ignoreFocusOut: true }))?.choice;
}

async function askLine({ label, lines: [line] }: ReviewRow): Promise<'keep' | 'drop' | undefined> {
  const choices = [
    { label: vscode.l10n.t('Keep'), choice: 'keep' },
    { label: vscode.l10n.t('Forget'), choice: 'drop' },
  ] as const;
  const placeHolder = line === undefined ? label : line.text;
  return (await vscode.window.showQuickPick(choices, { title: label, placeHolder, ignoreFocusOut: true }))?.choice;
}

/** The place that a place lies in. */
export function placeAbove({ file, heading }: ReviewPlace): ReviewPlace {
  return heading === undefined || file === undefined ? {} : { file };
}

function linesAt(left: readonly ImportedLine[], { file, heading }: ReviewPlace): readonly ImportedLine[] {
  return left.filter(
    it => (file === undefined || it.file === file) && (heading === undefined || it.heading === heading),
  );
}

/** Files of an import, headings of a file, or lines of a heading, each with what one choice decides about. */
function rowsAt(left: readonly ImportedLine[], place: ReviewPlace): readonly ReviewRow[] {
  const lines = linesAt(left, place);
  if (place.heading !== undefined) return lines.map(toLineRow);
  const groups = new Map<string, ImportedLine[]>();
  for (const it of lines) {
    const key = place.file === undefined ? it.file : it.heading;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(it);
  }
  return Array.from(groups, ([key, group]): ReviewRow => {
    const careful = group.filter(it => describeInstructionMarks(it.memory.content) !== undefined).length;
    return {
      label: key === '' ? vscode.l10n.t('Without a heading') : key,
      description: [
        countLabel(group.length, 'memory'),
        ...(careful === 0 ? [] : [vscode.l10n.t('{0} to look at with care', careful)]),
      ].join(' · '),
      detail: group.map(it => toOneLine(it.text)).join(' · '),
      lines: group,
      opens: place.file === undefined ? { file: key } : { file: place.file, heading: key },
    };
  });
}

function toLineRow(line: ImportedLine): ReviewRow {
  const isCareful = describeInstructionMarks(line.memory.content) !== undefined;
  return {
    label: `${isCareful ? '$(warning) ' : ''}${toOneLine(line.text)}`,
    ...(isCareful ? { description: vscode.l10n.t('it may be there to steer an assistant') } : {}),
    lines: [line],
  };
}

function toOneLine(text: string): string {
  return toPlainMessage(text.replaceAll(/\s+/gu, ' ').trim());
}
