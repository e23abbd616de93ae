import * as vscode from 'vscode';
import { commandIds, type ChatCommand, type CommandId } from '../contributions.js';
import type { CommandRegistry } from '../commands/commandRegistry.js';
import { formatMemoryReferences } from './citations.js';

/** The command of each button of an answer, and the slash command that then says how it is. */
const decisions = {
  confirm: { command: commandIds.promote, report: 'remember' },
  forget: { command: commandIds.forget, report: 'forget' },
  restore: { command: commandIds.restore, report: 'remember' },
} as const satisfies Readonly<Record<string, { readonly command: CommandId; readonly report: ChatCommand }>>;
export type ChatDecision = keyof typeof decisions;

/**
 * The buttons of answers. The click is the person's word (ADR 0031); an answer that is there cannot be changed, so the chat
 * then asks for the state of the memories, and its answer shows what has happened.
 */
export function registerChatDecisions(commands: CommandRegistry): void {
  commands.register(commandIds.decideInChat, async (decision, ids) => {
    if (!isDecision(decision) || !Array.isArray(ids)) return;
    const memoryIds = ids.filter(it => typeof it === 'string');
    const { command, report } = decisions[decision];
    await vscode.commands.executeCommand(command, memoryIds);
    const query = `@recollect /${report} ${formatMemoryReferences(memoryIds)}`;
    await vscode.commands.executeCommand('workbench.action.chat.open', { query });
  });
}

function isDecision(value: unknown): value is ChatDecision {
  return typeof value === 'string' && Object.hasOwn(decisions, value);
}
