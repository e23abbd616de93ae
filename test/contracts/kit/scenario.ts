import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Mask } from './mask.js';
import { McpClient } from './mcp.js';
import { Shell } from './shell.js';

/** A store that the same commands always build, and what each of them said. */
export interface Scenario {
  readonly shell: Shell;
  readonly mask: Mask;
  /** Of each memory that was stored, by its name. */
  readonly ids: Readonly<Record<string, string>>;
  /** The masked answers of the commands, by what was done. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Every gate and every kind that a person may choose, tags, sets, sessions and both lanes. */
const facts: Readonly<Record<string, readonly string[]>> = {
  port: 'The payments service runs on port 8443.|--gate|epistemic|--kind|architecture|--tag|network|payments'.split(
    '|',
  ),
  tabs: 'I prefer tabs over spaces.|--store|global'.split('|'),
  pier: 'Never paint the pier green.|--gate|correction|--kind|pitfall'.split('|'),
  solveig: ['Solveig maintains the billing service.', '--gate', 'relational'],
  beta: ['Ship the beta before 2026-05-01.'],
  tide: 'The tide table is cached for ten minutes.|--lane|note|--kind|insight'.split('|'),
  sqlite: 'We chose SQLite because it needs no server.|--kind|decision|--class|permanent'.split('|'),
  plain: 'Every repository returns plain objects.|--kind|pattern|--store|project'.split('|'),
  clock: 'The clock of the build machine runs late.|--kind|gotcha|--store|project'.split('|'),
  release: 'To release, run the packaging script and tag the commit.|--kind|procedure|--whole'.split('|'),
  slow: 'The tests are slow on a cold disk.|--kind|friction|--store|global'.split('|'),
  session: 'The tide import was moved to Python.|--kind|summary|--session|s-1|--class|ephemeral'.split('|'),
  pilot: 'The pilot boat is usually late.|--lane|note|--store|project'.split('|'),
  buoys: 'The experiment uses blue buoys.|--scope-id|experiment'.split('|'),
  postgres14: 'The staging database runs on PostgreSQL 14.|--kind|context'.split('|'),
  boardShort: 'The departures board refreshes every 30 seconds from the tide service.|--whole|--kind|context'.split(
    '|',
  ),
};

/** Says nearly the same as one of those above. */
const laterFacts: Readonly<Record<string, readonly string[]>> = {
  boardLong:
    'The departures board of the harbour refreshes every 30 seconds from the tide service.|--whole|--kind|context'.split(
      '|',
    ),
};

/** A fact that an assistant sends, and the memory of a person that it is to replace: a conflict, open until one settles it. */
interface ReplacingFact {
  readonly content: string;
  readonly kind?: string;
  readonly replaces: string;
}

const replacingFacts: Readonly<Record<string, ReplacingFact>> = {
  newPort: { content: 'The payments service runs on port 9443.', kind: 'architecture', replaces: 'port' },
  postgres16: { content: 'The staging database runs on PostgreSQL 16.', kind: 'context', replaces: 'postgres14' },
};

const lastReplacingFacts: Readonly<Record<string, ReplacingFact>> = {
  secondCrane: { content: 'The crane service runs on port 7002.', replaces: 'firstCrane' },
};

/** Stored after the maintenance, so that it has not touched them. */
const lastFacts: Readonly<Record<string, readonly string[]>> = {
  softDelete: 'Delete soft: set `deleted_at` instead of removing rows|--whole|--gate|epistemic'.split('|'),
  // Where a language model is chosen, a doubt is kept for it.
  hardDelete:
    'rows are hard-deleted, we took out the deleted_at column|--whole|--gate|epistemic|--model-provider|anthropic'.split(
      '|',
    ),
  office: 'The harbour office closes at noon.|--kind|gotcha|--store|project'.split('|'),
  anchor: 'The second experiment uses a lighter anchor.|--scope-id|experiment'.split('|'),
  firstCrane: 'The crane service runs on port 7001.|--store|project'.split('|'),
  buoy: 'The buoy sensors report every hour.|--lane|note|--store|project'.split('|'),
};

const code =
  '// Package net reads settings.\npackage net\n\n// ParsePort reads a port.\nfunc ParsePort(text string) int {\n\treturn atoi(text)\n}\n';

/** What an assistant's session holds that is captured. */
export function writeTranscript(shell: Shell, words: string, name = 'abc'): string {
  const folder = path.join(shell.home, '.claude', 'projects', '-harbour');
  mkdirSync(folder, { recursive: true });
  const line = (type: string, message: unknown, number: number): string =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      userType: 'external',
      cwd: shell.project,
      sessionId: '5f0c2f5e-7b1d-4c0e-9a53-0d2c6a7f1e11',
      version: '2.0.1',
      gitBranch: 'main',
      type,
      message,
      uuid: `00000000-0000-4000-8000-00000000000${number}`,
      timestamp: `2026-03-01T10:0${number}:00.000Z`,
    });
  const said = line('user', { role: 'user', content: words }, 1);
  const answered = line(
    'assistant',
    { role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Done.' }] },
    2,
  );
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, `${said}\n${answered}\n`);
  return file;
}

const modelAnswer = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-5-5',
  content: [{ type: 'text', text: '{"word":"recollect"}' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
});

const shared = globalThis as { recollectScenario?: Promise<Scenario> };

/** Built once for all tests; who changes the stores works on a copy of the shell. */
export function scenario(): Promise<Scenario> {
  return (shared.recollectScenario ??= new Builder(new Shell()).build());
}

/** Builds it once more, in a shell of its own. */
export function buildScenario(shell: Shell): Promise<Scenario> {
  return new Builder(shell).build();
}

interface Outcomes {
  readonly outcomes: readonly { readonly outcome: string; readonly id?: string }[];
}

class Builder implements Scenario {
  readonly mask = new Mask();
  readonly ids: Record<string, string> = {};
  readonly answers: Record<string, unknown> = {};

  constructor(readonly shell: Shell) {
    this.mask.text(this.shell.project, '<project>');
    this.mask.text(this.shell.dataDir, '<data>');
    this.mask.text(this.shell.home, '<home>');
  }

  async build(): Promise<Scenario> {
    await this.tell(facts);
    await this.step('remember again', ['remember', ...facts.tabs!]);
    await this.tell(laterFacts);
    await this.replace(replacingFacts);
    await this.step('remember a secret', ['remember', 'The admin password is Xk29fQz81Lm.']);
    await this.change();
    await this.organise();
    await this.exchange();
    return this;
  }

  private async tell(told: Readonly<Record<string, readonly string[]>>): Promise<void> {
    for (const [name, words] of Object.entries(told)) {
      const answer = (await this.shell.json(['remember', ...words])) as Outcomes;
      const id = answer.outcomes[0]?.id;
      assert.ok(id !== undefined, `Not kept: ${JSON.stringify(answer)}`);
      this.ids[name] = id;
      this.mask.name(id, name);
      this.answers[`remember ${name}`] = this.mask.value(answer);
    }
  }

  /** Sends each fact as an assistant does, in one session. */
  private async replace(sent: Readonly<Record<string, ReplacingFact>>): Promise<void> {
    const client = new McpClient(this.shell);
    await client.initialize();
    for (const [name, { replaces, ...fact }] of Object.entries(sent)) {
      const facts = [{ ...fact, replaces: [this.ids[replaces]] }];
      const { structuredContent } = (await client.call('remember', { facts })) as { structuredContent: Outcomes };
      const shortId = structuredContent.outcomes[0]?.id;
      assert.ok(shortId !== undefined, `Not kept: ${JSON.stringify(structuredContent)}`);
      const { id } = (await this.shell.json(['show', shortId])) as { readonly id: string };
      this.ids[name] = id;
      this.mask.name(id, name);
      this.answers[`remember ${name}`] = this.mask.value(structuredContent);
    }
    await client.close();
  }

  private async step(name: string, args: readonly string[]): Promise<unknown> {
    const answer = await this.shell.json(args);
    this.answers[name] = this.mask.value(answer);
    return answer;
  }

  /** What a person decides about memories. */
  private async change(): Promise<void> {
    const { port, tabs, solveig, tide, clock, release, slow, postgres14, postgres16 } = this.ids;
    await this.step('recall before feedback', ['recall', 'payments service port', '--limit', '3']);
    await this.step('pin', ['pin', solveig!, tabs!]);
    await this.step('unpin', ['unpin', tabs!]);
    await this.step('forget', ['forget', clock!, release!]);
    await this.step('restore', ['restore', release!]);
    await this.step('confirm', ['confirm', tide!]);
    await this.step('feedback useful', ['feedback', port!, 'useful']);
    await this.step('feedback not-useful', ['feedback', slow!, 'not-useful']);
    await this.step('conflicts', ['conflicts']);
    await this.step('settle', ['settle', postgres16!, postgres14!, '--keep', 'a']);
    await this.step('goals add', ['goals', 'add', 'Move the harbour to the new tide service.']);
    const done = (await this.step('goals add global', ['goals', 'add', 'Learn Go.', '--store', 'global'])) as {
      id: string;
    };
    await this.step('goals done', ['goals', 'done', done.id]);
    await this.step('goals', ['goals']);
  }

  /** What tidies the stores, after a while. */
  private async organise(): Promise<void> {
    this.shell.pass(3);
    const found = (await this.step('consolidate', ['consolidate'])) as { proposals: readonly { id: string }[] };
    await this.step('consolidate accept', ['consolidate', '--accept', found.proposals[0]!.id]);
    await this.step('checkpoint make', ['checkpoint', 'make', 'before', 'the', 'tidying']);
    // Both stores are copied at the same moment: in which order is left to chance.
    const copies = (await this.shell.json(['checkpoint'])) as readonly {
      readonly at: string;
      readonly store: string;
    }[];
    const byDay = copies.toSorted(
      (a, b) => b.at.slice(0, 10).localeCompare(a.at.slice(0, 10)) || a.store.localeCompare(b.store),
    );
    this.answers.checkpoint = this.mask.value(byDay);
    this.shell.pass(70);
    await this.step('revisit', ['revisit']);
    await this.step('revisit extend', ['revisit', '--extend', this.ids.beta!, '--until', '2026-06-30']);
    await this.step('maintain dry', ['maintain', '--dry-run', '--confirm-clock']);
    await this.step('maintain', ['maintain', '--confirm-clock']);
    await this.step('maintain runs', ['maintain', '--runs']);
  }

  /** What comes in from files and goes out to them. */
  private async exchange(): Promise<void> {
    const { shell } = this;
    writeFileSync(path.join(shell.project, 'net.go'), code);
    await this.step('index', ['index']);
    await this.step('index status', ['index', '--status']);
    const transcript = writeTranscript(shell, 'Remember: never moor the boats without a second rope.');
    await this.step('capture', ['capture', '--allow', '--session', transcript]);
    writeFileSync(
      path.join(shell.home, 'NOTES.md'),
      '# Harbour\n\n- The ferry leaves from pier seven.\n- Ports begin at 2000.\n- I prefer tabs to spaces.\n',
    );
    await this.step('import', ['import', path.join(shell.home, 'NOTES.md'), '--format', 'markdown']);
    await this.step('publish', ['publish', '--yes']);
    await this.step('sync', ['sync']);
    await this.tell(lastFacts);
    await this.replace(lastReplacingFacts);
    await this.step('forget late', ['forget', this.ids.office!]);
    const model = await shell.run('language-model test --yes --model-provider anthropic --json', '', {
      ANTHROPIC_API_KEY: 'sk-ant-x',
      RECOLLECT_TEST_ANSWER: modelAnswer,
    });
    this.answers['language-model test'] = this.mask.value(JSON.parse(model.out));
    await this.step('language-model', ['language-model']);
    await this.step('identity', ['identity']);
    await this.step('classify', ['classify', 'Ship the beta before 2026-05-01.']);
    await this.step('anchors', ['anchors']);
    await this.step('recall', ['recall', 'payments service port', '--limit', '4']);
    await this.step('recall again', ['recall', 'payments service port', '--limit', '4']);
    await this.step('show', ['show', this.ids.postgres14!]);
    await this.step('list', ['list']);
    await this.step('list archived', ['list', '--status', 'archived', 'superseded', '--scope', 'project-only']);
    await this.step('list of a set', ['list', '--scope-id', 'experiment', '--status', 'active', 'archived']);
    await this.step('models', ['models']);
    await this.step('verify', ['verify']);
  }
}

/** A copy of the scenario's stores that a test may change, with a mask that knows its folders. */
export async function scenarioCopy(): Promise<{ shell: Shell; mask: Mask; ids: Readonly<Record<string, string>> }> {
  const built = await scenario();
  const [shell, mask] = [built.shell.copy(), built.mask.copy()];
  mask.text(shell.project, '<project>');
  mask.text(shell.dataDir, '<data>');
  mask.text(shell.home, '<home>');
  return { shell, mask, ids: built.ids };
}
