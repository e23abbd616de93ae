import os from 'node:os';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import { claudeCodeSessions, openEngine, type MemoryEngine } from '../engine/engine.js';
import { defaultConfig } from '../engine/model/config.js';
import type { Host } from '../engine/model/host.js';
import { addAnchors } from './anchors.js';
import { addCapture } from './capture.js';
import { addCheckpoint } from './checkpoint.js';
import { addErasure } from './erase.js';
import { addCodeIndex } from './codeIndex.js';
import { addConsolidation } from './consolidate.js';
import { exitCodes, print, type ExitCode, type WithEngine } from './command.js';
import { findChatSessions, findDataDir } from './dataDir.js';
import { addLanguageModel, readModel, secretOf } from './languageModel.js';
import { addHook } from './hookCommand.js';
import { addMaintenance } from './maintain.js';
import { addMcp } from './mcp.js';
import { addMemories } from './memories.js';
import { addModels, readEmbeddings } from './models.js';
import { addPublish } from './publish.js';
import { addStores } from './stores.js';
import { addTruth } from './truth.js';

interface GlobalOptions {
  readonly dataDir?: string;
  readonly project?: string[];
  readonly embeddings?: string;
  readonly modelProvider?: string;
  readonly model?: string;
  readonly json?: true;
  readonly verbose?: true;
}

/** Runs one command line (`process.argv`) and returns its exit code. Results go to stdout, everything else to stderr. */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  // `recollect list | head` closes our stdout early; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    throw error;
  });
  let code: ExitCode = exitCodes.ok;
  const program = buildProgram(it => {
    code = it;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    console.error(error instanceof EngineError ? error.message : `Something went wrong: ${String(error)}`);
    if (EngineError.is(error, 'invalidInput')) return exitCodes.usage;
    return EngineError.is(error, 'notFound') ? exitCodes.notFound : exitCodes.failed;
  }
}

/** The commands and options; `exit` gets the code of the one that ran. */
export function buildProgram(exit: (code: ExitCode) => void): Command {
  const program = new Command('recollect')
    .description('Memory for your coding assistants, kept on your machine.')
    .option('--data-dir <folder>', 'where the memories lie (default: RECOLLECT_HOME, else where VS Code keeps them)')
    .option('--project <folder>', 'the project to work in (default: this folder); again for more than one', collect)
    .option('--embeddings <model>', 'what finds by meaning: built-in, off, a model, a folder (or RECOLLECT_EMBEDDINGS)')
    .option('--model-provider <name>', 'language model: none, anthropic (or RECOLLECT_MODEL_PROVIDER; default: none)')
    .option('--model <name>', 'the name of the language model (or RECOLLECT_MODEL)')
    .option('--json', 'print JSON')
    .option('--verbose', 'say on stderr what happens')
    .exitOverride();

  const withEngine: WithEngine = async work => {
    const options = program.opts<GlobalOptions>();
    const engine = await open(options);
    try {
      exit(await work(engine, options.json === true));
    } finally {
      await engine.close();
    }
  };

  addMemories(program, withEngine);
  addTruth(program, withEngine);
  addStores(program, withEngine);
  addPublish(program, withEngine);
  addCapture(program, withEngine);
  addConsolidation(program, withEngine);
  addCodeIndex(program, withEngine);
  addAnchors(program, withEngine);
  addMaintenance(program, withEngine);
  addCheckpoint(program, withEngine);
  addErasure(program, withEngine);
  addLanguageModel(program, withEngine);
  const isJson = (): boolean => program.opts<GlobalOptions>().json === true;
  addModels(program, {
    dataDir: () => findDataDir(program.opts<GlobalOptions>().dataDir).path,
    embeddings: () => readEmbeddings(program.opts<GlobalOptions>().embeddings),
    isJson,
    print: (data, lines) => {
      print(isJson(), data, lines);
    },
  });
  addHook(program, () => program.opts<GlobalOptions>().dataDir);
  addMcp(program, () => {
    const options = program.opts<GlobalOptions>();
    return {
      host: hostOf(options, findDataDir(options.dataDir).path),
      projects: options.project?.map(it => path.resolve(it)),
      projectsAmong,
    };
  });
  // Options may stand before or after the command's name.
  for (const command of program.commands.flatMap(it => [it, ...it.commands]))
    for (const option of program.options) command.addOption(option);
  program.hook('preAction', (root, action) => {
    for (const [name, value] of Object.entries(action.opts())) {
      if (root.options.some(it => it.attributeName() === name)) root.setOptionValue(name, value);
    }
  });
  return program;
}

async function open(options: GlobalOptions): Promise<MemoryEngine> {
  const dataDir = findDataDir(options.dataDir);
  if (options.json !== true) console.error(`Memory: ${dataDir.path} (${dataDir.because})`);
  const engine = await openEngine({
    ...hostOf(options, dataDir.path),
    workspaceFolders: options.project?.map(it => path.resolve(it)) ?? projectsAmong([process.cwd()]),
    client: 'cli',
  });
  for (const notice of engine.notices) console.error(notice);
  return engine;
}

function hostOf(options: GlobalOptions, dataDir: string): Omit<Host, 'workspaceFolders' | 'client'> {
  const model = readModel(options);
  const config = { ...defaultConfig, embeddings: readEmbeddings(options.embeddings), model };
  const say = (message: string): void => {
    if (options.verbose === true) console.error(message);
  };
  return {
    dataDir,
    // The bundle lies in dist/, the models beside that folder.
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, '..', 'media', 'models'),
    log: {
      info: say,
      warn: say,
      error: (message, error) => {
        say(error instanceof Error ? `${message} ${error.message}` : message);
      },
    },
    secret: secretOf(model),
    sessionFolders: { claudeCode: claudeCodeSessions(os.homedir(), process.env), ...chatSessions() },
    config: () => config,
    now: () => new Date(),
  };
}

/** Where VS Code keeps its chats, where there is one. */
function chatSessions(): { vscodeChat?: string } {
  const folder = findChatSessions();
  return folder === undefined ? {} : { vscodeChat: folder };
}

/** The home folder and the root of a disk are no project. */
function projectsAmong(folders: readonly string[]): string[] {
  return folders.filter(it => it !== os.homedir() && it !== path.parse(it).root);
}

const collect = (folder: string, folders: readonly string[] = []): string[] => [...folders, folder];
