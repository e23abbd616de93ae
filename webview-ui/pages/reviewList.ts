import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { findInstructionMarks } from '../../src/engine/model/instructionMarks.js';
import { intakeChoices, type IntakeChoice } from '../../src/engine/model/intake.js';
import type { IntakeItemView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { icon } from '../components.js';
import { availableChoices, reviewRows, type ReviewRow } from './reviewRows.js';

const keyOfChoice: Readonly<Record<IntakeChoice, string>> = { keep: 'k', drop: 'd', global: 'g' };
const iconOfChoice: Readonly<Record<IntakeChoice, string>> = { keep: 'check', drop: 'trash', global: 'globe' };
/** Rows that PageUp and PageDown pass over. */
const rowsPerJump = 10;
/** Rows that show at first, and with each "Show more". */
const rowsPerPage = 200;

export interface ReviewListActions {
  /** The choice about an item, made or being carried out; undefined for none. */
  choiceOf(item: IntakeItemView): IntakeChoice | undefined;
  choose(items: readonly IntakeItemView[], choice: IntakeChoice): void;
}

/** The items of an intake by file and heading, each with what can be done: one stop of the Tab key, and keys of its own. */
export class ReviewList {
  /** Of the row that has the focus, or had it last. */
  private index = 0;
  private rows: readonly ReviewRow[] = [];
  private items: readonly IntakeItemView[] = [];
  private toggled: ReadonlySet<string> = new Set();
  private maxRows = rowsPerPage;

  constructor(
    private readonly app: PageHost,
    private readonly actions: ReviewListActions,
  ) {}

  reset(): void {
    this.index = 0;
    this.toggled = new Set();
    this.maxRows = rowsPerPage;
  }

  /** Focuses the row that had the focus last, in the next frame. */
  focus(): void {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        this.focusRow(this.index);
      });
    });
  }

  render(items: readonly IntakeItemView[]): unknown {
    this.items = items;
    const more = this.updateRows();
    return html`${this.renderKeys(items)}
      <div
        class="review-list"
        role="treegrid"
        aria-label=${l10n.t('What came in')}
        aria-describedby="review-keys"
        @keydown=${this.onKeyDown}
      >
        ${repeat(
          this.rows,
          it => it.id,
          (it, i) => this.renderRow(it, i),
        )}
      </div>
      ${
        more > 0
          ? html`<button class="link more" @click=${this.showMore}>
              ${l10n.t('Show {0} more', this.app.formatter.number(Math.min(more, rowsPerPage)))}
            </button>`
          : nothing
      }`;
  }

  /** What the keys do. */
  private renderKeys(items: readonly IntakeItemView[]): unknown {
    const hasPages = items.some(it => it.memory !== undefined);
    const hasGroups = this.rows.some(it => it.group !== undefined);
    const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
      [['K'], l10n.t('keep')],
      [['D'], l10n.t('forget')],
      [['G'], l10n.t('keep for all projects')],
      [['Shift', 'K D G'], l10n.t('all of them')],
      ...(hasGroups ? [[['→', '←'], l10n.t('open and close')] as const] : []),
      ...(hasPages ? [[['Enter'], l10n.t('open its page')] as const] : []),
      [['Ctrl', 'Z'], l10n.t('undo')],
    ];
    return html`<p id="review-keys" class="keys">
      ${keys.map(([names, what]) => html`<span>${names.map(it => html`<kbd>${it}</kbd> `)}${what}</span> `)}
    </p>`;
  }

  /** Brings the rows up to date, at once, as keys may come faster than they are drawn. @returns how many do not show */
  private updateRows(): number {
    const rows = reviewRows(this.items, this.toggled);
    const current = this.rows[this.index]?.id;
    this.rows = rows.slice(0, this.maxRows);
    const index = this.rows.findIndex(it => it.id === current);
    this.index = index >= 0 ? index : Math.max(0, Math.min(this.index, this.rows.length - 1));
    return rows.length - this.rows.length;
  }

  private renderRow(row: ReviewRow, index: number): unknown {
    const { group } = row;
    const choice = this.choiceOf(row);
    const facts = group === undefined ? this.factsOf(row.items[0]!) : this.groupFactsOf(row);
    const text = group?.title ?? textOf(row.items[0]!);
    const label = [choice === undefined ? l10n.t('undecided') : doneLabels()[choice], text, ...facts].join(', ');
    return html`<div
      role="row"
      id=${rowId(row)}
      class="review-row ${choice ?? ''} ${group === undefined ? '' : 'group'}"
      tabindex=${index === this.index ? 0 : -1}
      aria-level=${row.level}
      aria-expanded=${group?.isOpen ?? nothing}
      aria-label=${label}
      @focus=${() => {
        // It may have another place than when it was drawn.
        this.moveTo(this.rows.findIndex(it => it.id === row.id));
      }}
    >
      <div
        role="gridcell"
        class="review-item"
        @click=${() => {
          this.focusRow(index);
          if (group !== undefined) this.toggle(row);
        }}
      >
        ${group === undefined ? nothing : icon(group.isOpen ? 'chevron-down' : 'chevron-right')}
        <div>
          <p class="content">${text}</p>
          ${row.items[0]?.candidate?.said === undefined ? nothing : html`<p class="facts">${l10n.t('in: {0}', row.items[0].candidate.said)}</p>`}
          ${facts.length === 0 ? nothing : html`<p class="facts">${facts.join(' · ')}</p>`}
        </div>
      </div>
      <div role="gridcell" class="review-choices">
        ${availableIn(row).map(it => this.renderChoice(row, it, index))}
        ${availableIn(row).length === 0 ? html`<span class="facts">${l10n.t('no longer in use')}</span>` : nothing}
      </div>
    </div>`;
  }

  private renderChoice(row: ReviewRow, choice: IntakeChoice, index: number): unknown {
    return html`<button
      class="icon-button ${choice}"
      tabindex="-1"
      title=${choiceHints()[choice]}
      aria-label=${choiceLabels()[choice]}
      aria-pressed=${this.choiceOf(row) === choice}
      @click=${() => {
        this.actions.choose(row.items, choice);
        this.focusRow(index);
      }}
    >
      ${icon(iconOfChoice[choice])}
    </button>`;
  }

  /** What helps to decide about a line, besides its text. */
  private factsOf(item: IntakeItemView): readonly string[] {
    const { memory, candidate } = item;
    const { formatter } = this.app;
    const said = (day: string): string => l10n.t('said on {0}', formatter.date(day));
    const careful = isCareful(item) ? [l10n.t('looks like an instruction')] : [];
    if (memory === undefined) {
      const { at, branch } = candidate;
      return [
        ...careful,
        ...(at === undefined ? [] : [said(at)]),
        ...(branch === undefined ? [] : [l10n.t('branch {0}', branch)]),
      ];
    }
    return [
      ...careful,
      ...(memory.store === 'global' ? [l10n.t('for all projects')] : []),
      ...(memory.provenance.session === undefined ? [] : [said(memory.createdAt)]),
    ];
  }

  /** How many lines a file or heading has, and what was decided about them. */
  private groupFactsOf({ items }: ReviewRow): readonly string[] {
    const { formatter } = this.app;
    const count = (choices: readonly (IntakeChoice | undefined)[]): number =>
      items.filter(it => choices.includes(this.actions.choiceOf(it))).length;
    const [kept, dropped, careful] = [count(['keep', 'global']), count(['drop']), items.filter(isCareful).length];
    return [
      formatter.memoryCount(items.length),
      ...(kept > 0 ? [l10n.t('{0} kept', formatter.number(kept))] : []),
      ...(dropped > 0 ? [l10n.t('{0} forgotten', formatter.number(dropped))] : []),
      ...(careful > 0 ? [l10n.t('looks like an instruction: {0}', formatter.number(careful))] : []),
    ];
  }

  /** What was chosen about all of a row. */
  private choiceOf({ items }: ReviewRow): IntakeChoice | undefined {
    const choices = new Set(items.map(it => this.actions.choiceOf(it)));
    return choices.size === 1 ? [...choices][0] : undefined;
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.rows.length - 1;
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(last, this.index + 1),
      ArrowUp: Math.max(0, this.index - 1),
      PageDown: Math.min(last, this.index + rowsPerJump),
      PageUp: Math.max(0, this.index - rowsPerJump),
      Home: 0,
      End: last,
    };
    const next = nextIndexByKey[event.key];
    const choice = intakeChoices.find(it => keyOfChoice[it] === event.key.toLowerCase());
    const row = this.rows[this.index];
    if (next !== undefined) this.focusRow(next);
    else if (row === undefined) return;
    else if (choice !== undefined) {
      // A key that is held down goes through the rows, and decides about one alone.
      if (!event.repeat) this.chooseByKey(row, choice, event.shiftKey);
    } else if (!this.openByKey(row, event)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** @returns whether the key is one that opens or closes */
  private openByKey(row: ReviewRow, { key, repeat, target }: KeyboardEvent): boolean {
    const { group, items, level } = row;
    if (key === 'Enter' && isRow(target)) {
      if (repeat) return true;
      const { memory } = items[0]!;
      if (group !== undefined) this.toggle(row);
      else if (memory !== undefined) this.app.navigate({ page: 'memories', id: memory.id });
      return true;
    }
    if (key !== 'ArrowRight' && key !== 'ArrowLeft') return false;
    if (group?.isOpen === (key === 'ArrowLeft')) this.toggle(row);
    else if (key === 'ArrowLeft') {
      const above = this.rows.findLastIndex((it, i) => i < this.index && it.level < level);
      if (above >= 0) this.focusRow(above);
    }
    return true;
  }

  private toggle({ id }: ReviewRow): void {
    this.toggled = this.toggled.has(id)
      ? new Set([...this.toggled].filter(it => it !== id))
      : new Set([...this.toggled, id]);
    this.updateRows();
    this.app.scheduleRender();
  }

  private readonly showMore = (): void => {
    this.maxRows += rowsPerPage;
    this.app.scheduleRender();
  };

  private chooseByKey(row: ReviewRow, choice: IntakeChoice, isForAll: boolean): void {
    const label = choiceLabels()[choice];
    if (isForAll) {
      this.actions.choose(this.items, choice);
      this.app.announce(l10n.t('{0}: all of them', label));
    } else if (availableIn(row).includes(choice)) {
      this.actions.choose(row.items, choice);
      // The next row says itself; what was chosen is said before it.
      this.app.announce(label);
      const next = this.rows.findIndex((it, i) => i > this.index && it.level <= row.level);
      if (row.group === undefined) this.focusRow(Math.min(this.rows.length - 1, this.index + 1));
      else if (next >= 0) this.focusRow(next);
    } else this.app.announce(l10n.t('That cannot be chosen here.'));
  }

  private focusRow(index: number): void {
    const row = this.rows[index];
    if (row === undefined) return;
    this.moveTo(index);
    const element = document.getElementById(rowId(row));
    if (element !== null) element.focus();
    // It is drawn in the next frame, unless a key has gone on by then.
    else
      requestAnimationFrame(() => {
        if (this.rows[this.index]?.id === row.id) document.getElementById(rowId(row))?.focus();
      });
  }

  private moveTo(index: number): void {
    if (index < 0 || index === this.index) return;
    this.index = index;
    this.app.scheduleRender();
  }
}

function rowId({ id }: ReviewRow): string {
  return `item-${encodeURIComponent(id)}`;
}

function textOf({ memory, line, candidate }: IntakeItemView): string {
  return memory === undefined ? candidate.content : (line?.text ?? memory.content);
}

function isCareful({ memory, candidate }: IntakeItemView): boolean {
  return findInstructionMarks(memory?.content ?? candidate!.content).length > 0;
}

/** What can be chosen about any item of a row. */
function availableIn({ items }: ReviewRow): readonly IntakeChoice[] {
  return intakeChoices.filter(choice => items.some(it => availableChoices(it).includes(choice)));
}

function isRow(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.getAttribute('role') === 'row';
}

function choiceLabels(): Readonly<Record<IntakeChoice, string>> {
  return { keep: l10n.t('Keep'), drop: l10n.t('Forget'), global: l10n.t('For All Projects') };
}

function doneLabels(): Readonly<Record<IntakeChoice, string>> {
  return { keep: l10n.t('kept'), drop: l10n.t('forgotten'), global: l10n.t('kept for all projects') };
}

function choiceHints(): Readonly<Record<IntakeChoice, string>> {
  return {
    keep: l10n.t('Keep (K)'),
    drop: l10n.t('Forget (D)'),
    global: l10n.t('Keep for all projects (G)'),
  };
}
