import * as l10n from '@vscode/l10n';
import { programOf } from '../../src/engine/model/access.js';
import { globalPlace } from '../../src/engine/model/project.js';
import type { Labels, MemoryCard, MemoryPageView } from '../../src/protocol.js';
import type { Formatter } from '../formatter.js';

/** Names and dates in the language of the window. */
interface Wording {
  readonly labels: Labels;
  readonly formatter: Formatter;
}

/** Where a memory is from, until when it is kept and where, as short sentences; in the words of the tree's tooltip. */
export function memoryStory(app: Wording, view: MemoryPageView): string {
  const { memory } = view;
  const isNote = memory.lane === 'note' && memory.status === 'active';
  const origin = l10n.t('{0}, {1}', originLabel(memory), app.formatter.relativeTime(memory.createdAt));
  return [
    l10n.t('{0}.', origin),
    placeSentence(view),
    isNote ? l10n.t('A note until you confirm it.') : '',
    l10n.t('{0}.', endLabel(app, view)),
  ]
    .filter(Boolean)
    .join(' ');
}

function originLabel({ provenance, lane }: MemoryCard): string {
  const { source, client = '', file, author } = provenance;
  const program = programOf(client);
  if (author !== undefined) return l10n.t('{0} shared it', author);
  if (file !== undefined) return l10n.t('Imported from {0}', file);
  switch (source) {
    case 'explicit':
      return ['', 'cli', 'vscode'].includes(program) ? l10n.t('You said it') : l10n.t('You said it to {0}', program);
    case 'conversation':
      return l10n.t('Noted from a conversation');
    case 'code-index':
      return l10n.t('Read from the code');
    case 'import':
      return l10n.t('Imported');
    case 'extension-tool':
      // An assistant may have noted what a person confirmed.
      return lane === 'note' ? l10n.t('Noted in a chat') : l10n.t('From a chat');
    case 'mcp':
    case 'http':
      return program === '' ? l10n.t('Noted by an assistant') : l10n.t('Noted by {0}', program);
  }
}

function placeSentence({ place }: MemoryPageView): string {
  if (place === undefined) return '';
  return place.id === globalPlace ? l10n.t('Kept for all projects.') : l10n.t('Kept for {0}.', place.name);
}

/** The end of its time unless something happens. */
function endLabel({ formatter, labels }: Wording, { memory, fadesAt, now }: MemoryPageView): string {
  const { status, archiveReason, archivedAt, updatedAt, pinned, decayClass, gate, keptUntil } = memory;
  if (status !== 'active') {
    const since = formatter.relativeTime(archivedAt ?? updatedAt);
    return l10n.t(
      'No longer used ({0}); can be restored',
      l10n.t('{0}, {1}', labels.inactive[archiveReason ?? status], since),
    );
  }
  if (pinned) return l10n.t('Pinned: does not fade');
  if (memory.provenance.source === 'code-index') return l10n.t('Kept as long as its code');
  if ((keptUntil ?? now) < now || (fadesAt ?? now) < now)
    // Maintenance leaves a plan that has faded to the person.
    return gate === 'promissory'
      ? l10n.t('Faded, and kept until it is decided')
      : l10n.t('Faded: the next maintenance forgets it');
  if (keptUntil !== undefined && (fadesAt === undefined || keptUntil <= fadesAt)) {
    return l10n.t('Kept until {0}', formatter.date(keptUntil));
  }
  if (fadesAt === undefined)
    return decayClass !== 'permanent' && gate === 'promissory'
      ? l10n.t('Kept until it is decided')
      : l10n.t('Kept for good');
  return l10n.t('Fades {0} unless it is used', formatter.relativeTime(fadesAt));
}

/** The facts that distinguish a row of a list: what it is attached to or came from, and since when it is as it is. */
export function rowFacts({ formatter, labels }: Wording, memory: MemoryCard): readonly string[] {
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
