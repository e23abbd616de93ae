import { readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, CommanderError, type Option } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import { defaultSessionFolders } from '../engine/engine.js';
import type { Config } from '../engine/model/config.js';
import type { EngineHost } from '../engine/model/host.js';
import { readConfig } from '../engine/model/settings.js';
import { readSettingsFile } from '../engine/access/settingsFile.js';
import { exitCodes, type ExitCode } from './command.js';
import { findChatSessions } from './dataDir.js';
import { createSecretReader, readEmbeddings, readEndpointConfig, readModelConfig } from './environment.js';

/** Options of every command. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly project?: string[];
  readonly embeddings?: string;
  readonly modelProvider?: string;
  readonly model?: string;
  readonly json?: true;
  readonly verbose?: true;
}

const exitCodesHelp = `
Exit codes: 0 done; 1 not done, or not all of it (what was left out is named); 2 the command line was not understood;
3 nothing was found; 4 verify found damage.`;

/** `recollect` without a command yet. */
export function createProgram(): Command {
  const program: Command & { readonly rawArgs?: readonly string[] } = new Command('recollect');
  program
    .description('Memory for your coding assistants, kept on your machine.')
    .option('--version', 'print the version')
    .option('--data-dir <folder>', 'where the memories lie (default: RECOLLECT_HOME, else where VS Code keeps them)')
    .option(
      '--project <folder>',
      'the project to work in (default: this folder); again for more than one',
      appendFolder,
    )
    .option(
      '--embeddings <model>',
      'what finds by meaning: built-in, static, off, endpoint, a model, a folder (or RECOLLECT_EMBEDDINGS)',
    )
    .option('--model-provider <name>', 'language model: none, anthropic (or RECOLLECT_MODEL_PROVIDER; default: none)')
    .option('--model <name>', 'the name of the language model (or RECOLLECT_MODEL)')
    .option('--json', 'print JSON')
    .option('--verbose', 'say on stderr what happens')
    .addHelpText('after', exitCodesHelp)
    .configureOutput({
      outputError: (text, write) => {
        const isJson = program.rawArgs?.includes('--json') === true;
        write(isJson ? `${toJsonError(text.replace(/^error: /u, '').trim(), 'invalidInput')}\n` : text);
      },
    })
    .exitOverride();
  // Not Command.version(), which reads the version for every command.
  program.on('option:version', () => {
    console.log(readVersion());
    throw new CommanderError(exitCodes.ok, 'commander.version', '');
  });
  return program;
}

/** Version of the package that this bundle is part of. */
export function readVersion(): string {
  const file = path.join(__dirname, '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** Options may come before or after the command's name: for when all commands are there. */
export function allowGlobalOptionsAnywhere(program: Command): void {
  for (const command of program.commands.flatMap(withThoseBelow))
    for (const option of program.options) command.addOption(option);
  program.hook('preAction', (root, action) => {
    for (const [name, value] of Object.entries(action.opts())) {
      if (root.options.some(it => it.attributeName() === name)) root.setOptionValue(name, value);
    }
  });
}

/**
 * A word after a command with subcommands names one of them, or nothing: Commander would take it for one argument too many of
 * the subcommand that is the default. For when all commands are there.
 */
export function refuseUnknownSubcommands(program: Command): void {
  for (const group of program.commands.flatMap(withThoseBelow)) {
    if (group.commands.length === 0 || group.registeredArguments.length > 0) continue;
    const names = group.commands.map(it => it.name());
    const refuse = (): void => {
      const [word] = group.args;
      if (word === undefined || word.startsWith('-') || names.includes(word)) return;
      const path = `${group.parent === program ? '' : `${group.parent?.name()} `}${group.name()}`;
      throw new EngineError(
        'invalidInput',
        `There is no command ${JSON.stringify(word)} of recollect ${path}. There are: ${shownNames(group).join(', ')}.`,
      );
    };
    group.allowExcessArguments().hook('preSubcommand', refuse).hook('preAction', refuse).on('command:*', refuse);
  }
}

/** Without the help, and without former names where there are others. */
function shownNames(group: Command): readonly string[] {
  const toNames = (commands: readonly Command[]): readonly string[] =>
    commands.map(it => it.name()).filter(it => it !== 'help');
  const shown = toNames(group.createHelp().visibleCommands(group));
  return shown.length > 0 ? shown : toNames(group.commands);
}

function withThoseBelow(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withThoseBelow)];
}

/**
 * Runs one command line (`process.argv`) and returns its exit code. Results go to stdout, everything else to stderr.
 * @param build makes the program; `exit` gets the code of the command that ran
 */
export async function runProgram(
  build: (exit: (exitCode: ExitCode) => void) => Command,
  argv: readonly string[],
): Promise<ExitCode> {
  // `recollect list | head` closes our stdout early; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    console.error(`The output could not be written (${String(error.code)}).`);
    process.exit(exitCodes.failed);
  });
  let exitCode: ExitCode = exitCodes.ok;
  const program = build(it => {
    exitCode = it;
  });
  try {
    await program.parseAsync(protectTexts(program, argv));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const text = EngineError.is(error) ? error.message : `Something went wrong: ${String(error)}`;
    const isJson = program.opts<GlobalOptions>().json === true;
    console.error(isJson ? toJsonError(text, EngineError.is(error) ? error.code : 'internal') : text);
    if (EngineError.is(error, 'invalidInput')) return exitCodes.usage;
    return EngineError.is(error, 'notFound') ? exitCodes.notFound : exitCodes.failed;
  }
}

/**
 * Puts a text that begins as a list does ("- one") behind `--`, where Commander reads no options, and with it all words after
 * it, in their order; options stay before. No option has a space after its dashes.
 */
function protectTexts(program: Command, argv: readonly string[]): readonly string[] {
  const options = withThoseBelow(program).flatMap(it => it.options);
  const flagsOf = (some: readonly Option[]): ReadonlySet<string | undefined> =>
    new Set(some.flatMap(it => [it.short, it.long]).filter(it => it !== undefined));
  const valued = flagsOf(options.filter(it => it.required || it.optional));
  const variadic = flagsOf(options.filter(it => it.variadic));
  const isText = (it: string, i: number): boolean => /^-+\s/u.test(it) && !valued.has(argv[i - 1]);
  const first = argv.findIndex(isText);
  if (first < 0 || argv.includes('--')) return argv;
  const [before, words] = [argv.slice(0, first), [] as string[]];
  /** The option that may take the next word. */
  let flag: string | undefined;
  for (let i = first; i < argv.length; i++) {
    const it = argv[i]!;
    const isOption = it.length > 1 && it.startsWith('-') && !isText(it, i);
    const isValue = !isText(it, i) && (valued.has(argv[i - 1]) || variadic.has(flag));
    if (isOption || isValue) before.push(it);
    else words.push(it);
    if (!isValue || isOption) flag = isOption ? it : undefined;
  }
  return [...before, '--', ...words];
}

/** The engine's host on a command line. */
export function createHost(options: GlobalOptions, dataDir: string): Omit<EngineHost, 'workspaceFolders' | 'client'> {
  const config = readProgramConfig(dataDir, options);
  const logVerbose = (message: string): void => {
    if (options.verbose === true) console.error(message);
  };
  return {
    dataDir,
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, 'models'),
    log: {
      info: logVerbose,
      warn: logVerbose,
      error: (message, error) => {
        logVerbose(error instanceof Error ? `${message} ${error.message}` : message);
      },
    },
    secret: createSecretReader(config),
    sessionFolders: { ...defaultSessionFolders(os.homedir(), process.env, process.platform), ...chatSessionFolders() },
    config: () => config,
    now: () => new Date(),
  };
}

/** The settings file of the data folder, below what the options and the environment say. */
export function readProgramConfig(dataDir: string, options: GlobalOptions): Config {
  const warn = (message: string): void => {
    console.error(message);
  };
  const file = readSettingsFile(dataDir, warn);
  const config = readConfig(key => file[key], warn);
  return {
    ...config,
    embeddings: readEmbeddings(options.embeddings, process.env, config.embeddings),
    embeddingEndpoint: readEndpointConfig(config.embeddingEndpoint),
    model: readModelConfig(options, process.env, config.model),
  };
}

/** Where VS Code keeps its chats, where there is one. */
function chatSessionFolders(): { vscodeChat?: string } {
  const folder = findChatSessions();
  return folder === undefined ? {} : { vscodeChat: folder };
}

/**
 * The full path of a project that the command line names: a typing mistake would make a memory that is never found again.
 * @throws EngineError invalidInput where it is no folder
 */
export function requireFolder(folder: string): string {
  const resolved = path.resolve(folder);
  if (folder !== '' && isFolder(resolved)) return resolved;
  throw new EngineError(
    'invalidInput',
    `--project ${JSON.stringify(folder)} is no folder that can be read. Name one that exists.`,
  );
}

/**
 * The folder that the caller works in. Some programs start a plugin's server in the plugin's own folder, which is no project:
 * then it is the one of the shell that started the program, and the home folder, which is none, where that is not known.
 */
export function workingFolder(cwd: string, env: Readonly<Record<string, string | undefined>>): string {
  const { PLUGIN_ROOT: plugin, PWD: shellFolder } = env;
  if (plugin === undefined || path.relative(plugin, cwd) !== '') return cwd;
  const isElsewhere =
    shellFolder !== undefined && path.isAbsolute(shellFolder) && path.relative(shellFolder, cwd) !== '';
  return isElsewhere ? shellFolder : os.homedir();
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

const appendFolder = (folder: string, folders: readonly string[] = []): string[] => [...folders, folder];

/** With `--json` an error on stderr is one object on one line, as over HTTP. */
function toJsonError(error: string, code: string): string {
  return JSON.stringify({ error, code });
}
