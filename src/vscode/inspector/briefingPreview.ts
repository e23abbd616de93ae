import { readAccesses } from '../../engine/access/accessLog.js';
import { readClientRights, requireRight, type ClientRights } from '../../engine/access/clientRights.js';
import type { LocalizableMessage } from '../../engine/base/localizableMessage.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { hookClients, type BriefedProgram } from '../../engine/model/briefing.js';
import { hookMoments, type HookMoment } from '../../engine/model/guards.js';
import { engineSettingKeys } from '../../engine/model/settings.js';
import { previewBriefing } from '../../engine/hooks/sessionStartContext.js';
import { changeSetting, readFileConfig } from '../../engine/access/settingsFile.js';
import type { BriefingView } from '../../protocol.js';

interface PreviewOptions {
  /** Programs that are on this machine. */
  readonly installed: readonly BriefedProgram[];
  /** The folder of the shipped models. */
  readonly modelsDir: string;
  /** A session has one folder. */
  readonly folder: string | undefined;
  readonly localize: (reason: LocalizableMessage) => string;
}

/**
 * What a session of a program would be given now, as its hook reads it: of the settings file alone. Notes nothing.
 * @param wanted absent = the first program on this machine
 */
export async function readBriefingView(
  dataDir: string,
  wanted: BriefedProgram | undefined,
  { modelsDir, folder, installed, localize }: PreviewOptions,
): Promise<BriefingView> {
  const program = wanted ?? installed[0] ?? 'vscode';
  const config = readFileConfig(dataDir);
  const client = hookClients[program];
  const rights = readClientRights(dataDir, client);
  const { notices, tokens, lines, leftOut, others } = await previewBriefing({
    ...{ dataDir, modelsDir, program, config },
    folders: folder === undefined ? [] : [folder],
    now: new Date(),
  });
  return {
    program,
    isInstalled: installed.includes(program),
    hasAsked: (await readAccesses(dataDir)).some(it => it.client === client),
    refused: isRefused(rights, client),
    moments: config.hooks.moments,
    notices,
    tokens,
    lines: lines.map(({ block, memory, text, reason }) => ({ id: memory.id, block, text, reason: localize(reason) })),
    leftOut,
    others,
  };
}

/** As the hook asks. */
function isRefused(rights: ClientRights, client: string): boolean {
  try {
    requireRight(rights, client, { tool: 'context', readOnly: true });
    return false;
  } catch {
    return true;
  }
}

interface MomentSwitch {
  readonly moment: HookMoment;
  readonly on: boolean;
}

/** One switch after the other: each keeps what the one before has written. */
let switching: Promise<void> = Promise.resolve();

/**
 * Switches a moment of the hooks in the settings file, where `recollect config` has it too. All on is the default.
 * @throws EngineError unsupportedFile where the file is not understood
 */
export function switchMoment(dataDir: string, engine: MemoryEngine, change: MomentSwitch): Promise<void> {
  const switched = switching.then(() => writeMoment(dataDir, engine, change));
  switching = switched.catch(() => undefined);
  return switched;
}

async function writeMoment(dataDir: string, engine: MemoryEngine, { moment, on }: MomentSwitch): Promise<void> {
  const key = engineSettingKeys.hookMoments;
  const { moments } = readFileConfig(dataDir).hooks;
  const chosen = hookMoments.filter(it => (it === moment ? on : moments.includes(it)));
  const after = chosen.length === hookMoments.length ? undefined : chosen;
  await changeSetting(dataDir, key, after, change => engine.activity.noteSetting(change));
}
