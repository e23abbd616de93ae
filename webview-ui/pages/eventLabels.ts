import * as l10n from '@vscode/l10n';
import type { CurveEvent } from '../../src/engine/model/explanation.js';

export function eventLabels(): Readonly<Record<CurveEvent['action'], string>> {
  return {
    create: l10n.t('Stored'),
    reinforce: l10n.t('Said again'),
    weaken: l10n.t('Contradicted'),
    pin: l10n.t('Pinned'),
    unpin: l10n.t('Unpinned'),
    archive: l10n.t('Forgotten'),
    restore: l10n.t('Restored'),
    promote: l10n.t('Promoted'),
    feedback: l10n.t('Judged'),
    edit: l10n.t('Edited'),
    read: l10n.t('Read'),
    link: l10n.t('Linked'),
    move: l10n.t('Moved'),
    mark: l10n.t('Marked as outdated or still true'),
    settle: l10n.t('Conflict settled'),
    supersede: l10n.t('Superseded'),
    merge: l10n.t('Merged'),
    export: l10n.t('Exported'),
    import: l10n.t('Imported'),
    consent: l10n.t('Consented'),
    configure: l10n.t('Setting changed'),
    maintain: l10n.t('Maintained'),
    digest: l10n.t('Embedded'),
    prune: l10n.t('Pruned'),
    purge: l10n.t('Deleted for good'),
    reset: l10n.t('Store emptied'),
    rollback: l10n.t('Rolled back'),
    recall: l10n.t('Recalled'),
  };
}
