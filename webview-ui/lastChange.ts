import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { PageHost } from './pageHost.js';
import { AsyncValue } from './asyncValue.js';
import { icon } from './components.js';

/** A change that a button made, and how it is taken back. */
export interface Change {
  /** The memory or page that it is of, so that the page of another memory does not show it. */
  readonly of: string;
  readonly sentence: string;
  readonly undo?: () => Promise<unknown>;
}

/** The last change of a page: made one at a time, and shown with its undo until the next one. */
export class LastChange {
  private readonly result: AsyncValue<Change | undefined>;

  /** @param onChanged called when a change or its undo is done */
  constructor(
    private readonly app: PageHost,
    private readonly onChanged: () => void,
  ) {
    this.result = new AsyncValue(() => {
      app.scheduleRender();
    });
  }

  get isBusy(): boolean {
    return this.result.loading;
  }

  clear(): void {
    this.result.clear();
  }

  /** @returns whether it was made and its line shows; not while another one is under way, or where it was cleared meanwhile */
  async make(work: () => Promise<Change | undefined>): Promise<boolean> {
    if (this.result.loading) return false;
    const before = this.result.value;
    const isLatest = await this.result.load(work());
    const { failure, value } = this.result;
    if (!isLatest) {
      // Of one that was cleared, which may have been made, nothing shows any more.
      if (failure === undefined) this.onChanged();
      else this.result.value = before;
      return false;
    }
    if (value !== undefined) this.app.announce(value.sentence);
    this.onChanged();
    return true;
  }

  /** The line of the change of something, or why it failed. */
  view(of: string): unknown {
    const { value, failure, loading } = this.result;
    const failed =
      failure === undefined
        ? nothing
        : html`<div class="notice error" role="alert">${icon('error')}<span>${failure}</span></div>`;
    if (value?.of !== of) return failed;
    return html`${failed}
      <div class="notice">
        ${icon('check')}<span>${value.sentence}</span>
        ${
          value.undo === undefined
            ? nothing
            : html`<button id="undo-change" class="link" aria-disabled=${loading} @click=${this.undo}>
                ${l10n.t('Undo')}
              </button>`
        }
      </div>`;
  }

  private readonly undo = (): void => {
    const change = this.result.value;
    if (change?.undo === undefined) return;
    const { of, undo } = change;
    void this.make(async () => {
      await undo();
      return { of, sentence: l10n.t('It is as it was.') };
    });
  };
}
