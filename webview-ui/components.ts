import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-progress-ring/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { StoreKind } from '../src/engine/model/memory.js';
import type { MemoryCard } from '../src/protocol.js';
import type { PageHost } from './pageHost.js';
import { rowFacts } from './pages/memoryStory.js';

/** A codicon, hidden from screen readers, so it needs a label. */
export function icon(name: string): unknown {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

export function iconButton(
  name: string,
  label: string,
  onClick: () => void,
  options: { readonly pressed?: boolean } = {},
): unknown {
  return html`<button
    class="icon-button"
    title=${label}
    aria-label=${label}
    aria-pressed=${options.pressed ?? nothing}
    @click=${onClick}
  >
    ${icon(name)}
  </button>`;
}

/** A path that breaks after its slashes where it is too long for a line, and inside of a name only where that alone is. */
export function pathText(path: string): unknown {
  return path.split(/(?<=[/\\])/u).map(it => html`<span class="part">${it}</span>`);
}

/** Whose memories a store has. */
export function placeLabel(store: StoreKind): string {
  return store === 'global' ? l10n.t('For all projects') : l10n.t('For this project');
}

/** The heading of a page whose tab says it already, for screen readers. */
export function pageHeading(title: string): unknown {
  return html`<h1 class="visually-hidden">${title}</h1>`;
}

/** The content of an empty page: what it is for, and what to do first. */
export function emptyState(iconName: string, title: string, sentence: string, action: unknown = nothing): unknown {
  return html`<div class="empty">
    <span class="codicon codicon-${iconName}" aria-hidden="true"></span>
    <h1>${title}</h1>
    <p>${sentence}</p>
    ${action}
  </div>`;
}

export function rememberButton({ connection }: PageHost): unknown {
  return html`<vscode-button @click=${() => void connection.request('remember', undefined).catch(() => undefined)}
    >${l10n.t('Remember…')}</vscode-button
  >`;
}

export function failureNotice(sentence: string, retry: () => void): unknown {
  return html`<div class="notice error" role="alert">
    ${icon('error')}<span>${sentence}</span>
    <vscode-button secondary @click=${retry}>${l10n.t('Retry')}</vscode-button>
  </div>`;
}

export function loadingIndicator(): unknown {
  return html`<div class="loading"><vscode-progress-ring aria-label=${l10n.t('Loading')}></vscode-progress-ring></div>`;
}

/** A memory on one line: its summary, which opens its page, and what distinguishes it. */
export function memorySummaryRow(app: PageHost, memory: MemoryCard): unknown {
  const facts = [...(memory.pinned ? [l10n.t('pinned')] : []), ...rowFacts(app, memory)];
  return html`<button
      class="link memory"
      title=${memory.content}
      @click=${() => {
        app.navigate({ page: 'memories', id: memory.id });
      }}
    >
      ${memory.summary}</button
    ><span class="marks">${facts.join(' · ')}</span>`;
}
