import * as l10n from '@vscode/l10n';
import type { RankPartName } from '../../src/engine/model/trace.js';

export function rankPartLabels(): Readonly<Record<RankPartName, string>> {
  return {
    relevance: l10n.t('Relevance'),
    effective: l10n.t('Confidence'),
    strength: l10n.t('Strength'),
    priority: l10n.t('Priority'),
    centrality: l10n.t('Centrality'),
    freshness: l10n.t('Freshness'),
  };
}
