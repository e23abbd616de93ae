import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { StoreReport } from '../../src/engine/model/storeReport.js';
import type { StoreMetrics } from '../../src/engine/model/maintenance.js';
import type { Tier } from '../../src/engine/model/memory.js';
import type { HealthView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator, pathText, placeLabel } from '../components.js';
import { LastChange } from '../lastChange.js';

const tiers: readonly Tier[] = ['imported', 'shared', 'short-term', 'long-term', 'permanent'];

/** Where memories are kept and how full that is, with all figures behind a fold, and the check of the files. */
export class HealthSections {
  private readonly health: AsyncValue<HealthView>;
  private readonly verification: AsyncValue<readonly StoreReport[]>;
  private readonly copied: LastChange;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.health = new AsyncValue(update);
    this.verification = new AsyncValue(update);
    this.copied = new LastChange(app, update);
  }

  readonly refresh = (): void => {
    void this.health.load(this.app.connection.request('health', undefined));
  };

  view(): unknown {
    const { value, failure } = this.health;
    return html`<section class="block" aria-labelledby="health-title">
      <h2 id="health-title">${l10n.t('Health')}</h2>
      ${
        failure !== undefined
          ? failureNotice(failure, this.refresh)
          : value === undefined
            ? loadingIndicator()
            : this.renderHealth(value)
      }
    </section>`;
  }

  private renderHealth(value: HealthView): unknown {
    const { formatter } = this.app;
    const { embedding, stores } = value.metrics;
    return html`<dl class="properties">
        ${stores.map(it =>
          line(
            this.placeOf(it, stores),
            l10n.t('{0} in {1}', formatter.memoryCount(it.status.active), formatter.bytes(it.fileBytes)),
          ),
        )}
        ${line(l10n.t('Search'), embedding.enabled ? l10n.t('by words and meaning') : l10n.t('by words; the model for meaning is off'))}
      </dl>
      <div class="buttons">
        <vscode-button secondary @click=${this.copyDiagnostics}>${l10n.t('Copy Diagnostics')}</vscode-button>
        <vscode-button secondary ?disabled=${this.verification.loading} @click=${this.verify}
          >${l10n.t('Verify')}</vscode-button
        >
      </div>
      ${this.copied.view('diagnostics')} ${this.renderVerification()}
      <details class="fold">
        <summary>${l10n.t('All Figures')}</summary>
        ${stores.map(it => this.renderStore(it))} ${this.renderRecall(value)}
      </details>`;
  }

  private placeOf({ store }: StoreMetrics, stores: readonly StoreMetrics[]): string {
    const isOne = store === 'global' || stores.filter(it => it.store === store).length === 1;
    return isOne ? placeLabel(store) : this.app.labels.store[store];
  }

  private readonly copyDiagnostics = (): void => {
    void this.copied.make(async () => {
      await this.app.connection.request('copyDiagnostics', undefined);
      return { of: 'diagnostics', sentence: l10n.t('Copied: figures and settings, and no text of a memory.') };
    });
  };

  private renderStore(metrics: StoreMetrics): unknown {
    const { formatter, labels } = this.app;
    const name = labels.store[metrics.store];
    return html`<section class="block" aria-label=${name}>
      <h2>${name} <span class="count">${l10n.t('{0} active', formatter.number(metrics.status.active))}</span></h2>
      <p class="facts path" title=${metrics.file}>${pathText(metrics.file)}</p>
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
          ${tiers.map(tier => this.renderTier(tier, metrics.tiers[tier]))}
        </tbody>
      </table>
      <dl class="figures">
        ${line(l10n.t('Forgotten'), formatter.number(metrics.status.archived))}
        ${line(l10n.t('Superseded'), formatter.number(metrics.status.superseded))}
        ${line(l10n.t('Without search words'), formatter.number(metrics.withoutAids))}
        ${line(l10n.t('Created in all'), formatter.number(metrics.items.total.created))}
        ${line(l10n.t('Forgotten in all'), formatter.number(metrics.items.total.archived))}
        ${line(l10n.t('Deleted for good in all'), formatter.number(metrics.items.total.deleted))}
        ${line(l10n.t('Growth in a month, about'), formatter.bytes(metrics.bytesPerMonth))}
        ${line(l10n.t('Vectors'), formatter.number(metrics.vectors))}
        ${line(l10n.t('Vectors in memory'), formatter.bytes(metrics.vectorBytes))}
        ${line(l10n.t('Search index'), formatter.bytes(metrics.indexBytes))}
        ${line(l10n.t('File'), formatter.bytes(metrics.fileBytes))}
      </dl>
    </section>`;
  }

  private renderTier(tier: Tier, { count, bytes, quota }: StoreMetrics['tiers'][Tier]): unknown {
    const { formatter } = this.app;
    const name = tierLabels()[tier];
    const share = quota > 0 ? bytes / quota : 0;
    const usageLabel = l10n.t('{0} of {1}', formatter.bytes(bytes), formatter.bytes(quota));
    return html`<tr>
      <th scope="row">${name}</th>
      <td class="number">${formatter.number(count)}</td>
      <td class="bar ${share > 1 ? 'over' : ''}">
        <meter min="0" max="1" .value=${Math.min(1, share)} aria-label="${name}: ${usageLabel}"></meter>
      </td>
      <td class="number">${usageLabel}</td>
    </tr>`;
  }

  private renderRecall({ metrics, embeddingsSetting }: HealthView): unknown {
    const { formatter } = this.app;
    const { recall, embedding } = metrics;
    const noneLabel = l10n.t('none yet');
    const formatMs = (value: number | undefined): string =>
      value === undefined ? noneLabel : formatter.duration(value);
    return html`<section class="block" aria-label=${l10n.t('Recall')}>
      <h2>${l10n.t('Recall')}</h2>
      <dl class="figures">
        ${line(l10n.t('Recorded recalls'), formatter.number(recall.recalls))}
        ${line(l10n.t('Half within'), formatMs(recall.p50))} ${line(l10n.t('95 of 100 within'), formatMs(recall.p95))}
        ${line(l10n.t('From the cache'), formatter.number(recall.cacheHits))}
        ${line(l10n.t('Something was missing'), formatter.number(recall.degraded))}
        ${line(
          l10n.t('Useful among the first five'),
          recall.precisionAt5 === undefined ? l10n.t('not judged yet') : formatter.percent(recall.precisionAt5 * 100),
        )}
        ${line(
          l10n.t('Embedding model'),
          embedding.enabled ? embeddingsSetting : l10n.t('off: memories are found by words'),
        )}
        ${line(l10n.t('Embedding calls'), formatter.number(embedding.calls))}
        ${line(l10n.t('Embedding failures'), formatter.number(embedding.failures))}
        ${line(l10n.t('Embedding takes'), formatMs(embedding.averageMs))}
      </dl>
    </section>`;
  }

  private renderVerification(): unknown {
    const { formatter, labels } = this.app;
    const { value, failure } = this.verification;
    return html`${failure === undefined ? nothing : failureNotice(failure, this.verify)}
    ${(value ?? []).map(
      it =>
        html`<p class="notice ${it.problems.length > 0 ? 'error' : ''}">
          ${icon(it.problems.length > 0 ? 'error' : 'pass')}
          <span
            >${labels.store[it.store]}:
            ${
              it.problems.length > 0
                ? it.problems.join(' ')
                : l10n.t(
                    'all is well; {0}, lines of the audit log: {1}',
                    formatter.memoryCount(it.memories),
                    formatter.number(it.auditEntries),
                  )
            }</span
          >
        </p>`,
    )}`;
  }

  private readonly verify = (): void => {
    void this.verification.load(this.app.connection.request('verify', undefined));
  };
}

function line(name: string, value: string): unknown {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function tierLabels(): Readonly<Record<Tier, string>> {
  return {
    imported: l10n.t('Imported'),
    shared: l10n.t('Shared'),
    'short-term': l10n.t('Short-term'),
    'long-term': l10n.t('Long-term'),
    permanent: l10n.t('Permanent'),
  };
}
