import assert from 'node:assert/strict';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/main.js';
import { matchesGolden } from './kit/golden.js';
import { rowsOf } from './kit/database.js';
import { pairwise } from './kit/pairwise.js';
import { scenario, scenarioCopy } from './kit/scenario.js';
import { Shell } from './kit/shell.js';

interface Help {
  readonly usage: string;
  readonly about: string;
  readonly arguments: readonly string[];
  readonly options: readonly string[];
}

/** The parts of what `--help` prints, each entry on one line. */
function parseHelp(text: string): Help {
  const sections: Record<string, string[]> = { '': [] };
  let section = '';
  for (const line of text.split('\n')) {
    const title = /^(\S.*):$/u.exec(line)?.[1];
    if (title !== undefined) sections[(section = title)] = [];
    else if (/^ {2}\S/u.test(line)) sections[section]!.push(line.trim());
    else if (line.trim() !== '' && section !== '') {
      const entries = sections[section]!;
      entries.push(`${entries.pop() ?? ''} ${line.trim()}`);
    } else if (line.trim() !== '') sections['']!.push(line);
  }
  const entries = (name: string): string[] => (sections[name] ?? []).map(it => it.replace(/ {2,}/u, '  '));
  const [usage = '', ...about] = sections['']!;
  return {
    usage: usage.replace(/^Usage: /u, ''),
    about: about.join(' '),
    arguments: entries('Arguments'),
    options: entries('Options'),
  };
}

describe('the command line', function () {
  it('keeps all of its commands, arguments and options', () => {
    const program = buildProgram(() => undefined);
    const root = parseHelp(program.helpInformation());
    const describeCommand = (command: Command): string => {
      const its = parseHelp(command.helpInformation());
      for (const option of root.options) assert.ok(its.options.includes(option), `${its.usage} takes no ${option}`);
      const own = command === program ? its.options : its.options.filter(option => !root.options.includes(option));
      return [
        its.usage,
        `  ${its.about}`,
        ...its.arguments.map(argument => `  argument ${argument}`),
        ...own.map(option => `  option ${option}`),
      ].join('\n');
    };
    const isShown = (command: Command, parent: Command): boolean =>
      parent.createHelp().visibleCommands(parent).includes(command);
    const withThoseBelow = (command: Command): Command[] => [
      command,
      ...command.commands.filter(it => isShown(it, command)).flatMap(withThoseBelow),
    ];
    matchesGolden('cli-help.txt', withThoseBelow(program).map(describeCommand).sort().join('\n\n'));
  });

  it('answers each command of the scenario with the same JSON', async () => {
    matchesGolden('cli-json.json', (await scenario()).answers);
  });

  it('answers what deletes, undoes and goes back with the same JSON', async () => {
    const { shell, mask, ids } = await scenarioCopy();
    const answers: Record<string, unknown> = {};
    const step = async (title: string, args: readonly string[]): Promise<unknown> => {
      const answer = await shell.json(args);
      answers[title] = mask.value(answer);
      return answer;
    };
    await step('revisit done', ['revisit', '--done', ids.beta!]);
    await step('consolidate undo', ['consolidate', '--undo']);
    const runs = (await shell.json(['maintain', '--runs'])) as readonly {
      readonly id: string;
      readonly store: string;
    }[];
    await step('maintain undo', ['maintain', '--undo', runs.find(it => it.store === 'project')!.id]);
    const [made] = (await shell.json(['checkpoint', 'make', 'mine'])) as readonly { readonly id: string }[];
    await step('delete', ['delete', ids.solveig!, '--yes']);
    await step('checkpoint restore', ['checkpoint', 'restore', made!.id, '--yes']);
    await step('checkpoint delete', ['checkpoint', 'delete', made!.id]);
    await step('sync again', ['sync', '--dry-run']);
    await step('import own export', ['import', await exported(shell), '--own']);
    await step('goals remove', ['goals', 'remove', ((await shell.json(['goals'])) as { id: string }[])[0]!.id]);
    await step('capture forbid', ['capture', '--forbid']);
    await step('reset', ['reset', '--store', 'global', '--yes']);
    matchesGolden('cli-json-undo.json', answers);
  });

  it('ends with the same exit code and sentence for success, bad input, what is not there, and refusal', async () => {
    const { shell, mask, ids } = await scenarioCopy();
    const empty = new Shell();
    mask.text(empty.project, '<project>');
    mask.text(empty.dataDir, '<data>');
    const ends: Record<string, unknown> = {};
    const calls: readonly (readonly [title: string, args: string, on?: Shell])[] = [
      ['success', 'list --limit 1'],
      ['help', '--help'],
      ['no command', ''],
      ['an unknown command', 'unheard-of'],
      ['an unknown option', 'list --unheard-of'],
      ['a value that is no choice', 'list --gate nonsense'],
      ['a number that is none', 'recall port --limit many'],
      ['a missing argument', 'show'],
      ['options that exclude each other', 'publish --dry-run --yes'],
      ['an id that is not there', 'show ffffffff'],
      ['an id that is not there, to change', 'forget ffffffff'],
      ['nothing found', 'recall xylophone --tag unheard'],
      ['nothing found in no store', 'recall port', empty],
      ['an empty list', 'list', empty],
      ['a secret', 'remember The admin password is Xk29fQz81Lm.'],
      ['nothing to remember', 'remember -'],
      ['a deletion that nobody agrees to', `purge ${ids.port!}`],
      ['a reset that nobody agrees to', 'reset --store global'],
      ['a publication that nobody agrees to', 'publish --target agents'],
      ['a language model that is not chosen', 'language-model test'],
      ['a file that is not there', 'import nowhere.jsonl'],
      ['an export that cannot be written', 'export --out nowhere/else.jsonl'],
      ['an import that is not there', 'import --undo ffffffff'],
      ['an import that is not there, to list', 'import --list ffffffff'],
      ['a merge that is not there', 'consolidate --accept ffffffff'],
      ['a run that is not there', 'maintain --undo ffffffff'],
      ['a checkpoint that is not there', 'checkpoint restore ffffffff --yes'],
      ['a hook of another name', 'hook unheard-of'],
      ['a whole store', 'verify'],
    ];
    const results = await pairwise(calls, ([, args, on]) => (on ?? shell).run(args));
    for (const [i, [title, args]] of calls.entries()) {
      const { code, err } = results[i]!;
      // The offer to move global memories is shown once, by the command that comes first.
      const told = err
        .split('\n')
        .filter(it => it !== '' && !it.startsWith('Memory: ') && !/^\d+ global memor(?:y|ies) looks? as if/u.test(it));
      ends[title] = mask.value({ command: args, code, told: told.slice(0, 2) });
    }
    await rowsOf(shell.file('project'), "UPDATE audit SET actor = 'somebody' WHERE seq = 3");
    const damaged = await shell.run('verify');
    ends['a store whose audit log was changed'] = mask.value({ command: 'verify', code: damaged.code });
    matchesGolden('cli-exit-codes.json', ends);
  });

  it('prints the same lines for people', async () => {
    const { shell, mask, ids } = await scenarioCopy();
    const calls = [
      'recall payments service port --limit 2',
      'recall payments service port --context',
      `show ${ids.port!}`,
      'conflicts',
      'goals',
      'revisit',
      'maintain --dry-run',
      'index --status',
      'identity',
    ];
    // What is shown of a memory counts the recalls before it, so these come to their end first.
    const recalls = calls.filter(it => it.startsWith('recall '));
    const results = [
      ...(await pairwise(recalls, it => shell.run(it))),
      ...(await pairwise(calls.slice(recalls.length), it => shell.run(it))),
    ];
    const texts = calls.map((it, i) => `$ recollect ${mask.string(it)}\n${mask.string(results[i]!.out)}`);
    matchesGolden('cli-text.txt', texts.join('\n'));
  });
});

async function exported(shell: Shell): Promise<string> {
  const file = `${shell.home}/all.jsonl`;
  await shell.run(['export', '--out', file]);
  return file;
}
