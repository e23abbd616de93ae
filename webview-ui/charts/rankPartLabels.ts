import * as l10n from '@vscode/l10n';
import type { RankPartName } from '../../src/engine/model/trace.js';

export function rankPartLabels(): Readonly<Record<RankPartName, string>> {
  return {
    words: l10n.t('Words'),
    meaning: l10n.t('Meaning'),
    aids: l10n.t('Search aids'),
    age: l10n.t('Age'),
  };
}
