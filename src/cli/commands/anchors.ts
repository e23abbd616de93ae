import type { Command } from 'commander';
import type { ChangedAnchor, MemoryEngine } from '../../engine/engine.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { Memory } from '../../engine/model/memory.js';
import { exitCodes, print, type ExitCode, type WithEngine } from '../command.js';
import { formatCodeState, formatMemoryLine } from '../output/describeMemory.js';

/** `recollect anchors`: memories about code that has changed or moved. */
export function registerAnchorsCommand(program: Command, withEngine: WithEngine): void {
  program
    .command('anchors')
    .description('let memories follow the code they are about, and list those whose code has changed')
    .option('--confirm <id...>', 'these still hold for the code as it is now')
    .action(({ confirm }: { readonly confirm?: readonly string[] }) =>
      withEngine((engine, json) =>
        confirm === undefined ? listChangedAnchors(engine, json) : confirmAnchors(engine, json, confirm),
      ),
    );
}

async function listChangedAnchors(engine: MemoryEngine, json: boolean): Promise<ExitCode> {
  const { updated } = await engine.codeAnchors.update();
  const changed = await engine.codeAnchors.listChanged();
  const describeAnchor = ({ memory, state }: ChangedAnchor): string =>
    `${formatMemoryLine(memory, engine.effectiveConfidence(memory))}\n${formatCodeState(memory, state)}`;
  print(json, { followed: updated, changed }, () => [
    ...describeUpdatedCount(updated),
    ...(changed.length === 0 ? ['All code that memories are about is as it was.'] : changed.map(describeAnchor)),
    ...(changed.length === 0 ? [] : ['Still true: recollect anchors --confirm ID. Not any more: recollect forget ID.']),
  ]);
  return exitCodes.ok;
}

async function confirmAnchors(engine: MemoryEngine, json: boolean, ids: readonly string[]): Promise<ExitCode> {
  const memories: Memory[] = [];
  for (const id of ids) memories.push(await engine.codeAnchors.confirm(id));
  print(json, memories, () =>
    memories.map(it => `Still true: ${formatMemoryLine(it, engine.effectiveConfidence(it))}`),
  );
  return exitCodes.ok;
}

function describeUpdatedCount(updatedCount: number): string[] {
  if (updatedCount === 0) return [];
  return [`Followed to where the code is now: ${formatMemoryCount(updatedCount)}.`];
}
