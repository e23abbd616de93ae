import { intakeChoices, isUndecided, type IntakeChoice } from '../../src/engine/model/intake.js';
import type { IntakeItemView } from '../../src/protocol.js';

/** Items that all show at first; of more, each file and heading is opened by the person. */
const maxOpenItems = 25;

/** A row of the review: a file or a heading with all that is below it, or one item. */
export interface ReviewRow {
  readonly id: string;
  /** From 1. */
  readonly level: number;
  /** The items that a choice decides about. */
  readonly items: readonly IntakeItemView[];
  /** Of a file or heading. */
  readonly group?: { readonly title: string; readonly isOpen: boolean };
}

/**
 * The rows that show: by file where there are several, by heading, and the lines of what is open.
 * @param toggled ids of groups that the person opened or closed
 */
export function reviewRows(items: readonly IntakeItemView[], toggled: ReadonlySet<string>): readonly ReviewRow[] {
  const isOpenAtFirst = items.length <= maxOpenItems;
  const toRow = (item: IntakeItemView, level: number): ReviewRow => ({ id: itemId(item), level, items: [item] });

  const rowsOfHeadings = (its: readonly IntakeItemView[], level: number, file: string): readonly ReviewRow[] =>
    [...groupBy(its, it => it.line?.heading ?? '')].flatMap(([title, lines]) =>
      title === ''
        ? lines.map(it => toRow(it, level))
        : rowsOfGroup(`${file}\n${title}`, { title, items: lines, level }, () => lines.map(it => toRow(it, level + 1))),
    );
  const rowsOfGroup = (
    id: string,
    { title, ...group }: { readonly title: string } & Pick<ReviewRow, 'items' | 'level'>,
    rowsBelow: () => readonly ReviewRow[],
  ): readonly ReviewRow[] => {
    const isOpen = isOpenAtFirst !== toggled.has(id);
    return [{ id, ...group, group: { title, isOpen } }, ...(isOpen ? rowsBelow() : [])];
  };

  const files = groupBy(items, it => it.line?.file ?? '');
  if (files.size < 2) return rowsOfHeadings(items, 1, '');
  return [...files].flatMap(([file, its]) =>
    rowsOfGroup(file, { title: file, items: its, level: 1 }, () => rowsOfHeadings(its, 2, file)),
  );
}

function groupBy(
  items: readonly IntakeItemView[],
  keyOf: (item: IntakeItemView) => string,
): ReadonlyMap<string, readonly IntakeItemView[]> {
  const groups = new Map<string, IntakeItemView[]>();
  for (const it of items) {
    const group = groups.get(keyOf(it));
    if (group === undefined) groups.set(keyOf(it), [it]);
    else group.push(it);
  }
  return groups;
}

export function itemId({ memory, candidate }: IntakeItemView): string {
  return memory?.id ?? candidate!.id;
}

/** The choice that an item shows; undefined for one that is undecided, or no longer in use for another reason. */
export function currentChoice({ memory }: IntakeItemView): IntakeChoice | undefined {
  if (memory === undefined || isUndecided(memory)) return undefined;
  if (memory.status === 'active') return 'keep';
  return memory.archiveReason === 'forgotten' ? 'drop' : undefined;
}

/** The choices that a person has about an item; none with a memory that is no longer in use for another reason. */
export function availableChoices(item: IntakeItemView): readonly IntakeChoice[] {
  const { memory } = item;
  if (memory === undefined) return intakeChoices;
  if (memory.status === 'active') return memory.store === 'project' ? intakeChoices : ['keep', 'drop'];
  return currentChoice(item) === 'drop' ? ['keep', 'drop'] : [];
}
