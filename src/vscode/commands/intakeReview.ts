import * as vscode from 'vscode';
import { candidatesIntakeId } from '../../engine/model/intake.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import type { Inspector } from '../inspector/inspector.js';
import type { CommandRegistry } from './commandRegistry.js';

/**
 * "Review What Came In": the review of an import or a capture, by its id, or of the newest one. "Candidates": the same of
 * what was said in captured sessions and may be lasting.
 */
export function registerIntakeReview(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  inspector: Inspector,
): void {
  commands.register(commandIds.reviewIntakes, async id => {
    if (typeof id === 'string') {
      inspector.show({ page: 'inbox', id });
      return;
    }
    const [newest] = (await (await engineHolder.engine()).intakes.list()).filter(it => it.by !== 'candidates');
    inspector.show({ page: 'inbox', ...(newest === undefined ? {} : { id: newest.id }) });
  });
  commands.register(commandIds.reviewCandidates, async () => {
    const candidates = await (await engineHolder.engine()).capture.candidates();
    if (candidates.length > 0) {
      inspector.show({ page: 'inbox', id: candidatesIntakeId });
      return;
    }
    const message = vscode.l10n.t('There are no candidates: nothing that was said in a captured session is undecided.');
    commands.notify(commandIds.reviewCandidates, { message });
  });
}
