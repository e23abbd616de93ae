import type { MemoryEngine } from '../engine/engine.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import type { ChangedImport } from '../engine/model/importReport.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import type { CommandAnswer } from './personCommand.js';

/** A person's choices about the changes of imported files. */
export const changesDecisions = ['take', 'leave'] as const;
export type ChangesDecision = (typeof changesDecisions)[number];

/**
 * `recollect import --changes [take|leave] [FILE]`: what is new, changed and gone in imported files.
 * @param decision `true`: only list it
 */
export async function settleImportChanges(
  exchange: MemoryEngine['exchange'],
  { file, decision }: { readonly file: string | undefined; readonly decision: ChangesDecision | true },
): Promise<CommandAnswer> {
  const none = String(sharedMessages.noChangedImport);
  if (decision !== true) {
    const settled = await exchange.settleChanged({ decision, ...(file === undefined ? {} : { file }) });
    const lines = settled.map(it => describeSettled(it, decision));
    return { output: settled, lines, hints: settled.length === 0 ? [none] : [] };
  }
  const found = (await exchange.changedFiles()).filter(it => file === undefined || it.file === file);
  const next =
    'Take it over: recollect import --changes take [FILE]; leave the memory as it is: --changes leave [FILE]';
  return { output: found, lines: found.flatMap(describeChanges), hints: [found.length === 0 ? none : next] };
}

function describeChanges({ file, added, changed, gone, isMissing }: ChangedImport): readonly string[] {
  return [
    `${neutralizeText(file)}${isMissing === true ? ' is no longer there' : ''}`,
    ...added.map(it => `  new      ${it.where}: ${toText(it.text)}`),
    ...changed.flatMap(({ memory, text, where }) => [
      `  changed  ${where}: ${toText(text)}`,
      `           was ${describe(memory)}`,
    ]),
    ...gone.map(it => `  gone     ${describe(it)}`),
  ];
}

function describe(memory: Memory): string {
  const lane = memory.lane === 'confirmed' ? ' (confirmed)' : '';
  return `#${shortId(memory)}${lane}  ${toText(memory.content)}`;
}

function toText(text: string): string {
  return neutralizeText(text).replaceAll('\n', '\n           ');
}

function describeSettled({ file, added, changed, gone }: ChangedImport, decision: ChangesDecision): string {
  const counts = `${added.length} new, ${changed.length} changed, ${gone.length} gone`;
  return decision === 'take'
    ? `${neutralizeText(file)}: ${counts}: taken over.`
    : `${neutralizeText(file)}: ${counts}: left. The next change is shown.`;
}
