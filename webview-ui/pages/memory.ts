import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { maxTextLength, type MemoryCard, type MemoryPageView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { emptyState, failureNotice, icon, loadingIndicator, rememberButton } from '../components.js';
import { isComposing } from '../keyboard.js';
import { renderMemoryDetails, memoryMarks } from './memoryDetails.js';
import type { Page } from './page.js';

/** A change that was made on this page, and how it is taken back. */
interface Change {
  readonly id: string;
  readonly sentence: string;
  readonly undo: () => Promise<MemoryCard>;
}

/** The text that is being written over that of a memory. */
interface Draft {
  readonly id: string;
  /** The text that the edit began with. */
  readonly before: string;
  text: string;
}

/** The page of one memory: what it says and who said so, how sure it is, what belongs to it; edited in place. */
export class MemoryPage implements Page {
  private readonly detail: AsyncValue<MemoryPageView>;
  /** Of the last button: the memory as it is since. */
  private readonly change: AsyncValue<MemoryCard>;
  private lastChange: Change | undefined;
  private draft: Draft | undefined;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.detail = new AsyncValue(update);
    this.change = new AsyncValue(update);
  }

  open(id: string | undefined): void {
    if (id !== undefined && id !== this.app.state.memory) {
      this.detail.clear();
      this.change.clear();
      this.draft = undefined;
      this.lastChange = undefined;
      this.app.setState({ memory: id });
    }
    this.refresh();
  }

  readonly refresh = (): void => {
    const { connection, hasMemories, state } = this.app;
    if (state.memory !== undefined) void this.detail.load(connection.request('memory', { id: state.memory }));
    else void hasMemories.load(connection.request('hasMemories', undefined));
  };

  view(): unknown {
    const { value, failure } = this.detail;
    const { state, hasMemories } = this.app;
    const choose = html`<vscode-button secondary @click=${this.chooseMemory}
      >${l10n.t('Choose Memory…')}</vscode-button
    >`;
    if (state.memory === undefined) {
      if (hasMemories.value === undefined) return loadingIndicator();
      return hasMemories.value
        ? emptyState(
            'note',
            l10n.t('One memory, with all there is to it'),
            l10n.t('Choose a memory to read who said it and when, how sure it is, and what belongs to it.'),
            choose,
          )
        : emptyState(
            'note',
            l10n.t('Nothing is remembered yet'),
            l10n.t('Each memory has a page: who said it and when, how sure it is, and what belongs to it.'),
            rememberButton(this.app),
          );
    }
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}${choose}</div>`;
    if (value === undefined) return loadingIndicator();
    return html`<article class="memory-page">
      ${this.renderHead(value, choose)} ${this.renderNotices(value)} ${renderMemoryDetails(this.app, value)}
    </article>`;
  }

  private renderHead({ memory }: MemoryPageView, choose: unknown): unknown {
    const draft = this.draft?.id === memory.id ? this.draft : undefined;
    const canEdit = memory.status === 'active' && memory.provenance.source !== 'code-index';
    return html`<header class="memory-head">
      ${draft === undefined ? html`<h1 class="content">${memory.content}</h1>` : this.renderEditor(draft)}
      <p class="facts">${memoryMarks(this.app, memory).join(' · ')}</p>
      ${
        draft !== undefined
          ? nothing
          : html`<div class="buttons">
              ${
                canEdit
                  ? html`<vscode-button
                      id="edit-text"
                      secondary
                      @click=${() => {
                        this.startEdit(memory);
                      }}
                      >${l10n.t('Edit Text')}</vscode-button
                    >`
                  : nothing
              }
              ${
                memory.status === 'active'
                  ? html`<vscode-button
                      secondary
                      @click=${() => {
                        this.togglePin(memory);
                      }}
                      >${memory.pinned ? l10n.t('Unpin') : l10n.t('Pin')}</vscode-button
                    >`
                  : nothing
              }
              ${choose}
            </div>`
      }
    </header>`;
  }

  private renderEditor(draft: Draft): unknown {
    return html`<form
      class="editor"
      @submit=${(event: Event) => {
        event.preventDefault();
        this.saveEdit();
      }}
      @keydown=${this.onEditorKeyDown}
    >
      <label for="memory-text">${l10n.t('Text of the memory')}</label>
      <textarea
        id="memory-text"
        rows="4"
        maxlength=${maxTextLength}
        .value=${draft.text}
        @input=${(event: Event) => {
          draft.text = (event.target as HTMLTextAreaElement).value;
        }}
      ></textarea>
      <p class="hint">${l10n.t('It is your word from then on. Ctrl+Enter saves, Escape leaves it as it was.')}</p>
      <div class="buttons">
        <vscode-button @click=${this.saveEdit}>${l10n.t('Save')}</vscode-button>
        <vscode-button secondary @click=${this.cancelEdit}>${l10n.t('Cancel')}</vscode-button>
      </div>
    </form>`;
  }

  private renderNotices({ memory, replacement }: MemoryPageView): unknown {
    const { change, lastChange } = this;
    const { formatter } = this.app;
    return html`${
      change.failure === undefined
        ? nothing
        : html`<div class="notice error" role="alert">${icon('error')}<span>${change.failure}</span></div>`
    }
    ${
      lastChange?.id !== memory.id
        ? nothing
        : html`<div class="notice">
            ${icon('check')}<span>${lastChange.sentence}</span>
            <button class="link" aria-disabled=${change.loading} @click=${this.undo}>${l10n.t('Undo')}</button>
          </div>`
    }
    ${
      replacement === undefined
        ? nothing
        : html`<div class="notice warning">
            ${icon('warning')}<span
              >${
                replacement.by === 'person'
                  ? l10n.t('A person said on {0} that another memory replaces it.', formatter.date(replacement.at))
                  : l10n.t('An assistant said on {0} that another memory replaces it.', formatter.date(replacement.at))
              }
              <button
                class="link"
                @click=${() => {
                  this.app.navigate({ page: 'memory', id: replacement.memory.id });
                }}
              >
                ${replacement.memory.summary}
              </button></span
            >
          </div>`
    }`;
  }

  private startEdit({ id, content }: MemoryCard): void {
    this.draft = { id, before: content, text: content };
    this.change.clear();
    this.app.scheduleRender();
    focusLater('memory-text');
  }

  private readonly onEditorKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') this.cancelEdit();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      if (!event.repeat) this.saveEdit();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly cancelEdit = (): void => {
    this.draft = undefined;
    this.change.clear();
    this.app.scheduleRender();
    focusLater('edit-text');
  };

  private readonly saveEdit = (): void => {
    const { draft } = this;
    const memory = this.detail.value?.memory;
    if (draft === undefined || memory === undefined || this.change.loading) return;
    const { id, before, text } = draft;
    if (text.trim() === before) {
      this.cancelEdit();
      return;
    }
    const { lane, expiresAt } = memory;
    const restore = { lane, ...(expiresAt === undefined ? {} : { expiresAt }) };
    const { connection } = this.app;
    void this.apply(connection.request('editText', { id, edit: { content: text, before } }), edited => ({
      id,
      sentence: l10n.t('The text is changed.'),
      undo: () => connection.request('editText', { id, edit: { content: before, before: edited.content, restore } }),
    })).then(isDone => {
      if (!isDone) return;
      this.draft = undefined;
      this.app.scheduleRender();
      focusLater('edit-text');
    });
  };

  private togglePin({ id, pinned }: MemoryCard): void {
    const { connection } = this.app;
    void this.apply(connection.request(pinned ? 'unpin' : 'pin', { id }), () => ({
      id,
      sentence: pinned ? l10n.t('It is no longer pinned.') : l10n.t('It is pinned, and does not fade.'),
      undo: () => connection.request(pinned ? 'pin' : 'unpin', { id }),
    }));
  }

  private readonly undo = (): void => {
    const { lastChange } = this;
    if (lastChange === undefined || this.change.loading) return;
    void this.apply(lastChange.undo(), () => undefined).then(isDone => {
      if (isDone) this.app.announce(l10n.t('It is as it was.'));
    });
  };

  /** Waits for a change and shows it with its undo, or why it failed. @returns whether it was made */
  private async apply(
    request: Promise<MemoryCard>,
    changeOf: (memory: MemoryCard) => Change | undefined,
  ): Promise<boolean> {
    await this.change.load(request);
    const { value, failure } = this.change;
    if (failure !== undefined || value === undefined) return false;
    this.lastChange = changeOf(value);
    if (this.lastChange !== undefined) this.app.announce(this.lastChange.sentence);
    this.refresh();
    return true;
  }

  private readonly chooseMemory = (): void => {
    void this.app.connection
      .request('pickMemory', {})
      .then(id => {
        if (id !== undefined) this.open(id);
      })
      .catch(() => undefined);
  };
}

/** Focuses an element that the next frame renders. */
function focusLater(id: string): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      document.getElementById(id)?.focus();
    });
  });
}
