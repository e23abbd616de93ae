import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { StoreReport } from '../../src/engine/model/change.js';
import type { StoreMetrics } from '../../src/engine/model/maintenance.js';
import type { Tier } from '../../src/engine/model/memory.js';
import type { HealthView } from '../../src/protocol.js';
import { Asked, type App } from '../app.js';
import { failed, icon, loading } from '../parts.js';
import { MaintenancePart } from './maintenancePart.js';
import type { Page } from './page.js';

/** In the order in which memories move up. */
const tiers: readonly Tier[] = ['short-term', 'long-term', 'permanent'];

/** How the memory is: what it takes, how it answers, and what maintenance would do. */
export class HealthPage implements Page {
  private readonly health: Asked<HealthView>;
  private readonly maintenance: MaintenancePart;
  private readonly reports: Asked<readonly StoreReport[]>;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.update();
    };
    this.health = new Asked(update);
    this.maintenance = new MaintenancePart(app);
    this.reports = new Asked(update);
  }

  open(): void {
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.health.ask(this.app.connection.ask('health', undefined));
    this.maintenance.refresh();
  };

  view(): unknown {
    const { value, failure } = this.health;
    if (failure !== undefined) return html`<div class="padded">${failed(failure, this.refresh)}</div>`;
    if (value === undefined) return loading();
    return html`${value.metrics.stores.map(it => this.store(it))} ${this.recall(value)}
    ${this.maintenance.view(value.runs)} ${this.verification()}`;
  }

  private store(it: StoreMetrics): unknown {
    const { format, words } = this.app;
    const name = words.store[it.store];
    return html`<section class="block" aria-label=${name}>
      <h2>${name} <span class="count">${l10n.t('{0} active', format.number(it.status.active))}</span></h2>
      <p class="facts path" title=${it.file}>${it.file}</p>
      <table class="quotas">
        <thead>
          <tr>
            <th scope="col">${l10n.t('Tier')}</th>
            <th scope="col" class="number">${l10n.t('Memories')}</th>
            <th scope="col">${l10n.t('Of its quota')}</th>
            <th scope="col" class="number">${l10n.t('Size')}</th>
          </tr>
        </thead>
        <tbody>
          ${tiers.map(tier => this.tier(tier, it.tiers[tier]))}
        </tbody>
      </table>
      <dl class="figures">
        ${figure(l10n.t('Archived'), format.number(it.status.archived))}
        ${figure(l10n.t('Superseded'), format.number(it.status.superseded))}
        ${figure(l10n.t('Vectors'), format.number(it.vectors))}
        ${figure(l10n.t('Search index'), format.bytes(it.indexBytes))}
        ${figure(l10n.t('File'), format.bytes(it.fileBytes))}
      </dl>
    </section>`;
  }

  private tier(tier: Tier, { count, bytes, quota }: StoreMetrics['tiers'][Tier]): unknown {
    const { format } = this.app;
    const name = tierNames()[tier];
    const share = quota > 0 ? bytes / quota : 0;
    const told = l10n.t('{0} of {1}', format.bytes(bytes), format.bytes(quota));
    return html`<tr>
      <th scope="row">${name}</th>
      <td class="number">${format.number(count)}</td>
      <td class="bar ${share > 1 ? 'over' : ''}">
        <meter min="0" max="1" .value=${Math.min(1, share)} aria-label="${name}: ${told}"></meter>
      </td>
      <td class="number">${told}</td>
    </tr>`;
  }

  private recall({ metrics, embeddings }: HealthView): unknown {
    const { format } = this.app;
    const { recall, embedding } = metrics;
    const none = l10n.t('none yet');
    const ms = (value: number | undefined): string => (value === undefined ? none : format.duration(value));
    return html`<section class="block" aria-label=${l10n.t('Recall')}>
      <h2>${l10n.t('Recall')}</h2>
      <dl class="figures">
        ${figure(l10n.t('Recorded recalls'), format.number(recall.recalls))}
        ${figure(l10n.t('Half within'), ms(recall.p50))} ${figure(l10n.t('95 of 100 within'), ms(recall.p95))}
        ${figure(l10n.t('From the cache'), format.number(recall.cacheHits))}
        ${figure(l10n.t('Something was missing'), format.number(recall.degraded))}
        ${figure(
          l10n.t('Useful among the first five'),
          recall.precisionAt5 === undefined ? l10n.t('not judged yet') : format.percent(recall.precisionAt5 * 100),
        )}
        ${figure(l10n.t('Embedding model'), embeddings)}
        ${figure(l10n.t('Embedding calls'), format.number(embedding.calls))}
        ${figure(l10n.t('Embedding failures'), format.number(embedding.failures))}
        ${figure(l10n.t('Embedding takes'), ms(embedding.averageMs))}
      </dl>
    </section>`;
  }

  private verification(): unknown {
    const { format, words } = this.app;
    const { value, failure, loading: isLoading } = this.reports;
    return html`<section class="block" aria-label=${l10n.t('Audit')}>
      <h2>${l10n.t('Audit')}</h2>
      <p class="hint">
        ${l10n.t('Checks the files, the search index and that no line of the audit log is missing or altered.')}
      </p>
      <vscode-button secondary ?disabled=${isLoading} @click=${this.verify}>${l10n.t('Verify')}</vscode-button>
      ${failure === undefined ? nothing : failed(failure, this.verify)}
      ${(value ?? []).map(
        it =>
          html`<p class="notice ${it.problems.length > 0 ? 'error' : ''}">
            ${icon(it.problems.length > 0 ? 'error' : 'pass')}
            <span
              >${words.store[it.store]}:
              ${
                it.problems.length > 0
                  ? it.problems.join(' ')
                  : l10n.t(
                      'all is well; {0}, lines of the audit log: {1}',
                      format.memories(it.memories),
                      format.number(it.auditEntries),
                    )
              }</span
            >
          </p>`,
      )}
    </section>`;
  }

  private readonly verify = (): void => {
    void this.reports.ask(this.app.connection.ask('verify', undefined));
  };
}

function figure(name: string, value: string): unknown {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function tierNames(): Readonly<Record<Tier, string>> {
  return {
    'short-term': l10n.t('Short-term'),
    'long-term': l10n.t('Long-term'),
    permanent: l10n.t('Permanent'),
  };
}
