import * as l10n from '@vscode/l10n';
import type { Edge, EdgeType } from '../../src/engine/model/edge.js';
import type { MemoryCard, NeighborsView } from '../../src/protocol.js';

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

/** A memory that is related to another one, by one edge or several. */
export interface RelatedMemory {
  readonly memory: MemoryCard;
  /** In words; none where no more is known than that it is related. */
  readonly relations: readonly string[];
  /** Why, as sentences. */
  readonly reasons: readonly string[];
}

/** Each neighbor of the shown memory once, in the order of its first edge. */
export function relatedMemories(neighbors: NeighborsView['neighbors'], shownId: string): readonly RelatedMemory[] {
  const ids = [...new Set(neighbors.map(it => it.memory.id))];
  return ids.map(id => {
    const its = neighbors.filter(it => it.memory.id === id);
    // Of what relates in some way it says nothing that a list of related memories does not.
    const said = its.filter(({ edge }) => edge.type !== 'relates_to');
    return {
      memory: its[0]!.memory,
      relations: [...new Set(said.map(({ edge }) => relationLabel(edge, shownId)))],
      reasons: [...new Set(its.map(({ edge }) => edge.reason).filter(it => it !== ''))],
    };
  });
}
