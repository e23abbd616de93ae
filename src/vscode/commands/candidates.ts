import * as vscode from 'vscode';
import { findInstructionMarks } from '../../engine/model/instructionMarks.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { CandidateDecision, CaptureCandidate } from '../../engine/model/capture.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { localizeText } from '../l10n/engineMessages.js';
import { countLabel } from '../l10n/labels.js';
import type { CommandRegistry } from './commandRegistry.js';

/** "Review Candidates": what was said in captured sessions and may be lasting, to keep or drop in one go. */
export function registerCandidates(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.reviewCandidates, async () => {
    const engine = await engineHolder.engine();
    const candidates = await engine.capture.candidates();
    if (candidates.length === 0) {
      const message = vscode.l10n.t(
        'There are no candidates: nothing that was said in a captured session is undecided.',
      );
      commands.notify(commandIds.reviewCandidates, { message });
      return;
    }
    const decision = await pickDecision(candidates);
    if (decision !== undefined) await decide(commands, engine, decision);
  });
}

async function pickDecision(candidates: readonly CaptureCandidate[]): Promise<CandidateDecision | undefined> {
  const title = vscode.l10n.t('Candidates');
  const rows = candidates.map(({ id, content, at, branch }) => ({
    id,
    label: content.replaceAll(/\s+/gu, ' '),
    description: [
      findInstructionMarks(content).length === 0 ? undefined : vscode.l10n.t('looks like an instruction'),
      at === undefined ? undefined : new Date(at).toLocaleDateString(vscode.env.language),
      branch,
    ]
      .filter(it => it !== undefined)
      .join(' · '),
  }));
  const placeHolder = vscode.l10n.t('Mark what is worth keeping; the next step decides about the rest');
  const options = { title, placeHolder, canPickMany: true, ignoreFocusOut: true, matchOnDescription: true } as const;
  const picked = await vscode.window.showQuickPick(rows, options);
  if (picked === undefined) return undefined;
  const marked = picked.map(it => it.id);
  const others = candidates.map(it => it.id).filter(it => !marked.includes(it));
  const choice = await vscode.window.showQuickPick(listDecisions(marked, others), { title, ignoreFocusOut: true });
  return choice?.decision;
}

/** What can be done with the marked candidates and the others. */
function listDecisions(
  marked: readonly string[],
  others: readonly string[],
): (vscode.QuickPickItem & { readonly decision: CandidateDecision })[] {
  const decisions = [
    {
      label: vscode.l10n.t('Keep {0}, drop {1}', marked.length, others.length),
      decision: { keep: marked, drop: others },
      isUseful: marked.length > 0 && others.length > 0,
    },
    {
      label: vscode.l10n.t('Keep {0}, decide about {1} later', marked.length, others.length),
      decision: { keep: marked, drop: [] },
      isUseful: marked.length > 0 && others.length > 0,
    },
    {
      label: vscode.l10n.t('Drop {0}, decide about {1} later', marked.length, others.length),
      decision: { keep: [], drop: marked },
      isUseful: marked.length > 0 && others.length > 0,
    },
    {
      label: vscode.l10n.t('Keep all'),
      decision: { keep: marked, drop: [] },
      isUseful: others.length === 0,
    },
    {
      label: vscode.l10n.t('Drop all'),
      decision: { keep: [], drop: [...marked, ...others] },
      isUseful: marked.length === 0 || others.length === 0,
    },
  ];
  return decisions.filter(it => it.isUseful);
}

async function decide(commands: CommandRegistry, engine: MemoryEngine, decision: CandidateDecision): Promise<void> {
  const outcomes = await engine.capture.decide(decision);
  const kept = outcomes.filter(it => it.outcome !== 'refused').length;
  const sentences = [
    vscode.l10n.t('{0} kept, {1} dropped.', countLabel(kept, 'memory'), decision.drop.length),
    ...outcomes.flatMap(it =>
      it.outcome === 'refused' ? [vscode.l10n.t('Not kept: {0}', localizeText(it.reason))] : [],
    ),
  ];
  commands.notify(commandIds.reviewCandidates, { message: sentences.join(' ') });
}
