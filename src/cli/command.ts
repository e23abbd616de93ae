import type { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import type { SettingChange } from '../engine/model/access.js';
import type { Config } from '../engine/model/config.js';
import type { CommandAnswer, CommandCaller, PersonCommand } from '../operations/personCommand.js';

/** Meanings of the exit codes of the command line. */
export const exitCodes = {
  ok: 0,
  /** Understood, but it could not be done, or not all of it; the sentence on stderr says why, or how much was left out. */
  failed: 1,
  /** Not understood: an unknown command, a wrong option or value. */
  usage: 2,
  /** No such memory, or nothing found. */
  notFound: 3,
  /** `verify` found problems. */
  damaged: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The whole command line, as a command about the program knows it. */
export interface ProgramContext {
  readonly dataDir: string;
  /** Of the settings file and the environment, with the options of the command line. */
  readonly config: () => Config;
  /** The folders of the projects that are meant; none where the current folder can be no project. */
  readonly projects: () => readonly string[];
  /** Writes a change into the audit log. */
  readonly noteSetting: (change: SettingChange) => Promise<void>;
}

/** An answer, or work that gives one and needs the engine. */
export type ProgramAnswer = CommandAnswer | ((engine: MemoryEngine) => Promise<CommandAnswer>);

/** A verb for persons about the program, which opens no engine before it finds that it needs one. */
export interface ProgramCommand<Shape extends z.ZodRawShape = z.ZodRawShape> extends Omit<PersonCommand<Shape>, 'run'> {
  answer(program: ProgramContext, input: z.infer<z.ZodObject<Shape>>, caller: CommandCaller): Promise<ProgramAnswer>;
}

/** Defines a command about the program with the type of its schema. */
export function defineProgramCommand<Shape extends z.ZodRawShape>(command: ProgramCommand<Shape>): ProgramCommand {
  return command;
}

/** Runs one command, prints its answer, and ends with the exit code of that. */
export type RunCommand = (
  work: (program: ProgramContext, caller: CommandCaller) => Promise<ProgramAnswer>,
) => Promise<void>;
