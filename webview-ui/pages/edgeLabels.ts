import * as l10n from '@vscode/l10n';
import type { EdgeType } from '../../src/engine/model/edge.js';

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
