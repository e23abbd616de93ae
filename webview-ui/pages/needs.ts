import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { programOf } from '../../src/engine/model/access.js';
import type { ConflictResolution } from '../../src/engine/model/conflict.js';
import { dayMs } from '../../src/engine/model/duration.js';
import { memberName } from '../../src/engine/model/team.js';
import type { ConflictView, MemoryCard, NeedsView, RequestView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { icon } from '../components.js';
import type { Change, LastChange } from '../lastChange.js';
import { rowFacts } from './memoryStory.js';

type Plan = NeedsView['plans'][number];

/** A decision of a person: a row of the inbox with all that is needed to decide. */
export type Need = { readonly id: string; readonly text: string; readonly facts: string } & (
  { readonly conflict: ConflictView } | { readonly plan: Plan } | { readonly request: RequestView }
);

/** Requests first, because an assistant waits; then contradictions and plans. */
export function needsOf(app: PageHost, { requests, conflicts, plans }: NeedsView): readonly Need[] {
  const { formatter } = app;
  return [
    ...requests.map((request): Need => ({
      id: `request-${request.memory.id}`,
      text: request.memory.content,
      facts: requestSentence(request),
      request,
    })),
    ...conflicts.map((conflict): Need => ({
      id: `conflict-${conflict.newer.id}-${conflict.older.id}`,
      text: conflict.newer.content,
      facts: conflict.isStated
        ? l10n.t('contradicts: {0}', conflict.older.summary)
        : l10n.t('may replace: {0}', conflict.older.summary),
      conflict,
    })),
    ...plans.map((plan): Need => ({
      id: `plan-${plan.memory.id}`,
      text: plan.memory.content,
      facts: planSentence(plan, formatter.relativeTime(plan.since)),
      plan,
    })),
  ];
}

/** The decision that a need asks for. */
export function renderNeed(app: PageHost, need: Need, change: LastChange): unknown {
  if ('conflict' in need) return renderConflict(app, need.conflict, change);
  if ('plan' in need) return renderPlan(app, need.plan, change);
  return renderRequest(app, need.request, change);
}

function renderConflict(app: PageHost, { newer, older, reason }: ConflictView, change: LastChange): unknown {
  const pair = { a: newer.id, b: older.id };
  const settle = (resolution: ConflictResolution, sentence: string) => () => {
    void change.make(async (): Promise<Change> => {
      await app.connection.request('settle', { ...pair, resolution });
      return { of: 'inbox', sentence, undo: () => app.connection.request('unsettle', pair) };
    });
  };
  const side = (title: string, memory: MemoryCard, resolution: ConflictResolution): unknown =>
    html`<section class="block side" aria-label=${title}>
      <h2>${title}</h2>
      ${renderText(app, memory)}
      <vscode-button
        secondary
        ?disabled=${change.isBusy}
        @click=${settle(resolution, l10n.t('Kept: {0}', memory.summary))}
        >${l10n.t('Keep This One')}</vscode-button
      >
    </section>`;
  return html`<h1>${l10n.t('Which one holds?')}</h1>
    <p class="hint">${reason}</p>
    ${side(l10n.t('Newer'), newer, 'keepA')} ${side(l10n.t('Older'), older, 'keepB')}
    <div class="buttons">
      <vscode-button secondary ?disabled=${change.isBusy} @click=${settle('keepBoth', l10n.t('Both are kept.'))}
        >${l10n.t('Keep Both')}</vscode-button
      >
    </div>`;
}

function renderPlan(app: PageHost, plan: Plan, change: LastChange): unknown {
  const { id, summary } = plan.memory;
  const { connection } = app;
  const undo = (): Promise<unknown> => connection.request('restore', { id });
  const decide = (decision: 'done' | 'drop', sentence: string) => () => {
    void change.make(async (): Promise<Change> => {
      await connection.request('decidePlan', { id, decision });
      return { of: 'inbox', sentence, undo };
    });
  };
  const extend = (days: number) => () => {
    const day = dayFromNow(days);
    void change.make(async (): Promise<Change> => {
      await connection.request('extendPlan', { id, day });
      return { of: 'inbox', sentence: l10n.t('Due on {0}: {1}', app.formatter.date(`${day}T12:00:00`), summary) };
    });
  };
  return html`<h1>${l10n.t('Is this plan done?')}</h1>
    <p class="hint">${planSentence(plan, app.formatter.relativeTime(plan.since))}</p>
    ${renderText(app, plan.memory)}
    <div class="buttons">
      <vscode-button ?disabled=${change.isBusy} @click=${decide('done', l10n.t('Done: {0}', summary))}
        >${l10n.t('Done')}</vscode-button
      >
      <vscode-button secondary ?disabled=${change.isBusy} @click=${decide('drop', l10n.t('Forgotten: {0}', summary))}
        >${l10n.t('Forget')}</vscode-button
      >
      <vscode-button secondary ?disabled=${change.isBusy} @click=${extend(7)}>${l10n.t('In a Week')}</vscode-button>
      <vscode-button secondary ?disabled=${change.isBusy} @click=${extend(30)}>${l10n.t('In a Month')}</vscode-button>
    </div>`;
}

function renderRequest(app: PageHost, request: RequestView, change: LastChange): unknown {
  const { memory, replacement } = request;
  const isOfTeam = request.author !== undefined;
  const doIt = labelOfYes(request);
  const decide = (accept: boolean) => () => {
    void change.make(async (): Promise<Change | undefined> => {
      if (!(await app.connection.request('decideRequest', { id: memory.id, accept }))) return undefined;
      const sentence = accept
        ? l10n.t('Done as requested: {0}', memory.summary)
        : l10n.t('Declined, and left as it was: {0}', memory.summary);
      return { of: 'inbox', sentence };
    });
  };
  return html`<h1>${requestSentence(request)}</h1>
    <p class="hint">
      ${app.formatter.relativeTime(request.at)}
      ${isOfTeam ? html`· ${l10n.t('You vouch for it, so it stays until you decide.')}` : nothing}
    </p>
    ${renderText(app, memory)}
    ${
      replacement === undefined
        ? nothing
        : html`<section class="block side" aria-label=${l10n.t('In its place')}>
            <h2>${l10n.t('In its place')}</h2>
            ${renderText(app, replacement)}
          </section>`
    }
    <div class="buttons">
      <vscode-button ?disabled=${change.isBusy} @click=${decide(true)}>${doIt}</vscode-button>
      <vscode-button secondary ?disabled=${change.isBusy} @click=${decide(false)}
        >${isOfTeam ? l10n.t('Keep It') : l10n.t('Decline')}</vscode-button
      >
    </div>`;
}

function labelOfYes({ action, author }: RequestView): string {
  if (action === 'share') return l10n.t('Share…');
  if (author === undefined) return l10n.t('Do It');
  return action === 'replace' ? l10n.t('Replace It') : l10n.t('Forget It');
}

/** The text of a memory, with a link to its page. */
function renderText(app: PageHost, memory: MemoryCard): unknown {
  return html`<p class="content">${memory.content}</p>
    <p class="facts">
      ${rowFacts(app, memory).join(' · ')} ·
      <button
        class="link"
        @click=${() => {
          app.navigate({ page: 'memories', id: memory.id });
        }}
      >
        ${l10n.t('Open')} ${icon('arrow-right')}
      </button>
    </p>`;
}

function requestSentence({ client, author, action }: RequestView): string {
  if (author !== undefined) {
    const member = memberName(author);
    return action === 'replace'
      ? l10n.t('{0} of your team replaced it', member)
      : l10n.t('{0} of your team withdrew it', member);
  }
  const name = programOf(client);
  return {
    forget: l10n.t('{0} asks to forget it', name),
    pin: l10n.t('{0} asks to pin it', name),
    unpin: l10n.t('{0} asks to unpin it', name),
    replace: l10n.t('{0} asks to replace it', name),
    merge: l10n.t('{0} asks to merge it', name),
    share: l10n.t('{0} asks to share it with your team', name),
  }[action];
}

function planSentence({ why }: Plan, since: string): string {
  return why === 'overdue' ? l10n.t('was due {0}', since) : l10n.t('faded; last said {0}', since);
}

/** `YYYY-MM-DD`, in the time zone of the person. */
function dayFromNow(days: number): string {
  const day = new Date(Date.now() + days * dayMs);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map(it => String(it).padStart(2, '0')).join('-');
}
