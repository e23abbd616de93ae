import path from 'node:path';
import type { Command } from 'commander';
import { openEngine, type MemoryEngine } from '../engine/engine.js';
import type { SearchWorkerHandle } from '../engine/prewarmSearch.js';
import { addAnchors } from './anchors.js';
import { addCapture } from './capture.js';
import { addCheckpoint } from './checkpoint.js';
import { addErasure } from './erase.js';
import { addCodeIndex } from './codeIndex.js';
import { addConsolidation } from './consolidate.js';
import { print, type ExitCode, type WithEngine } from './command.js';
import { findDataDir } from './dataDir.js';
import { addLanguageModel } from './languageModel.js';
import { addHook } from './hookCommand.js';
import { addMaintenance } from './maintain.js';
import { addMcp, mcpParts } from './mcp.js';
import { addMemories } from './memories.js';
import { addModels, readEmbeddings } from './models.js';
import { hostOf, newProgram, projectsAmong, runProgram, takeOptionsAnywhere, type GlobalOptions } from './program.js';
import { addPublish } from './publish.js';
import { addStores } from './stores.js';
import { addTruth } from './truth.js';

/** For the process that a hook starts. */
export { serveTask } from './hookWork.js';

/**
 * Runs one command line (`process.argv`) and returns its exit code. Results go to stdout, everything else to stderr.
 * @param indexes a thread that was begun for a command that searches
 */
export function runCli(argv: readonly string[], indexes?: SearchWorkerHandle): Promise<ExitCode> {
  return runProgram(exit => buildProgram(exit, indexes), argv);
}

/** The commands and options; `exit` gets the code of the one that ran. */
export function buildProgram(exit: (code: ExitCode) => void, indexes?: SearchWorkerHandle): Command {
  const program = newProgram();

  const withEngine: WithEngine = async work => {
    const options = program.opts<GlobalOptions>();
    const engine = await open(options, indexes);
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
  addMcp(program, () => mcpParts(program));
  takeOptionsAnywhere(program);
  return program;
}

async function open(options: GlobalOptions, searchWorker: SearchWorkerHandle | undefined): Promise<MemoryEngine> {
  const dataDir = findDataDir(options.dataDir);
  if (options.json !== true) console.error(`Memory: ${dataDir.path} (${dataDir.because})`);
  const engine = await openEngine(
    {
      ...hostOf(options, dataDir.path),
      workspaceFolders: options.project?.map(it => path.resolve(it)) ?? projectsAmong([process.cwd()]),
      client: 'cli',
    },
    { prewarm: searchWorker !== undefined, searchWorker },
  );
  for (const notice of engine.notices) console.error(String(notice));
  return engine;
}
