import * as l10n from '@vscode/l10n';
import { programOf } from '../../src/engine/model/access.js';
import { globalPlace } from '../../src/engine/model/project.js';
import type { MemoryCard, MemoryPageView } from '../../src/protocol.js';
import type { App } from '../app.js';

/** Where a memory is from, until when it is kept and where, as short sentences. */
export function memoryStory(app: App, view: MemoryPageView): string {
  const { lane, status } = view.memory;
  const note = lane === 'note' && status === 'active' ? l10n.t('A note until you confirm it.') : '';
  return [originSentence(app, view.memory), placeSentence(view), note, endSentence(app, view)]
    .filter(Boolean)
    .join(' ');
}

function originSentence({ formatter }: App, { provenance, createdAt }: MemoryCard): string {
  const when = formatter.relativeTime(createdAt);
  const { source, client = '', file, author } = provenance;
  const program = programOf(client);
  if (author !== undefined) return l10n.t('{0} shared it {1}.', author, when);
  if (file !== undefined) return l10n.t('Imported from {0} {1}.', file, when);
  switch (source) {
    case 'explicit':
      return program === 'vscode' || program === 'cli' || program === ''
        ? l10n.t('You said it {0}.', when)
        : l10n.t('You said it to {0} {1}.', program, when);
    case 'conversation':
      return l10n.t('Noted from a session {0}.', when);
    case 'code-index':
      return l10n.t('Read from the code {0}.', when);
    case 'import':
      return l10n.t('Imported {0}.', when);
    case 'mcp':
    case 'http':
    case 'extension-tool':
      return program === '' || program === 'vscode'
        ? l10n.t('An assistant noted it {0}.', when)
        : l10n.t('{0} noted it {1}.', program, when);
  }
}

function placeSentence({ place }: MemoryPageView): string {
  if (place === undefined) return '';
  return place.id === globalPlace ? l10n.t('Kept for all projects.') : l10n.t('Kept for {0}.', place.name);
}

/** The end of its time unless something happens. */
function endSentence({ formatter, labels }: App, { memory, fadesAt, now }: MemoryPageView): string {
  const { status, archiveReason, archivedAt, updatedAt, pinned, keptUntil } = memory;
  if (status !== 'active') {
    const since = formatter.relativeTime(archivedAt ?? updatedAt);
    return l10n.t('No longer in use: {0}, {1}.', labels.inactive[archiveReason ?? status], since);
  }
  if (pinned) return l10n.t('Pinned: it does not fade.');
  if ((keptUntil ?? now) < now || (fadesAt ?? now) < now)
    // Maintenance leaves a plan that has faded to the person.
    return memory.gate === 'promissory'
      ? l10n.t('Faded: it is kept until you decide.')
      : l10n.t('Faded: the next maintenance forgets it.');
  if (keptUntil !== undefined && (fadesAt === undefined || keptUntil <= fadesAt)) {
    return l10n.t('Kept until {0}.', formatter.date(keptUntil));
  }
  if (fadesAt === undefined) return l10n.t('It does not fade.');
  return l10n.t('Fades {0} unless used.', formatter.relativeTime(fadesAt));
}

/** The facts that distinguish a row of a list: what it is attached to or came from, and since when it is as it is. */
export function rowFacts({ formatter, labels }: App, memory: MemoryCard): readonly string[] {
  const { status, archiveReason, lane, provenance, createdAt, archivedAt, updatedAt } = memory;
  const { symbol, uri, file, author } = provenance;
  const codeFile = uri?.startsWith('file:') === true ? decodeURIComponent(uri.split('/').at(-1) ?? '') : undefined;
  const origin = symbol ?? file ?? codeFile ?? author;
  return [
    ...(origin === undefined || origin === '' ? [] : [origin]),
    ...(status === 'active' ? [] : [labels.inactive[archiveReason ?? status]]),
    ...(status === 'active' && lane === 'note' ? [l10n.t('note')] : []),
    formatter.relativeTime(status === 'active' ? createdAt : (archivedAt ?? updatedAt)),
  ];
}
