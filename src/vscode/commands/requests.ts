import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { ActionRequest } from '../../engine/model/actionRequest.js';
import type { Memory } from '../../engine/model/memory.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { localize } from '../l10n/engineMessages.js';
import { formatInteger, requestLabel, requestPrefix } from '../l10n/labels.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';

const maxQuotedLength = 60;
const maxRowLength = 200;

/** A person's answer to what assistants have requested, and to what members of the team did. */
interface RequestDecision {
  readonly command: CommandId;
  readonly title: string;
  /** @returns undefined where the person, who saw more then, left it */
  readonly apply: (engine: MemoryEngine, request: ActionRequest) => Promise<Memory | undefined>;
  readonly messageForOne: (text: string) => string;
  readonly messageForMany: (count: string) => string;
}

/** Commands that do or dismiss what assistants have requested: on the rows of the explorer, or on one that is picked. */
export function registerRequests(commands: CommandRegistry, engineHolder: EngineHolder): void {
  const decisions: readonly RequestDecision[] = [
    {
      command: commandIds.acceptRequest,
      title: vscode.l10n.t('Which Request Is to Be Done?'),
      apply: acceptRequest,
      messageForOne: text => vscode.l10n.t('Done as requested: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} requests are done.', count),
    },
    {
      command: commandIds.dismissRequest,
      title: vscode.l10n.t('Which Request Is to Be Dismissed?'),
      apply: (engine, { memory }) => engine.actionRequests.dismiss(memory.id),
      messageForOne: text => vscode.l10n.t('Request dismissed: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} requests dismissed.', count),
    },
  ];
  for (const decision of decisions)
    commands.register(decision.command, (...args) => decide(commands, engineHolder, args, decision));
}

/** A share shows first what would be written, and says itself how it went. */
async function acceptRequest(engine: MemoryEngine, { action, memory }: ActionRequest): Promise<Memory | undefined> {
  if (action !== 'share') return engine.actionRequests.accept(memory.id);
  await vscode.commands.executeCommand(commandIds.shareWithTeam, memory.id);
  return undefined;
}

async function decide(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  args: readonly unknown[],
  decision: RequestDecision,
): Promise<void> {
  const engine = await engineHolder.engine();
  const selectedIds = selectedMemoryIds(args);
  if (selectedIds.length === 0 && reportNoSelection(args)) return;
  const requested = await engine.actionRequests.list();
  // Rows of other memories may be selected together with requests.
  const chosen =
    selectedIds.length > 0
      ? requested.filter(it => selectedIds.includes(it.memory.id))
      : await pickRequest(commands, requested, decision);
  const decided: Memory[] = [];
  for (const it of chosen) {
    const memory = await decision.apply(engine, it);
    if (memory !== undefined) decided.push(memory);
  }
  const [first] = decided;
  if (first === undefined) return;
  const message =
    decided.length === 1
      ? decision.messageForOne(toTruncatedLine(first.content, maxQuotedLength))
      : decision.messageForMany(formatInteger(decided.length));
  commands.notifyFinalChange(decision.command, engine, message);
}

async function pickRequest(
  commands: CommandRegistry,
  requested: readonly ActionRequest[],
  { command, title }: RequestDecision,
): Promise<readonly ActionRequest[]> {
  if (requested.length === 0) {
    commands.notify(command, { message: localize(sharedMessages.nothingRequested) });
    return [];
  }
  const rows = requested.map(it => ({
    label: `${requestPrefix(it)}: ${toPlainMessage(toTruncatedLine(it.memory.content, maxRowLength))}`,
    description: requestLabel(it),
    request: it,
  }));
  const picked = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true });
  return picked === undefined ? [] : [picked.request];
}
