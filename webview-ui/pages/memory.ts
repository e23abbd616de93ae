import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { ConflictResolution } from '../../src/engine/model/conflict.js';
import { maxTextLength, type Draft, type MemoryCard, type MemoryPageView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator } from '../components.js';
import { withDraft } from '../inspectorState.js';
import { isComposing } from '../keyboard.js';
import { LastChange, type Change } from '../lastChange.js';
import { isOpenConflict, renderMemoryDetails } from './memoryDetails.js';
import { memoryStory } from './memoryStory.js';

/** One memory: what it says, one sentence of its story, what a person can do with it, and its details behind a fold. */
export class MemoryDetail {
  private readonly detail: AsyncValue<MemoryPageView>;
  private readonly change: LastChange;
  /** Id of the memory whose draft the page has opened since the memory shows. */
  private begunId: string | undefined;
  /** Explains that the draft is an earlier one; undefined for a new one. */
  private resumedSentence: string | undefined;
  /** State of the memory after the last change of this page; undefined until it is loaded. */
  private stateAfterChange: string | undefined;
  /** Id of the memory whose text opens to be edited once it is loaded. */
  private editWanted: string | undefined;

  /** @param onChanged called after a change of this page, which other lists show too */
  constructor(
    private readonly app: PageHost,
    private readonly onChanged: () => void,
  ) {
    this.detail = new AsyncValue(() => {
      app.scheduleRender();
    });
    this.change = new LastChange(app, () => {
      this.stateAfterChange = undefined;
      this.refresh();
      this.onChanged();
    });
  }

  /** Shows another memory, or this one again. @param isEdit opens its text to be edited, once it is there */
  show(id: string, isEdit = false): void {
    if (id !== this.app.state.memory || this.detail.value?.memory.id !== id) {
      this.detail.clear();
      this.change.clear();
      this.leaveDraft();
      this.app.setState({ memory: id });
    }
    this.editWanted = isEdit ? id : undefined;
    this.refresh();
  }

  readonly refresh = (): void => {
    const { connection, state } = this.app;
    if (state.memory === undefined) return;
    void this.detail.load(connection.request('memory', { id: state.memory })).then(isLatest => {
      const memory = this.detail.value?.memory;
      if (memory === undefined || !isLatest) return;
      this.forgetForeignChange(memory);
      this.resumeDraft(memory);
      if (memory.id !== this.editWanted) return;
      this.editWanted = undefined;
      if (this.draftOf(memory.id) !== undefined) focusLater('memory-text');
      else if (isEditable(memory)) this.startEdit(memory);
    });
  };

  private draftOf(id: string): Draft | undefined {
    return this.app.state.drafts.find(it => it.id === id);
  }

  private setDraft(id: string, draft?: Draft): void {
    this.app.setState({ drafts: withDraft(this.app.state.drafts, id, draft) });
  }

  /** Keeps a draft that differs from the text, and ends an edit in which nothing was typed. */
  private leaveDraft(): void {
    const draft = this.begunId === undefined ? undefined : this.draftOf(this.begunId);
    if (draft !== undefined && draft.text === draft.before) this.setDraft(draft.id);
    this.begunId = undefined;
    this.resumedSentence = undefined;
  }

  /** Opens the draft of a memory that shows again, and says so; it is then one of the text that the memory has now. */
  private resumeDraft(memory: MemoryCard): void {
    const { id, content } = memory;
    const draft = this.draftOf(id);
    if (draft === undefined || this.begunId === id || !isEditable(memory)) return;
    this.begunId = id;
    if (draft.text.trim() === content) {
      this.setDraft(id);
      return;
    }
    this.resumedSentence =
      draft.before === content
        ? l10n.t('You typed this before, and have not saved it yet.')
        : l10n.t('You typed this before, and have not saved it yet. The text is another one by now: {0}', content);
    this.setDraft(id, { ...draft, before: content });
    this.app.announce(this.resumedSentence);
  }

  /** The line of the last change would say something untrue once the memory was changed elsewhere, as by its undo in the tree. */
  private forgetForeignChange({ id, content, status, pinned, lane }: MemoryCard): void {
    if (this.change.isBusy) return;
    const state = JSON.stringify([id, content, status, pinned, lane]);
    if (this.stateAfterChange !== undefined && this.stateAfterChange !== state) this.change.clear();
    this.stateAfterChange = state;
  }

  view(): unknown {
    const { value, failure } = this.detail;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value === undefined) return loadingIndicator();
    return html`<article class="memory-page">
      ${this.renderHead(value)} ${this.change.view(value.memory.id)} ${this.renderReplacement(value)}
      ${this.renderConflicts(value)} ${renderMemoryDetails(this.app, value)}
    </article>`;
  }

  private renderHead(view: MemoryPageView): unknown {
    const { memory } = view;
    // Where there is nothing to edit, it waits until there is again.
    const draft = isEditable(memory) ? this.draftOf(memory.id) : undefined;
    return html`<header class="memory-head">
      ${draft === undefined ? html`<h1 class="content">${memory.content}</h1>` : this.renderEditor(draft)}
      <p class="story">${memoryStory(this.app, view)}</p>
      ${draft === undefined ? html`<div class="buttons">${this.renderButtons(memory)}</div>` : nothing}
    </header>`;
  }

  private renderButtons(memory: MemoryCard): readonly unknown[] {
    const { id, status, pinned, lane } = memory;
    const isActive = status === 'active';
    const button = (name: string, label: string, run: () => void, isPrimary = false): unknown =>
      html`<vscode-button id="memory-${name}" ?secondary=${!isPrimary} @click=${run}>${label}</vscode-button>`;
    return [
      isActive && lane === 'note'
        ? button(
            'confirm',
            l10n.t('Confirm'),
            () => {
              this.confirm(id);
            },
            true,
          )
        : nothing,
      isActive
        ? nothing
        : button(
            'restore',
            l10n.t('Restore'),
            () => {
              this.toggle('restore', id);
            },
            true,
          ),
      isEditable(memory)
        ? button('edit', l10n.t('Edit'), () => {
            this.startEdit(memory);
          })
        : nothing,
      isActive
        ? button('pin', pinned ? l10n.t('Unpin') : l10n.t('Pin'), () => {
            this.toggle(pinned ? 'unpin' : 'pin', id);
          })
        : nothing,
      isActive
        ? button('forget', l10n.t('Forget'), () => {
            this.toggle('forget', id);
          })
        : nothing,
      isActive
        ? button('move', l10n.t('Move…'), () => {
            this.move(id);
          })
        : nothing,
      button('copy', l10n.t('Copy'), () => {
        this.copy(memory);
      }),
    ];
  }

  private renderEditor(draft: Draft): unknown {
    return html`<form
      class="editor"
      @submit=${(event: Event) => {
        event.preventDefault();
        this.saveEdit(draft.id);
      }}
      @keydown=${(event: KeyboardEvent) => {
        this.onEditorKeyDown(event, draft.id);
      }}
    >
      ${this.resumedSentence === undefined ? nothing : html`<p class="resumed">${icon('edit')} ${this.resumedSentence}</p>`}
      <label for="memory-text">${l10n.t('Text of the memory')}</label>
      <textarea
        id="memory-text"
        rows="4"
        maxlength=${maxTextLength}
        .value=${draft.text}
        @input=${(event: Event) => {
          this.setDraft(draft.id, { ...draft, text: (event.target as HTMLTextAreaElement).value });
        }}
      ></textarea>
      <p class="hint">${l10n.t('It is your word from then on. Ctrl+Enter saves, Escape leaves it as it was.')}</p>
      <div class="buttons">
        <vscode-button
          @click=${() => {
            this.saveEdit(draft.id);
          }}
          >${l10n.t('Save')}</vscode-button
        >
        <vscode-button
          secondary
          @click=${() => {
            this.cancelEdit(draft.id);
          }}
          >${l10n.t('Cancel')}</vscode-button
        >
      </div>
    </form>`;
  }

  private renderReplacement({ replacement }: MemoryPageView): unknown {
    if (replacement === undefined) return nothing;
    const date = this.app.formatter.date(replacement.at);
    if (replacement.isSame === true)
      return html`<div class="notice">
        <span>${l10n.t('Another memory says the same and stands for it:')} ${this.linkTo(replacement.memory)}</span>
      </div>`;
    return html`<div class="notice warning">
      ${icon('warning')}<span
        >${
          replacement.by === 'person'
            ? l10n.t('A person said on {0} that another memory replaces it.', date)
            : l10n.t('An assistant said on {0} that another memory replaces it.', date)
        }
        ${this.linkTo(replacement.memory)}</span
      >
    </div>`;
  }

  /** Memories of which only one holds, each with the buttons that settle it. */
  private renderConflicts({ memory, neighbors }: MemoryPageView): unknown {
    if (memory.status !== 'active') return nothing;
    const open = neighbors.filter(isOpenConflict);
    return open.map(({ edge, memory: other }) => {
      const settle = (resolution: ConflictResolution, sentence: string) => () => {
        this.settle(memory.id, { other: other.id, resolution, sentence });
      };
      return html`<section class="conflict" aria-label=${l10n.t('Contradiction')}>
        <p>${icon('warning')} ${l10n.t('Another memory says otherwise:')} ${this.linkTo(other)}</p>
        <p class="facts">${edge.reason}</p>
        <div class="buttons">
          <vscode-button secondary @click=${settle('keepA', l10n.t('This one is kept; the other is replaced.'))}
            >${l10n.t('Keep This One')}</vscode-button
          >
          <vscode-button secondary @click=${settle('keepB', l10n.t('The other is kept; this one is replaced.'))}
            >${l10n.t('Keep the Other')}</vscode-button
          >
          <vscode-button secondary @click=${settle('keepBoth', l10n.t('Both are kept.'))}
            >${l10n.t('Keep Both')}</vscode-button
          >
        </div>
      </section>`;
    });
  }

  private linkTo({ id, summary }: MemoryCard): unknown {
    return html`<button
      class="link"
      @click=${() => {
        this.app.navigate({ page: 'memories', id });
      }}
    >
      ${summary}
    </button>`;
  }

  private startEdit({ id, content }: MemoryCard): void {
    this.begunId = id;
    this.resumedSentence = undefined;
    this.setDraft(id, { id, before: content, text: content });
    this.change.clear();
    focusLater('memory-text');
  }

  private onEditorKeyDown(event: KeyboardEvent, id: string): void {
    if (isComposing(event)) return;
    if (event.key === 'Escape') this.cancelEdit(id);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      if (!event.repeat) this.saveEdit(id);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private cancelEdit(id: string): void {
    this.setDraft(id);
    this.change.clear();
    focusLater('memory-edit');
  }

  private saveEdit(id: string): void {
    const draft = this.draftOf(id);
    if (draft === undefined) return;
    const { before, text } = draft;
    if (text.trim() === before) {
      this.cancelEdit(id);
      return;
    }
    const { connection } = this.app;
    const save = async (): Promise<Change> => {
      await connection.request('editText', { id, edit: { content: text, before } });
      // Also where another memory shows by now; what was typed since stays.
      const typed = this.draftOf(id)?.text ?? text;
      this.setDraft(id, typed === text ? undefined : { id, before: text, text: typed });
      return { of: id, sentence: l10n.t('The text is changed.'), undo: () => connection.request('undoEdit', { id }) };
    };
    void this.change.make(save).then(isDone => {
      if (isDone && this.draftOf(id) === undefined) focusLater('memory-edit');
    });
  }

  /** Requests that have a counterpart which takes them back. */
  private toggle(name: 'pin' | 'unpin' | 'forget' | 'restore', id: string): void {
    const { connection } = this.app;
    const opposite = { pin: 'unpin', unpin: 'pin', forget: 'restore', restore: 'forget' } as const;
    const sentences = {
      pin: l10n.t('It is pinned, and does not fade.'),
      unpin: l10n.t('It is no longer pinned.'),
      forget: l10n.t('It is forgotten: no assistant gets it. It can be restored.'),
      restore: l10n.t('It is in use again.'),
    };
    const focused = { pin: 'pin', unpin: 'pin', forget: 'restore', restore: 'forget' }[name];
    const work = async (): Promise<Change> => {
      await connection.request(name, { id });
      return { of: id, sentence: sentences[name], undo: () => connection.request(opposite[name], { id }) };
    };
    void this.change.make(work).then(() => {
      focusLater(`memory-${focused}`);
    });
  }

  private confirm(id: string): void {
    const work = async (): Promise<Change> => {
      await this.app.connection.request('confirm', { id });
      return { of: id, sentence: l10n.t('Confirmed: it counts as your word, and is kept.') };
    };
    void this.change.make(work).then(() => {
      focusLater('memory-edit');
    });
  }

  private settle(
    id: string,
    {
      other,
      resolution,
      sentence,
    }: { readonly other: string; readonly resolution: ConflictResolution; readonly sentence: string },
  ): void {
    const { connection } = this.app;
    const pair = { a: id, b: other };
    void this.change.make(async () => {
      await connection.request('settle', { ...pair, resolution });
      return { of: id, sentence, undo: () => connection.request('unsettle', pair) };
    });
  }

  /** VS Code asks where to, and offers the undo itself. */
  private move(id: string): void {
    void this.change.make(async () => {
      await this.app.connection.request('transfer', { ids: [id] });
      return undefined;
    });
  }

  private copy({ id, content }: MemoryCard): void {
    void this.change.make(async () => {
      await this.app.connection.request('copyText', { text: content });
      return { of: id, sentence: l10n.t('Copied.') };
    });
  }
}

/** Whether a person may give it another text: what describes code follows the code. */
function isEditable({ status, provenance }: MemoryCard): boolean {
  return status === 'active' && provenance.source !== 'code-index';
}

/** Focuses an element that the next frame renders. */
function focusLater(id: string): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      document.getElementById(id)?.focus();
    });
  });
}
