import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import { dayMs } from '../../engine/model/duration.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import type {
  Conflict,
  ConflictResolution,
  MemoryWithConfidence,
  PlanToReview,
  ResolutionResult,
} from '../../engine/model/conflict.js';
import { commandIds, type CommandId } from '../contributions.js';
import { localize, localizeText } from '../l10n/engineMessages.js';
import { isConflictNode } from '../explorer/treeNodes.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { memoryRowDetail, pinIcon } from '../ui/memoryPresentation.js';
import { confirmModal } from '../ui/confirmModal.js';
import type { EngineHolder } from '../engineHolder.js';
import { conflictJudgementLabel, formatInteger, planReviewLabel } from '../l10n/labels.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';
import type { ChangeName } from '../undo/undoHistory.js';

/** Characters of a memory's text in a notification, and in a row of a picker. */
const maxQuotedLengths = { notification: 60, row: 200 } as const;
/** As many as the tree counts. */
const maxSettledAtOnce = 1_000;
/** From today to the day that is proposed for a plan. */
const defaultExtensionDays = 7;

/** Commands that resolve conflicts of memories, and review plans that are overdue or have faded. */
export function registerConflicts(commands: CommandRegistry, engineHolder: EngineHolder): void {
  const chosenConflicts = async (args: readonly unknown[]): Promise<readonly Conflict[]> => {
    const selected = selectedConflicts(args);
    return selected.length > 0 ? selected : pickConflict(commands, await engineHolder.engine());
  };
  commands.register(commandIds.settleConflict, async (...args) => {
    const conflicts = await chosenConflicts(args);
    if (conflicts.length === 0) return;
    const resolution = await pickResolution(conflicts);
    if (resolution !== undefined) await resolveConflicts(commands, engineHolder, conflicts, resolution);
  });
  for (const [command, resolution] of [
    [commandIds.keepNewer, 'keepA'],
    [commandIds.keepBoth, 'keepBoth'],
  ] as const) {
    commands.register(command, async (...args) => {
      const conflicts = await chosenConflicts(args);
      if (conflicts.length > 0) await resolveConflicts(commands, engineHolder, conflicts, resolution);
    });
  }
  commands.register(commandIds.keepNewerOfAll, () => keepNewerOfAll(commands, engineHolder));
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
      messageForOne: text => vscode.l10n.t('Forgotten: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} plans forgotten.', count),
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
    commands.notifyFinalChange(commandIds.revisitExtend, engine, vscode.l10n.t('To be done by {0}', day));
  });
}

/** The pairs of the selected rows, or of the one row that it was called on. */
function selectedConflicts([row, selected]: readonly unknown[]): readonly Conflict[] {
  if (!isConflictNode(row)) return [];
  const nodes = Array.isArray(selected) ? selected.filter(isConflictNode) : [];
  return (nodes.includes(row) ? nodes : [row]).map(it => it.conflict);
}

/** One that the person picks where there are several; none where they leave. */
async function pickConflict(commands: CommandRegistry, engine: MemoryEngine): Promise<readonly Conflict[]> {
  const conflicts = await engine.conflicts.list();
  if (conflicts.length === 0)
    commands.notify(commandIds.settleConflict, { message: vscode.l10n.t('No memories contradict each other.') });
  if (conflicts.length < 2) return conflicts;
  const rows = conflicts.map(conflict => ({
    label: toPlainMessage(toTruncatedLine(conflict.newer.memory.content, maxQuotedLengths.row)),
    description: conflictJudgementLabel(conflict),
    detail: toPlainMessage(toTruncatedLine(conflict.older.memory.content, maxQuotedLengths.row)),
    conflict,
  }));
  const title = vscode.l10n.t('Which Conflict?');
  const picked = await vscode.window.showQuickPick(rows, { title, matchOnDetail: true, matchOnDescription: true });
  return picked === undefined ? [] : [picked.conflict];
}

/** Settles all that an assistant stated, after a question with their number; its guesses are left for a look at each. */
async function keepNewerOfAll(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const engine = await engineHolder.engine();
  const all = await engine.conflicts.list({ limit: maxSettledAtOnce, undecidedOnly: true });
  const stated = all.filter(it => it.mark !== undefined);
  if (stated.length === 0) {
    commands.notify(commandIds.keepNewerOfAll, { message: vscode.l10n.t('No memories contradict each other.') });
    return;
  }
  const isConfirmed = await confirmModal({
    question: vscode.l10n.t('Keep the newer memory of each of {0} pairs?', formatInteger(stated.length)),
    detail: vscode.l10n.t(
      'The older ones are replaced: they are under “Forgotten or Replaced”. One Undo takes all back.',
    ),
    button: vscode.l10n.t('Keep the Newer Ones'),
  });
  if (isConfirmed) await resolveConflicts(commands, engineHolder, stated, 'keepA');
}

async function pickResolution(conflicts: readonly Conflict[]): Promise<ConflictResolution | undefined> {
  const [conflict] = conflicts;
  return conflicts.length === 1 && conflict !== undefined ? pickForOne(conflict) : pickForMany(conflicts.length);
}

async function pickForMany(count: number): Promise<ConflictResolution | undefined> {
  const rows = [
    { label: vscode.l10n.t('Keep the newer ones'), verdict: 'keepA' },
    { label: vscode.l10n.t('Keep the older ones'), verdict: 'keepB' },
    {
      label: vscode.l10n.t('Keep all'),
      detail: vscode.l10n.t('They do not contradict each other.'),
      verdict: 'keepBoth',
    },
  ] as const;
  const title = vscode.l10n.t('Which Ones Hold, of {0} Pairs?', formatInteger(count));
  return (await vscode.window.showQuickPick(rows, { title }))?.verdict;
}

async function pickForOne({ newer, older, reason }: Conflict): Promise<ConflictResolution | undefined> {
  const row = (
    label: string,
    candidate: MemoryWithConfidence,
    verdict: ConflictResolution,
  ): vscode.QuickPickItem & { readonly verdict: ConflictResolution } => ({
    label,
    description: memoryRowDetail(candidate.memory),
    detail: toPlainMessage(toTruncatedLine(candidate.memory.content, maxQuotedLengths.row)),
    ...pinIcon(candidate.memory),
    verdict,
  });
  const rows = [
    row(vscode.l10n.t('Keep the newer one'), newer, 'keepA'),
    row(vscode.l10n.t('Keep the older one'), older, 'keepB'),
    {
      label: vscode.l10n.t('Keep both'),
      detail: vscode.l10n.t('They do not contradict each other.'),
      verdict: 'keepBoth',
    } as const,
  ];
  const options = { title: vscode.l10n.t('Which One Holds?'), placeHolder: localizeText(reason) };
  return (await vscode.window.showQuickPick(rows, options))?.verdict;
}

/** All of them as one change; a pair that another window settled meanwhile is passed over. */
async function resolveConflicts(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  conflicts: readonly Conflict[],
  verdict: ConflictResolution,
): Promise<void> {
  const engine = await engineHolder.engine();
  const results: ResolutionResult[] = [];
  const kept: MemoryWithConfidence[] = [];
  const alsoKept: string[] = [];
  for (const { newer, older } of conflicts) {
    // One that replaced another may be replaced itself by the next pair.
    const sides = await engine.getMany([newer.memory.id, older.memory.id]);
    if (conflicts.length > 1 && sides.some(it => it.status !== 'active')) continue;
    results.push(await engine.conflicts.resolve(newer.memory.id, older.memory.id, verdict));
    kept.push(verdict === 'keepB' ? older : newer);
    if (verdict === 'keepBoth') alsoKept.push(older.memory.id);
  }
  const [first] = kept;
  if (first === undefined) return;
  commands.notifyChange(commandIds.settleConflict, engine, settledSentence(kept, verdict), {
    name: 'settled',
    ids: [...kept.map(it => it.memory.id), ...alsoKept],
    steps: results.toReversed().map(result => ({ do: 'reopen', result }) as const),
  });
}

function settledSentence(kept: readonly MemoryWithConfidence[], verdict: ConflictResolution): string {
  if (kept.length > 1) return vscode.l10n.t('{0} pairs are settled.', formatInteger(kept.length));
  return verdict === 'keepBoth'
    ? vscode.l10n.t('Both memories are kept.')
    : vscode.l10n.t('Kept: {0}', toTruncatedLine(kept[0]!.memory.content, maxQuotedLengths.notification));
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
  const change = { name: decision.change, ids, steps: [{ do: 'restore', ids }] } as const;
  commands.notifyChange(decision.command, engine, message, change);
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
    commands.notify(commandIds.revisitDone, { message: localize(sharedMessages.noPlanToReview) });
    return [];
  }
  const rows = plans.map((plan: PlanToReview) => ({
    label: toPlainMessage(toTruncatedLine(plan.memory.content, maxQuotedLengths.row)),
    description: planReviewLabel(plan),
    ...pinIcon(plan.memory),
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
