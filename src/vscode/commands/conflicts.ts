import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { Conflict, PlanToReview, ConflictResolution, MemoryWithConfidence } from '../../engine/model/conflict.js';
import { commandIds, type CommandId } from '../contributions.js';
import { localizeText } from '../l10n/engineMessages.js';
import { isConflictNode } from '../explorer/treeNodes.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { memoryDescription, memoryIcon } from '../ui/memoryPresentation.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { EngineHolder } from '../engineHolder.js';
import { conflictJudgementLabel, formatInteger, planReviewLabel } from '../l10n/labels.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';
import { showStatusMessage } from '../ui/messages.js';
import type { ChangeName } from '../undo/undoHistory.js';

/** Characters of a memory's text in a notification, and in a row of a picker. */
const maxQuotedLengths = { notification: 60, row: 200 } as const;
const dayMs = 86_400_000;
/** From today to the day that is proposed for a plan. */
const defaultExtensionDays = 7;

/** Commands that resolve conflicts of memories, and review plans that are overdue or have faded. */
export function registerConflicts(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.settleConflict, async node => {
    const engine = await engineHolder.engine();
    const conflict = isConflictNode(node) ? node.conflict : await pickConflict(commands, engine);
    if (conflict === undefined) return;
    const resolution = await pickResolution(conflict);
    if (resolution !== undefined) await resolveConflict(commands, engineHolder, conflict, resolution);
  });
  for (const [command, resolution] of [
    [commandIds.keepNewer, 'keepA'],
    [commandIds.keepBoth, 'keepBoth'],
  ] as const) {
    commands.register(command, async node => {
      const engine = await engineHolder.engine();
      const conflict = isConflictNode(node) ? node.conflict : await pickConflict(commands, engine);
      if (conflict !== undefined) await resolveConflict(commands, engineHolder, conflict, resolution);
    });
  }
  commands.register(commandIds.revisitDone, (...args) =>
    decidePlans(commands, engineHolder, args, {
      command: commandIds.revisitDone,
      title: vscode.l10n.t('Which Plan Is Done?'),
      change: 'done',
      apply: (engine, id) => engine.planReview.complete(id),
      messageForOne: text => vscode.l10n.t('Done: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} plans are done.', count),
    }),
  );
  commands.register(commandIds.revisitDrop, (...args) =>
    decidePlans(commands, engineHolder, args, {
      command: commandIds.revisitDrop,
      title: vscode.l10n.t('Which Plan Is Not to Be Done Any More?'),
      change: 'dropped',
      apply: (engine, id) => engine.planReview.drop(id),
      messageForOne: text => vscode.l10n.t('Dropped: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} plans dropped.', count),
    }),
  );
  commands.register(commandIds.revisitExtend, async (...args) => {
    const ids = await selectPlans(commands, await engineHolder.engine(), {
      args,
      title: vscode.l10n.t('Which Plan Gets Another Day?'),
    });
    const day = ids.length === 0 ? undefined : await promptForDay();
    if (day === undefined) return;
    const engine = await engineHolder.engine();
    for (const id of ids) await engine.planReview.extend(id, day);
    showStatusMessage(vscode.l10n.t('To be done by {0}', day), statusMessageMs);
  });
}

async function pickConflict(commands: CommandRegistry, engine: MemoryEngine): Promise<Conflict | undefined> {
  const conflicts = await engine.conflicts.list();
  if (conflicts.length === 0) {
    commands.notify(commandIds.settleConflict, { message: vscode.l10n.t('No memories contradict each other.') });
    return undefined;
  }
  const rows = conflicts.map(conflict => ({
    label: toPlainMessage(toTruncatedLine(conflict.newer.memory.content, maxQuotedLengths.row)),
    description: conflictJudgementLabel(conflict),
    detail: toPlainMessage(toTruncatedLine(conflict.older.memory.content, maxQuotedLengths.row)),
    conflict,
  }));
  const title = vscode.l10n.t('Which Conflict?');
  return (await vscode.window.showQuickPick(rows, { title, matchOnDetail: true, matchOnDescription: true }))?.conflict;
}

async function pickResolution({ newer, older, reason }: Conflict): Promise<ConflictResolution | undefined> {
  const row = (
    label: string,
    candidate: MemoryWithConfidence,
    verdict: ConflictResolution,
  ): vscode.QuickPickItem & { readonly verdict: ConflictResolution } => ({
    label,
    description: memoryDescription(candidate),
    detail: toPlainMessage(toTruncatedLine(candidate.memory.content, maxQuotedLengths.row)),
    iconPath: memoryIcon(candidate),
    verdict,
  });
  const rows = [
    row(vscode.l10n.t('Keep the newer one'), newer, 'keepA'),
    row(vscode.l10n.t('Keep the older one'), older, 'keepB'),
    {
      label: vscode.l10n.t('Keep both'),
      detail: vscode.l10n.t('They do not contradict each other.'),
      iconPath: new vscode.ThemeIcon('check-all'),
      verdict: 'keepBoth',
    } as const,
  ];
  const options = { title: vscode.l10n.t('Which One Holds?'), placeHolder: localizeText(reason) };
  return (await vscode.window.showQuickPick(rows, options))?.verdict;
}

async function resolveConflict(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  { newer, older }: Conflict,
  verdict: ConflictResolution,
): Promise<void> {
  const engine = await engineHolder.engine();
  const result = await engine.conflicts.resolve(newer.memory.id, older.memory.id, verdict);
  const keptMemory = verdict === 'keepB' ? older : newer;
  const message =
    verdict === 'keepBoth'
      ? vscode.l10n.t('Both memories are kept.')
      : vscode.l10n.t('Kept: {0}', toTruncatedLine(keptMemory.memory.content, maxQuotedLengths.notification));
  commands.notifyChange(
    commandIds.settleConflict,
    engineHolder,
    { message, topic: 'decided' },
    { name: 'settled', ids: [keptMemory.memory.id], steps: [{ do: 'reopen', result }] },
  );
}

/** A decision about plans that can be undone. */
interface PlanDecision {
  readonly command: CommandId;
  readonly title: string;
  readonly change: ChangeName;
  readonly apply: (engine: MemoryEngine, id: string) => Promise<Memory>;
  readonly messageForOne: (text: string) => string;
  readonly messageForMany: (count: string) => string;
}

async function decidePlans(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  args: readonly unknown[],
  decision: PlanDecision,
): Promise<void> {
  const engine = await engineHolder.engine();
  const decidedPlans: Memory[] = [];
  for (const id of await selectPlans(commands, engine, { args, title: decision.title }))
    decidedPlans.push(await decision.apply(engine, id));
  const [first] = decidedPlans;
  if (first === undefined) return;
  const message =
    decidedPlans.length === 1
      ? decision.messageForOne(toTruncatedLine(first.content, maxQuotedLengths.notification))
      : decision.messageForMany(formatInteger(decidedPlans.length));
  const ids = decidedPlans.map(it => it.id);
  commands.notifyChange(
    decision.command,
    engineHolder,
    { message, topic: 'decided' },
    { name: decision.change, ids, steps: [{ do: 'restore', ids }] },
  );
}

/** The ids of the selected plans, or of the one that the user picks. */
async function selectPlans(
  commands: CommandRegistry,
  engine: MemoryEngine,
  { args, title }: { readonly args: readonly unknown[]; readonly title: string },
): Promise<readonly string[]> {
  const selectedIds = selectedMemoryIds(args);
  if (selectedIds.length > 0 || reportNoSelection(args)) return selectedIds;
  const plans = await engine.planReview.list();
  if (plans.length === 0) {
    commands.notify(commandIds.revisitDone, { message: vscode.l10n.t('No plan is overdue or has faded.') });
    return [];
  }
  const rows = plans.map((plan: PlanToReview) => ({
    label: toPlainMessage(toTruncatedLine(plan.memory.content, maxQuotedLengths.row)),
    description: planReviewLabel(plan),
    iconPath: memoryIcon(plan),
    id: plan.memory.id,
  }));
  const picked = await vscode.window.showQuickPick(rows, { title });
  return picked === undefined ? [] : [picked.id];
}

function promptForDay(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Another Day'),
    prompt: vscode.l10n.t('To be done by the end of this day'),
    value: new Date(Date.now() + defaultExtensionDays * dayMs).toISOString().slice(0, 10),
    validateInput: value =>
      /^\d{4}-\d{2}-\d{2}$/u.test(value) && Date.parse(`${value}T23:59:59Z`) > Date.now()
        ? undefined
        : vscode.l10n.t('A day to come, such as 2030-03-01'),
  });
}
