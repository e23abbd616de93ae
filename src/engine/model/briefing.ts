import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { Memory } from './memory.js';

/** Assistants whose hooks give a session its briefing. `vscode` is VS Code's own chat. */
export const briefedPrograms = ['claude-code', 'codex', 'vscode', 'copilot'] as const;
export type BriefedProgram = (typeof briefedPrograms)[number];

/** Client names of hooks, for rights and logs. */
export const hookClients: Readonly<Record<BriefedProgram, string>> = {
  'claude-code': 'hook',
  codex: 'hook:codex',
  vscode: 'hook:vscode',
  copilot: 'hook:copilot',
};

/** Estimated tokens of a briefing: what stands at the start of every session is short. */
export const briefingTokenBudget = 1_000;

/** The parts of a briefing, in their order. */
export const briefingBlocks = [
  'handover',
  'pinned',
  'standing',
  'team',
  'due',
  'changed',
  'branch',
  'recalled',
] as const;
export type BriefingBlock = (typeof briefingBlocks)[number];

/** As an assistant reads them. */
export const briefingTitles: Readonly<Record<BriefingBlock, string>> = {
  handover: 'Handed over by the session before:',
  pinned: 'Pinned:',
  standing: 'How work is done here:',
  team: "New from the team's members:",
  due: 'Due:',
  changed: 'Changed since your last session:',
  branch: 'Learned on this branch:',
  recalled: 'Recalled most in the last 30 days:',
};

/** Tag of a hand-over: a note for the next session of a project and branch, and for that one alone. */
export const handoverTag = 'handover';
/** Days after which a hand-over that no session took is not given any more. */
export const handoverDays = 7;
/** In characters: the 250 tokens that a hand-over may have. */
export const maxHandoverLength = 1_000;

/** A memory of a briefing, and the reason for its place. */
export interface BriefingLine {
  readonly block: BriefingBlock;
  readonly memory: Memory;
  /** The lines that the assistant reads. */
  readonly text: string;
  readonly reason: LocalizableMessage;
}

/** Reasons why a memory is left out of a briefing. */
export const leftOutReasons = [
  'noRoom',
  'replaced',
  'unconfirmedImport',
  'readByProgram',
  'repeated',
  'faded',
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

export interface LeftOutMemory {
  readonly id: string;
  /** The text's beginning. */
  readonly content: string;
  readonly reason: LeftOutReason;
}

/** Memories that a session gets at its start, before any question. */
export interface Briefing {
  /** In its envelope; empty where there is nothing to give. */
  readonly context: string;
  /** Estimated. */
  readonly tokens: number;
  readonly lines: readonly BriefingLine[];
  readonly leftOut: readonly LeftOutMemory[];
  /** Memories that are no rule, not due, not new and not in use: a recall finds them. */
  readonly others: number;
}
