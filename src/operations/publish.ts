import { z } from 'zod';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { publishTargets, type PublishPreview } from '../engine/model/publishing.js';
import { agrees, definePersonCommand, flag, option } from './personCommand.js';

export const publishCommand = definePersonCommand({
  name: 'publish',
  description:
    'write the rules and facts of this project into a marked section of CLAUDE.md, or of the files of other assistants',
  input: z.strictObject({
    targets: option(
      '--target <file...>',
      z.array(z.enum(publishTargets)).exactOptional(),
      'which files; user is your own CLAUDE.md (default: the setting publish.targets, or claude)',
    ),
    withNotes: option('--with-notes', flag, 'with what a model noted and no person confirmed'),
    remove: option('--remove', flag, 'take out what was written, from every file of the project', ['withNotes']),
    dryRun: option('--dry-run', flag, 'show the difference and write nothing', ['yes']),
    yes: option('--yes', flag, 'write without asking'),
  }),
  async run({ publishing }, { withNotes, remove, dryRun, yes, ...targets }, caller) {
    const previews =
      remove === true
        ? await publishing.previewWithdrawals(targets)
        : await publishing.preview({ ...targets, withNotes: withNotes === true });
    const changed = previews.filter(it => it.diff !== '');
    caller.show(
      previews.length === 0
        ? ['Recollect has written nothing into these files.']
        : previews.map(it => it.diff.trimEnd() || describeUnchanged(it)),
    );
    caller.say(previews.flatMap(describeOmissions));
    const question = `Write ${changed.map(it => it.file).join(', ')}?`;
    const isWanted = dryRun !== true && changed.length > 0 && (await agrees(caller, yes, question));
    if (isWanted) for (const it of changed) await publishing.write(it);
    return {
      output: { written: isWanted, files: previews },
      lines: [],
      hints: isWanted ? [describeWritten(changed)] : [],
    };
  },
});

function describeUnchanged({ file, memories }: PublishPreview): string {
  return memories === 0 ? `${file}: there is nothing to publish.` : `${file} is up to date.`;
}

function describeOmissions({ file, contradicting, alreadySaid }: PublishPreview): string[] {
  return [
    ...(contradicting === 0
      ? []
      : [`Left out because of contradictions: ${formatMemoryCount(contradicting)}. See recollect conflicts.`]),
    ...(alreadySaid === 0
      ? []
      : [`Left out because ${file} or a file read with it says so already: ${formatMemoryCount(alreadySaid)}.`]),
  ];
}

function describeWritten(changed: readonly PublishPreview[]): string {
  const written = changed.filter(it => it.after !== undefined).map(it => it.file);
  const removed = changed.filter(it => it.after === undefined).map(it => it.file);
  return [
    ...(written.length === 0 ? [] : [`Wrote ${written.join(', ')}.`]),
    ...(removed.length === 0 ? [] : [`Removed ${removed.join(', ')}.`]),
  ].join(' ');
}
