import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type {
  CandidateOutcome,
  RankFactors,
  RankPart,
  RankPartName,
  Trace,
  TraceCandidate,
} from '../../src/engine/model/trace.js';
import { rankPartNames } from '../../src/engine/model/trace.js';
import { maxTextLength, type MemoryCard, type TraceView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { rankPartLabels } from '../charts/rankPartLabels.js';
import { rankBar } from '../charts/rankBar.js';
import { icon, iconButton } from '../components.js';
import { describeRequester } from './answers.js';
import { rowFacts } from './memoryStory.js';

export interface TraceActions {
  readonly rerun: () => void;
  readonly copy: (text: string) => void;
  readonly feedback: (id: string, useful: boolean) => void;
}

interface CandidateRow {
  readonly candidate: TraceCandidate;
  readonly parts: readonly RankPart[];
}

/** Smallest share of a rank that is said to be a reason. */
const minReasonShare = 0.2;

/** Why an answer was given: the question, what is in the answer and why; behind folds the rest that was found, the ranks and the time. */
export function renderTraceDetail(app: PageHost, view: TraceView, actions: TraceActions): unknown {
  const { trace } = view;
  const { formatter } = app;
  const requester = describeRequester(trace);
  const facts = [requester.name, formatter.dateTime(trace.at)];
  const answer = trace.candidates
    .flatMap(it => (it.outcome === 'returned' ? (view.memories[it.id]?.content ?? []) : []))
    .join('\n')
    .slice(0, maxTextLength);
  return html`<header class="trace-head">
      <h1>${trace.query}</h1>
      <p class="facts">${icon(requester.icon)} ${facts.join(' · ')}</p>
      <div class="buttons">
        <vscode-button secondary @click=${actions.rerun}>${l10n.t('Ask Again')}</vscode-button>
        ${
          answer === ''
            ? nothing
            : html`<vscode-button
                secondary
                @click=${() => {
                  actions.copy(answer);
                }}
                >${l10n.t('Copy')}</vscode-button
              >`
        }
      </div>
    </header>
    ${trace.time === undefined ? nothing : html`<p class="notice">${icon('calendar')}<span>${timeSentence(app, trace.time)}</span></p>`}
    ${(trace.remarks ?? []).map(it => html`<p class="notice">${icon('info')}<span>${it}</span></p>`)}
    ${trace.degraded.map(it => html`<p class="notice warning">${icon('warning')}<span>${it}</span></p>`)}
    ${renderCandidates(app, view, actions)} ${renderStages(app, trace)}`;
}

function requestLabels({ request = {} }: Trace): string[] {
  const { limit, tokenBudget, ...filter } = request;
  const values = Object.entries(filter).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
  );
  return [...(limit === undefined ? [] : [l10n.t('at most {0}', limit)]), ...values];
}

function timeSentence({ formatter }: PageHost, { phrase, since, until, use }: NonNullable<Trace['time']>): string {
  const span = [since, until].map(it => (it === undefined ? '…' : formatter.date(it))).join(' – ');
  switch (use) {
    case 'narrowed':
      return l10n.t('"{0}" was read as {1}: only what was said then was searched.', phrase, span);
    case 'preferred':
      return l10n.t('"{0}" was read as {1}: what was said then ranks higher.', phrase, span);
    case 'dropped':
      return l10n.t('"{0}" was read as {1}: nothing was said then, so everything was searched.', phrase, span);
  }
}

function renderStages({ formatter }: PageHost, trace: Trace): unknown {
  const facts = [
    trace.cache === 'hit' ? l10n.t('answered from the cache') : l10n.t('searched'),
    l10n.t('{0} tokens', formatter.number(trace.tokens)),
    ...requestLabels(trace),
  ];
  const total = trace.stages.reduce((sum, it) => sum + it.ms, 0);
  const stageLabels: Readonly<Record<string, string>> = {
    cache: l10n.t('Cache'),
    embed: l10n.t('Read the question'),
    search: l10n.t('Search'),
    'search all times': l10n.t('Search all times'),
    rank: l10n.t('Rank'),
    rerank: l10n.t('Cross-encoder'),
    'rerank, too late': l10n.t('Cross-encoder, too late'),
    widen: l10n.t('Follow links'),
    pack: l10n.t('Pack'),
  };
  return html`<details class="fold">
    <summary>${l10n.t('Time')} <span class="count">${formatter.duration(total)}</span></summary>
    <p class="facts">${facts.join(' · ')}</p>
    <ol class="stages">
      ${trace.stages.map(
        it =>
          html`<li>
            <span>${stageLabels[it.name] ?? it.name}</span>
            <meter
              min="0"
              max=${Math.max(total, 0.001)}
              .value=${it.ms}
              aria-label=${stageLabels[it.name] ?? it.name}
            ></meter>
            <span class="number">${formatter.duration(it.ms)}</span>
            ${
              // The count of this stage is not one of memories.
              it.name === 'embed'
                ? nothing
                : html`<span class="number">${l10n.t('{0} left', formatter.number(it.count))}</span>`
            }
          </li>`,
      )}
    </ol>
  </details>`;
}

function renderCandidates(app: PageHost, view: TraceView, actions: TraceActions): unknown {
  const rows = view.trace.candidates.map((candidate, i): CandidateRow => ({ candidate, parts: view.parts[i]! }));
  if (rows.length === 0) {
    return html`<p class="hint">
      ${l10n.t('Nothing that is remembered shares a word with the question or is close to it in meaning.')}
    </p>`;
  }
  const returned = rows.filter(it => it.candidate.outcome === 'returned');
  const title = l10n.t('In the Answer');
  return html`<section class="block" aria-label=${title}>
      <h2>${title} <span class="count">${app.formatter.number(returned.length)}</span></h2>
      ${
        returned.length === 0
          ? html`<p class="hint">${l10n.t('Nothing that was found is likely to answer the question.')}</p>`
          : html`<ol class="candidates">
              ${returned.map(it => renderCandidate(app, view, actions, it))}
            </ol>`
      }
    </section>
    ${renderLeftOut(app, view, actions, rows)} ${renderRanks(app, view, rows)}`;
}

/** Memories that were found and are not in the answer, by the reason. */
function renderLeftOut(app: PageHost, view: TraceView, actions: TraceActions, rows: readonly CandidateRow[]): unknown {
  const { formatter } = app;
  const count = rows.filter(it => it.candidate.outcome !== 'returned').length;
  const unrecordedCount = view.trace.candidateCount - rows.length;
  if (count === 0 && unrecordedCount <= 0) return nothing;
  const group = ([outcome, why]: readonly [CandidateOutcome, string]): unknown => {
    const its = rows.filter(it => it.candidate.outcome === outcome);
    if (its.length === 0) return nothing;
    return html`<p class="hint">${why}</p>
      <ol class="candidates">
        ${its.map(it => renderCandidate(app, view, actions, it))}
      </ol>`;
  };
  return html`<details class="fold left-out">
    <summary>${l10n.t('Left Out')} <span class="count">${formatter.number(count + unrecordedCount)}</span></summary>
    ${leftOutReasons().map(group)}
    ${unrecordedCount > 0 ? html`<p class="hint">${l10n.t('{0} more fit less well and were not recorded.', formatter.number(unrecordedCount))}</p>` : nothing}
  </details>`;
}

function leftOutReasons(): readonly (readonly [CandidateOutcome, string])[] {
  return [
    [
      'given before',
      l10n.t('The session had them from an earlier prompt or from its start, and nothing has changed since:'),
    ],
    ['not relevant', l10n.t('They share words or meaning with the question, but too little to be worth reading:')],
    ['over budget', l10n.t('They fit the question, but not whole into the room that the answer had left:')],
    ['same code', l10n.t('Code and its description have one place in the answer:')],
    ['over limit', l10n.t('More memories fit better than the answer may hold:')],
  ];
}

/** The figures by which the candidates were ordered and cut. */
function renderRanks(app: PageHost, view: TraceView, rows: readonly CandidateRow[]): unknown {
  const maxRank = Math.max(...rows.map(it => it.candidate.factors.rank));
  return html`<details class="fold ranks">
    <summary>${l10n.t('How It Was Ranked')}</summary>
    <ul class="legend" aria-label=${l10n.t('Parts of a rank')}>
      ${rankPartNames.map(it => html`<li><span class="swatch part-${it}"></span>${rankPartLabels()[it]}</li>`)}
    </ul>
    <ol class="candidates">
      ${rows.map(it => renderRank(app, view, it, maxRank))}
    </ol>
  </details>`;
}

function renderRank(app: PageHost, view: TraceView, { candidate, parts }: CandidateRow, maxRank: number): unknown {
  const { formatter } = app;
  const { factors, id } = candidate;
  const rank = formatter.number(factors.rank, 3);
  const partsLabel = parts.map(it => `${rankPartLabels()[it.name]} ${formatter.number(it.value, 3)}`).join(', ');
  return html`<li>
    <p class="facts">${view.memories[id]?.summary ?? l10n.t('No longer there')}</p>
    <details>
      <summary>${rankBar(parts, maxRank, l10n.t('Rank {0}: {1}', rank, partsLabel))}</summary>
      <p class="hint">${l10n.t('Rank {0}: {1}', rank, partsLabel)}</p>
      ${renderProbability(app, view, candidate)} ${renderPairScore(app, candidate)} ${renderFactorTables(app, factors)}
    </details>
  </li>`;
}

function renderCandidate(
  app: PageHost,
  view: TraceView,
  actions: TraceActions,
  { candidate: { id }, parts }: CandidateRow,
): unknown {
  const memory = view.memories[id];
  if (memory === undefined) return html`<li><span class="gone">${l10n.t('No longer there')}</span></li>`;
  const reason = foundBy(app, parts);
  return html`<li>
    <div class="candidate">
      <div class="what">
        ${renderAnswer(app, memory)}${reason === '' ? nothing : html`<p class="facts">${reason}</p>`}
      </div>
      <div class="thumbs">
        ${iconButton('thumbsup', l10n.t('Useful'), () => {
          actions.feedback(id, true);
        })}
        <span class="feedback" title=${l10n.t('Useful less not useful')}
          >${memory.feedback === 0 ? '' : app.formatter.number(memory.feedback)}</span
        >
        ${iconButton('thumbsdown', l10n.t('Not useful'), () => {
          actions.feedback(id, false);
        })}
      </div>
    </div>
  </li>`;
}

/** `Found by its words and its meaning.`; empty where no part of the rank is a reason. */
function foundBy({ formatter }: PageHost, parts: readonly RankPart[]): string {
  const labels: Readonly<Record<RankPartName, string>> = {
    words: l10n.t('its words'),
    meaning: l10n.t('its meaning'),
    aids: l10n.t('the search words stored with it'),
    age: l10n.t('its age'),
  };
  const sum = parts.reduce((total, it) => total + it.value, 0);
  const reasons = parts.filter(it => sum > 0 && it.value / sum >= minReasonShare).map(it => labels[it.name]);
  return reasons.length === 0 ? '' : l10n.t('Found by {0}.', formatter.list(reasons));
}

/** A memory whose text opens it. */
function renderAnswer(app: PageHost, memory: MemoryCard): unknown {
  return html`<button
      class="link memory"
      @click=${() => {
        app.navigate({ page: 'memories', id: memory.id });
      }}
    >
      ${memory.content}</button
    ><span class="marks">${rowFacts(app, memory).join(' · ')}</span>`;
}

/** How probable it is that the memory answers, and where the cut lies. */
function renderProbability(
  { formatter }: PageHost,
  { trace: { cut } }: TraceView,
  { relevance }: TraceCandidate,
): unknown {
  if (relevance === undefined) return nothing;
  const percent = (share: number): string => formatter.percent(share * 100);
  const probability = percent(relevance.probability);
  const { threshold } = relevance;
  if (cut !== undefined && threshold !== undefined) {
    return html`<p class="hint">
      ${l10n.t('Answers the question with a probability of {0}. An answer takes what reaches {1}.', probability, percent(threshold))}
    </p>`;
  }
  if (cut === undefined || cut.minProbability === 0) {
    return html`<p class="hint">
      ${l10n.t('Answers the question with a probability of {0}. Nothing was cut.', probability)}
    </p>`;
  }
  return html`<p class="hint">
    ${l10n.t('Answers the question with a probability of {0}. An answer takes what reaches {1}, if one memory reaches {2}.', probability, percent(cut.minProbability), percent(cut.minBestProbability))}
  </p>`;
}

/** The word of the cross-encoder, where one decided the order. */
function renderPairScore({ formatter }: PageHost, { pairScore }: TraceCandidate): unknown {
  if (pairScore === undefined) return nothing;
  return html`<p class="hint">
    ${l10n.t('The cross-encoder gave it {0}; the best of these numbers comes first, whatever the rank.', formatter.number(pairScore, 3))}
  </p>`;
}

/** The measured features, and how much each adds to the log-odds. */
function renderFactorTables(app: PageHost, { features, shares = {} }: RankFactors): unknown {
  const formatFactor = (value: number): string => app.formatter.number(value, 3);
  const measured = Object.entries(features).filter(([, value]) => value !== 0);
  return html`<div class="factors">
    <table>
      <thead>
        <tr>
          <th scope="col">${l10n.t('What the search measured')}</th>
          <th scope="col" class="number">${l10n.t('Value')}</th>
          <th scope="col" class="number">${l10n.t('Brings')}</th>
        </tr>
      </thead>
      <tbody>
        ${measured.map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${(app.labels.feature as Readonly<Record<string, string>>)[name] ?? name}</th>
              <td class="number">${formatFactor(value)}</td>
              <td class="number">${formatFactor(shares[name] ?? 0)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
