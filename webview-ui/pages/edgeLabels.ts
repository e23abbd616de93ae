import * as l10n from '@vscode/l10n';
import type { Edge, EdgeType } from '../../src/engine/model/edge.js';

export function edgeLabels(): Readonly<Record<EdgeType, string>> {
  return {
    relates_to: l10n.t('relates to'),
    derived_from: l10n.t('derived from'),
    contradicts: l10n.t('contradicts'),
    exemplifies: l10n.t('exemplifies'),
    refines: l10n.t('refines'),
    supersedes: l10n.t('supersedes'),
    source_of: l10n.t('source of'),
  };
}

/** The relation of a neighbor to the shown memory, in words; either may be the target of their edge. */
export function relationLabel({ type, target }: Pick<Edge, 'type' | 'target'>, shownId: string): string {
  const isOfNeighbor = target === shownId;
  switch (type) {
    case 'relates_to':
    case 'contradicts':
      return edgeLabels()[type];
    case 'derived_from':
      return isOfNeighbor ? l10n.t('derived from this') : l10n.t('this is derived from it');
    case 'exemplifies':
      return isOfNeighbor ? l10n.t('an example of this') : l10n.t('this is an example of it');
    case 'refines':
      return isOfNeighbor ? l10n.t('refines this') : l10n.t('this refines it');
    case 'supersedes':
      return isOfNeighbor ? l10n.t('replaces this') : l10n.t('this replaces it');
    case 'source_of':
      return isOfNeighbor ? l10n.t('a source of this') : l10n.t('this is a source of it');
  }
}
