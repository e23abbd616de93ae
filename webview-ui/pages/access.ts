import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AssistantView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator, pageHeading, pathText } from '../components.js';
import { HealthSections } from './healthSections.js';
import type { Page } from './page.js';

/** The page of who can reach the memory, each with a button that connects it or not, and of how the memory is. */
export class AccessPage implements Page {
  private readonly assistants: AsyncValue<readonly AssistantView[]>;
  /** Of the last button: whether its file was written. */
  private readonly change: AsyncValue<boolean>;
  private readonly health: HealthSections;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.assistants = new AsyncValue(update);
    this.change = new AsyncValue(update);
    this.health = new HealthSections(app);
  }

  open(): void {
    this.change.clear();
    this.health.refresh();
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
    this.health.refresh();
  };

  view(): unknown {
    const { value, failure } = this.assistants;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    // Programs of use first: nine programs that are not there would hide the one that is.
    const [present, absent] = [value.filter(isPresent), value.filter(it => !isPresent(it))];
    return html`${pageHeading(l10n.t('Access and Health'))}
      <section class="block first" aria-labelledby="access-title">
        <h2 id="access-title">${l10n.t('Who Can Reach the Memory')}</h2>
        <div class="buttons">
          <vscode-button
            secondary
            @click=${() => {
              this.app.navigate({ page: 'briefing' });
            }}
            >${l10n.t('What My Assistant Gets')}</vscode-button
          >
          <vscode-button
            secondary
            @click=${() => void this.app.connection.request('runCommand', { name: 'rights' }).catch(() => undefined)}
            >${l10n.t('Rights of Assistants…')}</vscode-button
          >
        </div>
        ${this.change.failure === undefined ? nothing : failureNotice(this.change.failure, this.refresh)}
        ${this.renderAssistants(present)}
        ${
          absent.length === 0
            ? nothing
            : html`<details class="fold">
                <summary>${l10n.t('Not on this machine')} <span class="count">${absent.length}</span></summary>
                ${this.renderAssistants(absent)}
              </details>`
        }
      </section>
      ${this.health.view()}`;
  }

  private renderAssistants(assistants: readonly AssistantView[]): unknown {
    return html`<ul class="assistants">
      ${repeat(
        assistants,
        it => it.id,
        it => this.renderAssistant(it),
      )}
    </ul>`;
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
        <h3>${icon(connected ? 'pass-filled' : 'circle-large-outline')} <span class="name">${title}</span></h3>
        <p class="facts">
          ${state}${time(toolsSeen, it => l10n.t('tools seen {0}', it))}${time(lastCall, it =>
            l10n.t('last call {0}', it),
          )}
        </p>
        ${
          problem === undefined
            ? html`<p class="facts path">
                ${file === undefined ? l10n.t('by this extension, without a file') : pathText(file)}
              </p>`
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

  private load(): Promise<boolean> {
    return this.assistants.load(this.app.connection.request('assistants', undefined));
  }
}

function isPresent({ installed, connected, problem, file }: AssistantView): boolean {
  return installed || connected || problem !== undefined || file === undefined;
}
