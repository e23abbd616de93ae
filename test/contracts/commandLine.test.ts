import assert from 'node:assert/strict';
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
  readonly commands: readonly string[];
}

/** The parts of what `--help` prints, each entry on one line. */
function parseHelp(text: string): Help {
  const sections: Record<string, string[]> = { '': [] };
  let section = '';
  for (const line of text.split('\n')) {
    const title = /^(Arguments|Options|Commands):$/u.exec(line)?.[1];
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
    commands: entries('Commands'),
  };
}

describe('the command line', function () {
  it('keeps all of its commands, arguments and options', async () => {
    const shell = new Shell();
    const help = async (path: readonly string[]): Promise<Help> =>
      parseHelp((await shell.run([...path, '--help'])).out);
    const root = await help([]);
    const lines: string[] = [];
    const describeCommand = (it: Help): void => {
      const own = path(it) === '' ? it.options : it.options.filter(option => !root.options.includes(option));
      lines.push(it.usage, `  ${it.about}`);
      lines.push(...it.arguments.map(argument => `  argument ${argument}`));
      lines.push(...own.map(option => `  option ${option}`), '');
    };
    const path = (it: Help): string => (/^recollect((?: [a-z-]+)*)/u.exec(it.usage)?.[1] ?? '').trim();
    const below = (it: Help, at: readonly string[]): string[][] =>
      it.commands
        .map(line => /^[a-z-]+/u.exec(line)![0])
        .filter(name => name !== 'help')
        .map(name => [...at, name]);
    describeCommand(root);
    const waiting = below(root, []);
    while (waiting.length > 0) {
      const paths = waiting.splice(0);
      const found = await pairwise(paths, help);
      for (const [i, it] of found.entries()) {
        for (const option of root.options) assert.ok(it.options.includes(option), `${it.usage} takes no ${option}`);
        describeCommand(it);
        waiting.unshift(...below(it, paths[i]!));
      }
    }
    // Whatever the order in which they answered.
    const blocks = lines.join('\n').trim().split('\n\n').sort();
    matchesGolden('cli-help.txt', blocks.join('\n\n'));
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
    await step('purge', ['purge', ids.solveig!, '--yes']);
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
    const results = await pairwise(calls, it => shell.run(it));
    const texts = calls.map((it, i) => `$ recollect ${mask.string(it)}\n${mask.string(results[i]!.out)}`);
    matchesGolden('cli-text.txt', texts.join('\n'));
  });
});

async function exported(shell: Shell): Promise<string> {
  const file = `${shell.home}/all.jsonl`;
  await shell.run(['export', '--out', file]);
  return file;
}
