import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { handoverDays, handoverTag, maxHandoverLength, type BriefingLine } from '../../engine/model/briefing.js';
import { shortId } from '../../engine/model/memory.js';
import { exitCodes, print, readText, type ProgramContext, type WithEngine } from '../command.js';
import { describeRememberOutcome } from '../../operations/describeMemory.js';
import { foldersOf, readBriefing } from './briefing.js';

/** `recollect handover`: writes, shows or takes back the note that the next session of an assistant here is given first. */
export function registerHandoverCommand(program: Command, context: ProgramContext): void {
  const { withEngine } = context;
  program
    .command('handover')
    .description(
      'write what the next session of an assistant here is given first, once; without a text, show what waits',
    )
    .argument('[text...]', 'what is done, open and next; - reads it from stdin')
    .option('--undo', 'take back what waits')
    .action(async (words: string[], { undo }: { readonly undo?: true }) => {
      if (words.length > 0 && undo === true) throw new EngineError('invalidInput', 'With --undo there is no text.');
      if (words.length > 0) {
        if (foldersOf(context).length === 0)
          throw new EngineError('invalidInput', 'There is no project here. Name its folder: --project FOLDER');
        return write(withEngine, words);
      }
      const waiting = await findWaiting(context);
      if (waiting === undefined) {
        if (context.isJson()) context.print(null, () => []);
        else console.error('Nothing is handed over here. Hand over: recollect handover TEXT');
        context.exit(exitCodes.notFound);
        return;
      }
      if (undo === true) return takeBack(withEngine, waiting);
      context.print(waiting.memory, () => [waiting.text]);
    });
}

function write(withEngine: WithEngine, words: readonly string[]): Promise<void> {
  return withEngine(async (engine, json) => {
    const content = (await readText(words)).trim();
    if (content.length > maxHandoverLength)
      throw new EngineError(
        'invalidInput',
        `A hand-over has at most ${maxHandoverLength} characters, and this one has ${content.length}. Keep what lasts with recollect remember.`,
      );
    const outcomes = await engine.remember({
      content,
      source: 'explicit',
      store: 'project',
      kind: 'progress',
      gate: 'promissory',
      decayClass: 'session',
      tags: [handoverTag],
      whole: true,
      readsDay: false,
    });
    const isRefused = outcomes.some(it => it.outcome === 'refused');
    print(json, { outcomes }, () => [
      ...outcomes.map(describeRememberOutcome),
      ...(isRefused
        ? []
        : [
            `The next session here is given it once, within ${handoverDays} days. Take it back: recollect handover --undo`,
          ]),
    ]);
    return isRefused ? exitCodes.failed : exitCodes.ok;
  });
}

function takeBack(withEngine: WithEngine, { memory }: BriefingLine): Promise<void> {
  return withEngine(async (engine, json) => {
    const forgotten = await engine.forget(memory.id);
    print(json, forgotten, () => [`Taken back. Undo: recollect restore ${shortId(memory)}`]);
    return exitCodes.ok;
  });
}

/** What the next session of this project and branch would be given. */
async function findWaiting(context: ProgramContext): Promise<BriefingLine | undefined> {
  const { lines } = await readBriefing(context, context.config(), { program: 'claude-code' });
  return lines.find(it => it.block === 'handover');
}
