import type { Command } from 'commander';
import { openEngine, type MemoryEngine } from '../engine/engine.js';
import { EngineError } from '../engine/base/errors.js';
import type { SettingChange } from '../engine/model/access.js';
import { maintenanceBudgetMs } from '../engine/model/maintenance.js';
import { pluralize } from '../engine/model/pluralize.js';
import type { SearchWorkerHandle } from '../engine/engine.js';
import { confirmCommands } from '../operations/confirm.js';
import { conflictsCommand, settleCommand } from '../operations/conflicts.js';
import { goalCommands } from '../operations/goals.js';
import { anchorsCommand } from '../operations/anchors.js';
import { captureCommands } from '../operations/capture.js';
import { checkpointCommands } from '../operations/checkpoint.js';
import { indexCommand } from '../operations/codeIndex.js';
import { consolidateCommand, identityCommand } from '../operations/consolidate.js';
import { editCommand } from '../operations/edit.js';
import { exportCommand } from '../operations/export.js';
import { feedbackCommand } from '../operations/feedback.js';
import { forgetCommand } from '../operations/forget.js';
import { importCommand } from '../operations/import.js';
import { languageModelCommands } from '../operations/languageModel.js';
import { listCommand } from '../operations/list.js';
import { moveCommand } from '../operations/move.js';
import { pinCommand, unpinCommand } from '../operations/pin.js';
import { priorityCommand } from '../operations/priority.js';
import { publishCommand } from '../operations/publish.js';
import { deleteCommands, resetCommand } from '../operations/purge.js';
import { recallCommand } from '../operations/recall.js';
import { rememberCommand } from '../operations/remember.js';
import { sensitiveCommands } from '../operations/sensitive.js';
import { setCommands } from '../operations/sets.js';
import { showCommand } from '../operations/show.js';
import { storeCommands } from '../operations/storeMove.js';
import { syncCommand } from '../operations/sync.js';
import { teamCommands } from '../operations/team.js';
import { formerShareCommand } from '../operations/teamShare.js';
import { verifyCommand } from '../operations/verify.js';
import { graphCommand, linkCommand } from '../operations/graph.js';
import { maintainCommand } from '../operations/maintain.js';
import { metricsCommand } from '../operations/metrics.js';
import { requestsCommand } from '../operations/requests.js';
import { restoreCommand } from '../operations/restore.js';
import { revisitCommand } from '../operations/revisit.js';
import { tracesCommand } from '../operations/traces.js';
import { abCommand } from './commands/ab.js';
import { briefingCommand } from './commands/briefing.js';
import { auditCommand, clientCommands } from './commands/clients.js';
import { configCommand } from './commands/config.js';
import { connectCommands } from './commands/connect.js';
import { exitCodes, type ExitCode, type ProgramContext, type RunCommand } from './command.js';
import { registerCommands } from './registerCommand.js';
import { findDataDir } from './dataDir.js';
import { handoverCommand } from './commands/handover.js';
import { registerHookCommand } from './commands/hook.js';
import { filterProjects } from './filterProjects.js';
import { registerMcpCommand, mcpServerOptions } from './commands/mcp.js';
import { embeddingModelCommands } from './commands/embeddingModels.js';
import { endpointCommand } from './commands/embeddingEndpoint.js';
import {
  createHost,
  createProgram,
  readProgramConfig,
  requireFolder,
  runProgram,
  allowGlobalOptionsAnywhere,
  refuseUnknownSubcommands,
  type GlobalOptions,
} from './program.js';
import { describeProjectNotice, projectCommands } from '../operations/project.js';
import { keyCommands } from './commands/keys.js';
import { readSensitiveKeys } from './keyFile.js';
import { registerServeCommand } from './commands/serve.js';
import { createCaller, printAnswer } from './terminal.js';
import { classifyCommand } from './commands/classify.js';

/** For the process that a hook starts at a stop. */
export { serveStopTask } from './hooks/stopTask.js';

/** How long a command waits for what the team shares. */
const arrivalWaitMs = 500;

/**
 * Runs one command line (`process.argv`) and returns its exit code. Results go to stdout, everything else to stderr.
 * @param searchWorker a thread that was started for a command that searches
 */
export function runCli(argv: readonly string[], searchWorker?: SearchWorkerHandle): Promise<ExitCode> {
  return runProgram(exit => buildProgram(exit, searchWorker), argv);
}

/** The commands and options; `exit` gets the code of the one that ran. */
export function buildProgram(exit: (code: ExitCode) => void, searchWorker?: SearchWorkerHandle): Command {
  const program = createProgram();
  registerVerbs(program, createRunner(program, exit, searchWorker));
  allowGlobalOptionsAnywhere(program);
  refuseUnknownSubcommands(program);
  return program;
}

/** Runs a command and prints its answer; where it needs the engine, opens it, prints what a person should know, and closes it. */
function createRunner(
  program: Command,
  exit: (code: ExitCode) => void,
  searchWorker: SearchWorkerHandle | undefined,
): RunCommand {
  return async work => {
    const options = program.opts<GlobalOptions>();
    const isJson = options.json === true;
    const answer = await work(createContext(options), createCaller(isJson));
    if (typeof answer !== 'function') {
      exit(printAnswer(isJson, answer));
      return;
    }
    const [verb] = program.args;
    const engine = await openProgramEngine(options, searchWorker, verb);
    // `project` shows it itself.
    if (!isJson && verb !== 'project') await printOffers(engine, verb);
    if (verb !== 'team') await bringShared(engine, isJson);
    try {
      exit(printAnswer(isJson, await answer(engine)));
      // The person's own command is done; the next run that they start reports a failure of this one.
      await engine.maintenance.runIfDue({ signal: AbortSignal.timeout(maintenanceBudgetMs) }).catch(() => undefined);
    } catch (error) {
      const isSaid = EngineError.is(error) && !isJson && engine.notices.map(String).includes(error.message);
      if (!isSaid) throw error;
      console.error('This command needs what is missing.');
      exit(exitCodes.failed);
    } finally {
      await engine.close();
    }
  };
}

function registerVerbs(program: Command, run: RunCommand): void {
  const register = (...commands: Parameters<typeof registerCommands>[2]): void => {
    registerCommands(program, run, commands);
  };
  program.commandsGroup('Memories:');
  register(rememberCommand, recallCommand, listCommand, showCommand, editCommand, pinCommand, unpinCommand);
  register(forgetCommand, restoreCommand, ...confirmCommands, ...deleteCommands);
  register(priorityCommand, feedbackCommand, graphCommand, linkCommand, ...sensitiveCommands);
  program.commandsGroup('For you to decide:');
  register(conflictsCommand, settleCommand, revisitCommand, requestsCommand, consolidateCommand);
  program.commandsGroup('Projects and teams:');
  register(...projectCommands, moveCommand, ...setCommands, ...storeCommands, ...teamCommands, formerShareCommand);
  program.commandsGroup('Files, sessions and code:');
  register(importCommand, exportCommand, publishCommand, syncCommand, identityCommand);
  register(...captureCommands, indexCommand, anchorsCommand);
  program.commandsGroup('Maintenance:');
  register(maintainCommand, ...goalCommands, ...checkpointCommands, metricsCommand, verifyCommand, resetCommand);
  program.commandsGroup('Why an answer was given:');
  register(tracesCommand, abCommand, classifyCommand);
  program.commandsGroup('Settings and models:');
  register(...languageModelCommands, ...embeddingModelCommands, endpointCommand, ...keyCommands, configCommand);
  program.commandsGroup('Assistants and other programs:');
  register(...clientCommands, auditCommand, ...connectCommands, briefingCommand, handoverCommand);
  registerHookCommand(program, () => program.opts<GlobalOptions>().dataDir);
  registerMcpCommand(program, () => mcpServerOptions(program));
  registerServeCommand(program);
}

function createContext(options: GlobalOptions): ProgramContext {
  const dataDir = findDataDir(options.dataDir).path;
  return {
    dataDir,
    config: () => readProgramConfig(dataDir, options),
    projects: () => findProjects(options),
    noteSetting: change => logSettingChange(createHost(options, dataDir), change),
  };
}

function findProjects({ project }: GlobalOptions): readonly string[] {
  return project?.map(requireFolder) ?? filterProjects([process.cwd()]);
}

/** The setting has changed already, perhaps to mend what is broken: where it cannot be noted, that is said. */
async function logSettingChange(host: ReturnType<typeof createHost>, change: SettingChange): Promise<void> {
  if (change.from === change.to) return;
  try {
    const engine = await openEngine({ ...host, workspaceFolders: [], client: 'cli' });
    try {
      await engine.activity.noteSetting(change);
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    console.error(`The setting was changed, and the audit log does not have it: ${error.message}`);
  }
}

async function openProgramEngine(
  options: GlobalOptions,
  searchWorker: SearchWorkerHandle | undefined,
  command: string | undefined,
): Promise<MemoryEngine> {
  const dataDir = findDataDir(options.dataDir);
  if (options.json !== true) console.error(`Memory: ${dataDir.path} (${dataDir.source})`);
  const host = createHost(options, dataDir.path);
  const engine = await openEngine(
    {
      ...host,
      // For a person alone: no MCP server or hook has them.
      secret: name => (name === 'sensitiveKeys' ? readSensitiveKeys() : Promise.resolve(host.secret?.(name))),
      workspaceFolders: findProjects(options),
      client: 'cli',
    },
    { prewarm: searchWorker !== undefined, isOneCall: true, searchWorker },
  );
  // `models endpoint` asks about it itself.
  const asked = command === 'models' ? String(engine.embeddingEndpoint?.consentNotice) : '';
  for (const it of engine.notices.map(String)) if (it !== asked) console.error(it);
  if (engine.damageNotices.length > 0) console.error('This is shown until you run: recollect verify --seen');
  return engine;
}

/** Reads a few facts that the team shares before the command; many are read by `team sync`, or where a window is open. */
async function bringShared({ team }: MemoryEngine, json: boolean): Promise<void> {
  await team.arrival.look(arrivalWaitMs);
  const reading = await team.arrival.readingNotice();
  if (reading !== undefined && !json) console.error(`${reading} To read it to the end: recollect team sync`);
}

/** Questions and offers about where memories belong. */
async function printOffers(engine: MemoryEngine, command: string | undefined): Promise<void> {
  for (const it of engine.projects.notices) console.error(describeProjectNotice(it));
  // `team` has it to say itself, and `team join` needs no offer of it.
  const offer = command === 'team' ? undefined : await engine.team.arrival.firstOffer().catch(() => undefined);
  if (offer !== undefined)
    console.error(
      `This repository has memories that its team shares (${pluralize(offer.files, 'file')} by ${pluralize(offer.authors.length, 'author')}). To read them: recollect team join`,
    );
  const misplaced = await engine.moves.firstReview();
  if (misplaced > 0)
    console.error(
      `${misplaced} global ${misplaced === 1 ? 'memory looks' : 'memories look'} as if true of one project only. To see and move them: recollect move --suggest`,
    );
}
