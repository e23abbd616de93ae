import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { CurveEvent } from '../../src/engine/model/explanation.js';
import type { MemoryCard, MemoryPageView, RequestName } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { detailChartSize } from '../charts/axes.js';
import { curveChart } from '../charts/curveChart.js';
import { strengthChart } from '../charts/strengthChart.js';
import { icon } from '../components.js';
import { relatedMemories, type RelatedMemory } from './edgeLabels.js';
import { eventLabels } from './eventLabels.js';

type Neighbor = MemoryPageView['neighbors'][number];

/** Pixels. */
const strengthChartHeight = 120;

/** What a memory is, in a few words each. */
export function memoryMarks({ labels, formatter }: PageHost, memory: MemoryCard): readonly string[] {
  const { status, archiveReason } = memory;
  const inactive = status === 'active' ? [] : [labels.inactive[archiveReason ?? status]];
  return [
    ...new Set([labels.gate[memory.gate], labels.kind[memory.kind]]),
    labels.lane[memory.lane],
    formatter.percent(memory.effectiveConfidence),
    ...(memory.pinned ? [l10n.t('pinned')] : []),
    ...inactive,
  ];
}

/** Whether a neighbor contradicts a memory by a person's or a model's word, which no person has settled. */
export function isOpenConflict({ edge, memory }: Neighbor): boolean {
  const { type, mark, settledAt } = edge;
  const isMarked = mark !== undefined && mark.outdated !== 'none';
  return type === 'contradicts' && isMarked && settledAt === undefined && memory.status === 'active';
}

/** The neighbors of a memory, and behind a fold all else that is known of it. Open conflicts have a place of their own. */
export function renderMemoryDetails(app: PageHost, view: MemoryPageView): unknown {
  const isShownHere = (it: Neighbor): boolean => view.memory.status !== 'active' || !isOpenConflict(it);
  const related = relatedMemories(view.neighbors.filter(isShownHere), view.memory.id);
  return html`${related.length === 0 ? nothing : section('links', l10n.t('Related'), related.length, renderLinks(app, related))}
    <details class="fold">
      <summary>${l10n.t('Details')}</summary>
      ${section('origin', l10n.t('Where it is from'), undefined, renderOrigin(app, view))}
      ${section('sureness', l10n.t('How sure it is'), undefined, renderSureness(app, view))}
      ${section('aids', l10n.t('Words to find it by'), undefined, renderAids(app, view))}
      ${section('history', l10n.t('History'), view.events.length, renderHistory(app, view))}
      <div class="buttons">
        ${viewLink('graph', l10n.t('Show in the Graph'))} ${viewLink('forecast', l10n.t('Forecast of All Memories'))}
      </div>
    </details>`;

  function viewLink(page: 'graph' | 'forecast', label: string): unknown {
    return html`<button
      class="link"
      @click=${() => {
        app.navigate({ page, id: view.memory.id });
      }}
    >
      ${label}
    </button>`;
  }

  function section(id: string, title: string, count: number | undefined, content: unknown): unknown {
    return html`<section class="block" aria-labelledby="${id}-title">
      <h2 id="${id}-title">
        ${title}${count === undefined ? nothing : html` <span class="count">${app.formatter.number(count)}</span>`}
      </h2>
      ${content}
    </section>`;
  }
}

function renderOrigin(app: PageHost, { memory, place }: MemoryPageView): unknown {
  const { labels, formatter } = app;
  const { source, client, author, session, branch, reason, said: words, file, uri, symbol, range } = memory.provenance;
  const said = source === 'explicit' && author === undefined ? l10n.t('said by you') : labels.source[source];
  const by = client === undefined || client === 'vscode' ? said : `${said} (${client.replace(/^mcp:/u, '')})`;
  const code = uri?.startsWith('file:') === true ? codeName({ uri, symbol, line: range && range.startLine + 1 }) : '';
  const rows: readonly (readonly [name: string, value: unknown])[] = [
    [l10n.t('Origin'), by],
    [l10n.t('Stored'), html`<time datetime=${memory.createdAt}>${formatter.dateTime(memory.createdAt)}</time>`],
    [l10n.t('Kept in'), place?.name === undefined || place.name === '' ? labels.store[memory.store] : place.name],
    [l10n.t('What it is'), memoryMarks(app, memory).join(' · ')],
    [l10n.t('In your words'), words],
    [l10n.t('Why'), reason],
    [l10n.t('File'), file],
    [
      l10n.t('Code'),
      code === ''
        ? undefined
        : html`<button class="link" @click=${run(app, 'openCode', memory.id)}>${icon('go-to-file')} ${code}</button>`,
    ],
    [l10n.t('Branch'), branch],
    [l10n.t('Session'), session],
    [l10n.t('Due'), memory.dueAt === undefined ? undefined : formatter.date(memory.dueAt)],
    [l10n.t('Kept until'), memory.keptUntil === undefined ? undefined : formatter.date(memory.keptUntil)],
    [l10n.t('Tags'), memory.tags.length === 0 ? undefined : memory.tags.map(it => `#${it}`).join(' ')],
  ];
  return html`<dl class="properties">
    ${rows.map(([name, value]) =>
      value === undefined
        ? nothing
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

function codeName({
  uri,
  symbol,
  line,
}: {
  readonly uri: string;
  readonly symbol: string | undefined;
  readonly line: number | undefined;
}): string {
  const name = new URL(uri).pathname.split('/').at(-1) ?? uri;
  const file = line === undefined ? decodeURIComponent(name) : `${decodeURIComponent(name)}:${line}`;
  return symbol === undefined ? file : `${symbol}, ${file}`;
}

/** A request that VS Code answers by showing something else. */
function run({ connection }: PageHost, name: Extract<RequestName, 'openCode' | 'editAids'>, id: string): () => void {
  return () => void connection.request(name, { id }).catch(() => undefined);
}

function renderSureness(app: PageHost, view: MemoryPageView): unknown {
  const { formatter } = app;
  return html`<p class="forecast">${forecastSentence(app, view)}</p>
    ${curveChart(view, detailChartSize(), formatter, it => eventSentence(app, it))}
    <p class="forecast">${strengthSentence(app, view)}</p>
    <p class="facts">${strengthFacts(app, view).join(' · ')}</p>
    ${strengthChart(view, detailChartSize(strengthChartHeight), formatter)}`;
}

function forecastSentence({ formatter }: PageHost, { memory, fadesAt, halfLifeDays, now }: MemoryPageView): string {
  const confidence = formatter.percent(memory.effectiveConfidence);
  if (memory.status !== 'active') return l10n.t('{0} now; no longer in use.', confidence);
  if (memory.pinned) return l10n.t('{0} now; pinned, so it does not fade.', confidence);
  const { keptUntil } = memory;
  // A note that has a day of its own: its use does not move that.
  if (keptUntil !== undefined && memory.lane === 'note' && keptUntil <= (fadesAt ?? keptUntil)) {
    const day = formatter.date(keptUntil);
    return l10n.t(
      '{0} now; kept until {1} ({2}) unless you confirm or pin it.',
      confidence,
      day,
      formatter.relativeTime(keptUntil),
    );
  }
  if (fadesAt === undefined) return l10n.t('{0} now; it does not fade.', confidence);
  if (fadesAt <= now) return l10n.t('{0} now; the next maintenance forgets it.', confidence);
  return l10n.t(
    '{0} now; forgotten on {1} ({2}) unless it is said again, used or pinned.{3}',
    confidence,
    formatter.date(fadesAt),
    formatter.relativeTime(fadesAt),
    halfLifeDays === undefined
      ? ''
      : ` ${l10n.t('It halves in {0} days.', formatter.number(halfLifeDays, halfLifeDays < 10 ? 1 : 0))}`,
  );
}

function strengthSentence({ formatter }: PageHost, { strength }: MemoryPageView): string {
  return l10n.t(
    'Strength {0}. It falls with each day and each memory written after this one, and rises whenever this one is said again. Answers are not ordered by it.',
    formatter.number(strength.value, 2),
  );
}

/** What the strength is computed from. */
function strengthFacts(
  { formatter }: PageHost,
  { events, strength: { ageDays, sequenceLag } }: MemoryPageView,
): readonly string[] {
  // Counted, because the number that the strength is computed from falls with each contradiction.
  const timesSaid = 1 + events.filter(it => it.action === 'reinforce').length;
  return [
    l10n.t('times said: {0}', formatter.number(timesSaid)),
    l10n.t('age in days: {0}', formatter.number(Math.floor(ageDays))),
    l10n.t('written since: {0}', formatter.number(sequenceLag)),
  ];
}

function eventSentence({ formatter }: PageHost, { action, at, confidence }: CurveEvent): string {
  return l10n.t('{0}, {1}, {2}', eventLabels()[action], formatter.dateTime(at), formatter.percent(confidence));
}

function renderAids(app: PageHost, { memory, aids: { questions, keywords } }: MemoryPageView): unknown {
  const edit = html`<vscode-button secondary @click=${run(app, 'editAids', memory.id)}
    >${l10n.t('Edit Search Words…')}</vscode-button
  >`;
  const what =
    questions.length === 0 && keywords.length === 0
      ? html`<p class="hint">${l10n.t('It is found by its own words and by their meaning.')}</p>`
      : html`<div>
          ${
            questions.length === 0
              ? nothing
              : html`<ul class="questions" aria-label=${l10n.t('Questions that it answers')}>
                  ${questions.map(it => html`<li>${it}</li>`)}
                </ul>`
          }
          ${keywords.length === 0 ? nothing : html`<p class="facts">${keywords.join(', ')}</p>`}
        </div>`;
  return html`<div class="row">${what} ${edit}</div>`;
}

function renderLinks(app: PageHost, related: readonly RelatedMemory[]): unknown {
  return html`<ul class="memory-links">
    ${related.map(
      ({ memory: other, relations, reasons }) =>
        html`<li>
          <button
            class="neighbour"
            title=${reasons.join('\n')}
            @click=${() => {
              app.navigate({ page: 'memories', id: other.id });
            }}
          >
            <span class="summary">${other.content}</span>
            ${relations.length === 0 ? nothing : html`<span class="relation">${relations.join(', ')}</span>`}
          </button>
        </li>`,
    )}
  </ul>`;
}

/** Newest first: what was done last is what a person looks for. */
function renderHistory({ formatter }: PageHost, { events }: MemoryPageView): unknown {
  return html`<table class="history">
    <thead>
      <tr>
        <th scope="col">${l10n.t('What')}</th>
        <th scope="col">${l10n.t('When')}</th>
        <th scope="col">${l10n.t('By')}</th>
        <th scope="col" class="number">${l10n.t('Confidence')}</th>
      </tr>
    </thead>
    <tbody>
      ${events.toReversed().map(
        it =>
          html`<tr>
            <th scope="row">${eventLabels()[it.action]}</th>
            <td>${formatter.dateTime(it.at)}</td>
            <td>${it.actor.replace(/^mcp:/u, '')}</td>
            <td class="number">${formatter.percent(it.confidence)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
