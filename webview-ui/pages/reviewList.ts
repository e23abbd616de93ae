import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { findInstructionMarks } from '../../src/engine/model/instructionMarks.js';
import { intakeChoices, type IntakeChoice } from '../../src/engine/model/intake.js';
import type { IntakeItemView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { icon } from '../components.js';
import { memoryMarks } from './memoryDetails.js';

const keyOfChoice: Readonly<Record<IntakeChoice, string>> = { keep: 'k', drop: 'd', global: 'g' };
/** Rows that PageUp and PageDown pass over. */
const rowsPerJump = 10;

export function itemId({ memory, candidate }: IntakeItemView): string {
  return memory?.id ?? candidate!.id;
}

/** What has become of an item; undefined for one that is undecided, or no longer in use for another reason. */
export function currentChoice({ memory }: IntakeItemView): IntakeChoice | undefined {
  if (memory === undefined) return undefined;
  if (memory.status === 'active') return 'keep';
  return memory.archiveReason === 'forgotten' ? 'drop' : undefined;
}

/** What a person can do with an item; nothing with a memory that is no longer in use for another reason. */
export function availableChoices(item: IntakeItemView): readonly IntakeChoice[] {
  if (item.memory === undefined) return intakeChoices;
  if (currentChoice(item) === undefined) return [];
  return item.memory.store === 'project' && item.memory.status === 'active' ? intakeChoices : ['keep', 'drop'];
}

/** The items of an intake, each with what is to be done: one stop of the Tab key, and keys of its own. */
export class ReviewList {
  /** Of the row that has the focus, or had it last. */
  private index = 0;
  private items: readonly IntakeItemView[] = [];

  constructor(
    private readonly app: App,
    private readonly onChoose: (items: readonly IntakeItemView[], choice: IntakeChoice) => void,
  ) {}

  reset(): void {
    this.index = 0;
  }

  /** Focuses the row that had the focus last, in the next frame. */
  focus(): void {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        this.focusRow(this.index);
      });
    });
  }

  /** What the keys do. */
  renderKeys(items: readonly IntakeItemView[]): unknown {
    const hasPages = items.some(it => it.memory !== undefined);
    const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
      [['↑', '↓'], l10n.t('go through them')],
      [['K'], l10n.t('keep')],
      [['D'], l10n.t('forget')],
      [['G'], l10n.t('to the global memory')],
      [['Shift', 'K D G'], l10n.t('all that show')],
      ...(hasPages ? [[['Enter'], l10n.t('open its page')] as const] : []),
      [['Ctrl', 'Enter'], l10n.t('apply')],
      [['Ctrl', 'Z'], l10n.t('undo')],
      [['Ctrl', 'Shift', 'Z'], l10n.t('redo a choice')],
    ];
    return html`<p id="review-keys" class="keys">
      ${keys.map(([names, what]) => html`<span>${names.map(it => html`<kbd>${it}</kbd> `)}${what}</span> `)}
    </p>`;
  }

  render(items: readonly IntakeItemView[]): unknown {
    this.items = items;
    this.index = Math.min(this.index, items.length - 1);
    return html`<div
      class="review-list"
      role="grid"
      aria-label=${l10n.t('What came in')}
      aria-describedby="review-keys"
      @keydown=${this.onKeyDown}
    >
      ${repeat(items, itemId, (it, i) => this.renderRow(it, i))}
    </div>`;
  }

  private renderRow(item: IntakeItemView, index: number): unknown {
    const { memory, candidate } = item;
    const content = memory?.content ?? candidate!.content;
    const facts = this.factsOf(item);
    const choice = this.choiceOf(item);
    const label = [choice === undefined ? l10n.t('undecided') : choiceLabels()[choice], content, ...facts].join(', ');
    return html`<div
      role="row"
      id="item-${itemId(item)}"
      class="review-row ${choice ?? ''} ${choice === currentChoice(item) ? '' : 'changed'}"
      tabindex=${index === this.index ? 0 : -1}
      aria-label=${label}
      @focus=${() => {
        this.moveTo(index);
      }}
    >
      <div role="gridcell" class="review-choices">
        ${availableChoices(item).map(it => this.renderChoice(item, it, index))}
        ${availableChoices(item).length === 0 ? html`<span class="facts">${l10n.t('no longer in use')}</span>` : nothing}
      </div>
      <div role="gridcell" class="review-item">
        <p class="content">${content}</p>
        ${candidate?.said === undefined ? nothing : html`<p class="facts">${l10n.t('in: {0}', candidate.said)}</p>`}
        <p class="facts">${facts.join(' · ')}</p>
      </div>
    </div>`;
  }

  private renderChoice(item: IntakeItemView, choice: IntakeChoice, index: number): unknown {
    const isChosen = this.choiceOf(item) === choice;
    return html`<button
      class="review-choice"
      tabindex="-1"
      title=${choiceHints()[choice]}
      aria-pressed=${isChosen}
      @click=${() => {
        this.onChoose([item], choice);
        this.focusRow(index);
      }}
    >
      ${isChosen ? icon('check') : nothing}${choiceLabels()[choice]}
    </button>`;
  }

  /** What it is, where it is kept and where it is from. */
  private factsOf({ memory, candidate }: IntakeItemView): readonly string[] {
    const { labels, formatter } = this.app;
    const isCareful = findInstructionMarks(memory?.content ?? candidate!.content).length > 0;
    const careful = isCareful ? [l10n.t('looks like an instruction')] : [];
    if (memory === undefined) {
      const { at, branch } = candidate;
      return [
        ...careful,
        ...(at === undefined ? [] : [l10n.t('said on {0}', formatter.date(at))]),
        ...(branch === undefined ? [] : [l10n.t('branch {0}', branch)]),
      ];
    }
    const { source, file, session } = memory.provenance;
    return [
      ...careful,
      ...memoryMarks(this.app, memory),
      labels.store[memory.store],
      file ?? labels.source[source],
      ...(session === undefined ? [] : [l10n.t('said on {0}', formatter.date(memory.createdAt))]),
    ];
  }

  private choiceOf(item: IntakeItemView): IntakeChoice | undefined {
    return this.app.state.review.choices[itemId(item)] ?? currentChoice(item);
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.items.length - 1;
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
    const item = this.items[this.index];
    const opened = event.key === 'Enter' && isRow(event.target) ? item?.memory : undefined;
    if (next !== undefined) this.focusRow(next);
    else if (item === undefined || (choice === undefined && opened === undefined)) return;
    // A key that is held down goes through the rows, and decides about one alone.
    else if (!event.repeat) {
      if (choice !== undefined) this.chooseByKey(item, choice, event.shiftKey);
      else if (opened !== undefined) this.app.navigate({ page: 'memories', id: opened.id });
    }
    event.preventDefault();
    event.stopPropagation();
  };

  private chooseByKey(item: IntakeItemView, choice: IntakeChoice, isForAll: boolean): void {
    const label = choiceLabels()[choice];
    if (isForAll) {
      this.onChoose(this.items, choice);
      this.app.announce(l10n.t('{0}: all that show', label));
    } else if (availableChoices(item).includes(choice)) {
      this.onChoose([item], choice);
      // The next row says itself; what was chosen is said before it.
      this.app.announce(label);
      this.focusRow(Math.min(this.items.length - 1, this.index + 1));
    } else this.app.announce(l10n.t('That cannot be chosen here.'));
  }

  private focusRow(index: number): void {
    const item = this.items[index];
    if (item === undefined) return;
    this.moveTo(index);
    document.getElementById(`item-${itemId(item)}`)?.focus();
  }

  private moveTo(index: number): void {
    if (index === this.index) return;
    this.index = index;
    this.app.scheduleRender();
  }
}

function isRow(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.getAttribute('role') === 'row';
}

function choiceLabels(): Readonly<Record<IntakeChoice, string>> {
  return { keep: l10n.t('Keep'), drop: l10n.t('Forget'), global: l10n.t('Global') };
}

function choiceHints(): Readonly<Record<IntakeChoice, string>> {
  return {
    keep: l10n.t('Keep (K)'),
    drop: l10n.t('Forget (D)'),
    global: l10n.t('Move to the global memory, which every project reads (G)'),
  };
}
