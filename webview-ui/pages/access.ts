import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AssistantView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator } from '../components.js';
import type { Page } from './page.js';

/** The page of who can reach the memory: each program with what is known of it, and a button that connects it or not. */
export class AccessPage implements Page {
  private readonly assistants: AsyncValue<readonly AssistantView[]>;
  /** Of the last button: whether its file was written. */
  private readonly change: AsyncValue<boolean>;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.assistants = new AsyncValue(update);
    this.change = new AsyncValue(update);
  }

  open(): void {
    this.change.clear();
    void this.load().then(() => {
      const { assistant } = this.app.state;
      if (assistant === undefined) return;
      this.app.setState({ assistant: undefined });
      // After the list is rendered.
      requestAnimationFrame(() => {
        requestAnimationFrame(() => {
          document.getElementById(`connect-${assistant}`)?.focus();
        });
      });
    });
  }

  readonly refresh = (): void => {
    void this.load();
  };

  view(): unknown {
    const { value, failure } = this.assistants;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    return html`<section class="block first" aria-labelledby="access-title">
      <h2 id="access-title">${l10n.t('Who Can Reach the Memory')}</h2>
      <p class="hint">
        ${l10n.t(
          'Each button shows the change of one file of yours, and writes it after a yes. What each may do is set by the command "Rights of Assistants…".',
        )}
      </p>
      ${this.change.failure === undefined ? nothing : failureNotice(this.change.failure, this.refresh)}
      <ul class="assistants">
        ${repeat(
          value,
          it => it.id,
          it => this.renderAssistant(it),
        )}
      </ul>
    </section>`;
  }

  private renderAssistant(assistant: AssistantView): unknown {
    const { id, title, file, installed, connected, toolsSeen, lastCall, problem } = assistant;
    const { formatter } = this.app;
    const state = connected ? l10n.t('connected') : l10n.t('not connected');
    const time = (iso: string | undefined, labelOf: (time: string) => string): unknown =>
      iso === undefined
        ? nothing
        : html` · <span title=${formatter.dateTime(iso)}>${labelOf(formatter.relativeTime(iso))}</span>`;
    return html`<li>
      <div class="assistant">
        <h3>${icon(connected ? 'pass-filled' : 'circle-large-outline')} ${title}</h3>
        <p class="facts">
          ${installed ? nothing : html`${l10n.t('not found on this machine')} · `}${state}${time(toolsSeen, it => l10n.t('tools seen {0}', it))}${time(
            lastCall,
            it => l10n.t('last call {0}', it),
          )}
        </p>
        ${
          problem === undefined
            ? html`<p class="facts path">${file ?? l10n.t('by this extension, without a file')}</p>`
            : html`<p class="error">${icon('error')} ${problem}</p>`
        }
      </div>
      ${
        file === undefined
          ? nothing
          : html`<vscode-button
              id="connect-${id}"
              ?secondary=${connected || !installed}
              aria-label=${connected ? l10n.t('Disconnect {0}…', title) : l10n.t('Connect {0}…', title)}
              @click=${() => {
                this.setConnected(assistant);
              }}
              >${connected ? l10n.t('Disconnect…') : l10n.t('Connect…')}</vscode-button
            >`
      }
    </li>`;
  }

  private setConnected({ id, connected }: AssistantView): void {
    if (this.change.loading) return;
    this.app.setState({ assistant: id });
    const request = this.app.connection.request('setConnected', { id, connected: !connected });
    void this.change.load(request).then(() => {
      if (this.change.failure === undefined) this.open();
      else this.refresh();
    });
  }

  private load(): Promise<void> {
    return this.assistants.load(this.app.connection.request('assistants', undefined));
  }
}
