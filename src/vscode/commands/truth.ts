import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { Conflict, Revisit, Verdict, Weighed } from '../../engine/model/truth.js';
import { commandIds, type CommandId } from '../contributions.js';
import { translatedText } from '../engineWords.js';
import { isConflictNode } from '../explorer/nodes.js';
import { oneLine } from '../markdown.js';
import { memoryDescription, memoryIcon } from '../present.js';
import type { MemorySession } from '../session.js';
import { countWord, revisitWord } from '../words.js';
import type { Commands } from './registry.js';
import { calledOnNoMemory, targetsOf } from './targets.js';

/** Of a memory's text in a notification, and in a row of a list. */
const quoted = { notification: 60, row: 200 } as const;
/** Long enough to be read once. */
const statusMs = 4_000;
const dayMs = 86_400_000;
/** How far off the day is that is proposed for a plan. */
const proposedDays = 7;

/** What waits for a person's decision: memories that contradict each other, and plans that are overdue or have faded. */
export function registerTruth(commands: Commands, session: MemorySession): void {
  commands.register(commandIds.settleConflict, async node => {
    const engine = await session.engine();
    const conflict = isConflictNode(node) ? node.conflict : await pickConflict(commands, engine);
    if (conflict === undefined) return;
    const verdict = await pickVerdict(conflict);
    if (verdict !== undefined) await settle(commands, session, conflict, verdict);
  });
  commands.register(commandIds.revisitDone, (...args) =>
    decide(commands, session, args, {
      command: commandIds.revisitDone,
      title: vscode.l10n.t('Which Plan Is Done?'),
      decide: (engine, id) => engine.revisits.done(id),
      said: text => vscode.l10n.t('Done: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} plans are done.', count),
    }),
  );
  commands.register(commandIds.revisitDrop, (...args) =>
    decide(commands, session, args, {
      command: commandIds.revisitDrop,
      title: vscode.l10n.t('Which Plan Is Not to Be Done Any More?'),
      decide: (engine, id) => engine.revisits.drop(id),
      said: text => vscode.l10n.t('Dropped: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} plans dropped.', count),
    }),
  );
  commands.register(commandIds.revisitExtend, async (...args) => {
    const ids = await plansOf(commands, await session.engine(), {
      args,
      title: vscode.l10n.t('Which Plan Gets Another Day?'),
    });
    const day = ids.length === 0 ? undefined : await askForDay();
    if (day === undefined) return;
    const engine = await session.engine();
    for (const id of ids) await engine.revisits.extend(id, day);
    vscode.window.setStatusBarMessage(vscode.l10n.t('To be done by {0}', day), statusMs);
  });
}

async function pickConflict(commands: Commands, engine: MemoryEngine): Promise<Conflict | undefined> {
  const conflicts = await engine.truth.conflicts();
  if (conflicts.length === 0) {
    commands.tell(commandIds.settleConflict, { message: vscode.l10n.t('No memories contradict each other.') });
    return undefined;
  }
  const rows = conflicts.map(conflict => ({
    label: oneLine(conflict.newer.memory.content, quoted.row),
    description: translatedText(conflict.reason),
    detail: oneLine(conflict.older.memory.content, quoted.row),
    conflict,
  }));
  const title = vscode.l10n.t('Which Conflict?');
  return (await vscode.window.showQuickPick(rows, { title, matchOnDetail: true, matchOnDescription: true }))?.conflict;
}

async function pickVerdict({ newer, older, reason }: Conflict): Promise<Verdict | undefined> {
  const row = (label: string, it: Weighed, verdict: Verdict): vscode.QuickPickItem & { readonly verdict: Verdict } => ({
    label,
    description: memoryDescription(it),
    detail: oneLine(it.memory.content, quoted.row),
    iconPath: memoryIcon(it),
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
  const options = { title: vscode.l10n.t('Which One Holds?'), placeHolder: translatedText(reason) };
  return (await vscode.window.showQuickPick(rows, options))?.verdict;
}

async function settle(
  commands: Commands,
  session: MemorySession,
  { newer, older }: Conflict,
  verdict: Verdict,
): Promise<void> {
  const engine = await session.engine();
  const settlement = await engine.truth.settle(newer.memory.id, older.memory.id, verdict);
  const kept = verdict === 'keepB' ? older : newer;
  const message =
    verdict === 'keepBoth'
      ? vscode.l10n.t('Both memories are kept.')
      : vscode.l10n.t('Kept: {0}', oneLine(kept.memory.content, quoted.notification));
  offerUndo(commands, commandIds.settleConflict, message, async () => (await session.engine()).truth.undo(settlement));
}

/** What a person may decide about plans, with an undo. */
interface Decision {
  readonly command: CommandId;
  readonly title: string;
  readonly decide: (engine: MemoryEngine, id: string) => Promise<Memory>;
  readonly said: (text: string) => string;
  readonly saidOfMany: (count: string) => string;
}

async function decide(
  commands: Commands,
  session: MemorySession,
  args: readonly unknown[],
  decision: Decision,
): Promise<void> {
  const engine = await session.engine();
  const decided: Memory[] = [];
  for (const id of await plansOf(commands, engine, { args, title: decision.title }))
    decided.push(await decision.decide(engine, id));
  const [first] = decided;
  if (first === undefined) return;
  const message =
    decided.length === 1
      ? decision.said(oneLine(first.content, quoted.notification))
      : decision.saidOfMany(countWord(decided.length));
  offerUndo(commands, decision.command, message, async () => {
    const now = await session.engine();
    for (const { id } of decided) await now.restore(id);
  });
}

/** The plans a command was called on, or one that is picked from those to revisit. */
async function plansOf(
  commands: Commands,
  engine: MemoryEngine,
  { args, title }: { readonly args: readonly unknown[]; readonly title: string },
): Promise<readonly string[]> {
  const targets = targetsOf(args);
  if (targets.length > 0 || calledOnNoMemory(args)) return targets;
  const plans = await engine.revisits.list();
  if (plans.length === 0) {
    commands.tell(commandIds.revisitDone, { message: vscode.l10n.t('No plan is overdue or has faded.') });
    return [];
  }
  const rows = plans.map((it: Revisit) => ({
    label: oneLine(it.memory.content, quoted.row),
    description: revisitWord(it),
    iconPath: memoryIcon(it),
    id: it.memory.id,
  }));
  const picked = await vscode.window.showQuickPick(rows, { title });
  return picked === undefined ? [] : [picked.id];
}

function askForDay(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Another Day'),
    prompt: vscode.l10n.t('To be done by the end of this day'),
    value: new Date(Date.now() + proposedDays * dayMs).toISOString().slice(0, 10),
    validateInput: value =>
      /^\d{4}-\d{2}-\d{2}$/u.test(value) && Date.parse(`${value}T23:59:59Z`) > Date.now()
        ? undefined
        : vscode.l10n.t('A day to come, such as 2030-03-01'),
  });
}

function offerUndo(commands: Commands, command: CommandId, message: string, undo: () => Promise<unknown>): void {
  commands.tell(command, { message, topic: 'decided', actions: [{ title: vscode.l10n.t('Undo'), run: undo }] });
}
