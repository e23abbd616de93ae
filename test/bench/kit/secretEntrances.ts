import { createHash } from 'node:crypto';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { JsonLinesProcess, type ActorFolders } from './soakActors.js';

/** What became of the secrets that were planted, each through one entrance. */
export interface PlantedSecrets {
  readonly entrances: readonly string[];
  /** Entrance and file, for each secret that is in a byte of the data folder, of what is written to the project, or of the log. */
  readonly leaks: readonly string[];
  /** Of what went in with them, to show that the calls did something. */
  readonly memories: number;
}

const cli = path.resolve('dist', 'cli.js');

/** Plants secrets through everything that takes text, with the programs as they ship, and looks for them in all bytes. */
export async function plantSecrets(root: string): Promise<PlantedSecrets> {
  const plan = new Plan();
  const place = { dataDir: path.join(root, 'data'), folder: path.join(root, 'project'), home: path.join(root, 'home') };
  for (const it of Object.values(place)) mkdirSync(it);
  const log: string[] = [];
  const run = (args: readonly string[], input = ''): Promise<string> => runCli(args, input, place, log);

  plantInProject(plan, place);
  await run(['remember', 'The harbor closes at nine.', '--store', 'project']);
  await plantThroughMcp(plan, place, log);
  // While a server is still open, its log of writes has what is not in the file yet: here every process is gone.
  await plantThroughCommands(plan, run);
  await plantThroughFiles(plan, place, run);
  const memories = (JSON.parse(await run(['list', '--json', '--limit', '500'])) as unknown[]).length;

  const leaks = [
    ...readFiles(place.dataDir),
    ...readFiles(path.join(place.folder, '.recollect')),
    ['log', log.join('\n')] as const,
  ]
    .flatMap(([file, text]) => plan.namesIn(text).map(it => `${it} in ${file.replace(root, '')}`))
    // Planted there; and a project is found by the path of its folder.
    .filter(
      it => !(it.startsWith('sync') && it.includes('/project/')) && !/^name of a folder .*project\.json$/u.test(it),
    );
  return { entrances: plan.names, leaks, memories };
}

/** A secret of its own for each entrance. */
class Plan {
  private readonly bodies = new Map<string, string>();

  get names(): readonly string[] {
    return [...this.bodies.keys()];
  }

  /** A token of the published form of GitHub. */
  secret(entrance: string): string {
    const digest = createHash('sha256').update(entrance).digest();
    // 36 of 32 bytes: the first ones twice.
    const body = Array.from({ length: 36 }, (_, i) => '0123456789abcdefghjkmnpqrstvwxyz'[digest[i % 32]! % 32]).join(
      '',
    );
    this.bodies.set(entrance, body);
    return `ghp_${body}`;
  }

  /** Entrances whose secret is in a text, whole or a piece of it, as an index of terms might hold. */
  namesIn(text: string): string[] {
    const folded = text.toLowerCase();
    return [...this.bodies]
      .filter(([, it]) => [0, 12, 24].some(at => folded.includes(it.slice(at, at + 12))))
      .map(([name]) => name);
  }
}

function plantInProject(plan: Plan, { folder }: ActorFolders): void {
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q', '-b', `fix-${plan.secret('branch')}`);
  git('remote', 'add', 'origin', `https://robot:${plan.secret('remote address')}@example.org/harbor.git`);
  const code = (name: string, lines: readonly string[]): void => {
    writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`);
  };
  code('tides.ts', [
    `/** Tides, read with ${plan.secret('comment of code')}. */`,
    'export function tides(): string {',
    `  return '${plan.secret('literal of code')}';`,
    '}',
  ]);
  code('quays.ts', ['/** Quays. */', `export function quay_${plan.secret('name of a symbol')}(): void {}`]);
  code(`${plan.secret('name of a file')}.ts`, ['/** Berths. */', 'export function berths(): void {}']);
}

async function plantThroughMcp(plan: Plan, place: ActorFolders, log: string[]): Promise<void> {
  const server = new JsonLinesProcess([cli, 'mcp', '--tools', 'all', '--verbose'], place, place.folder);
  let id = 0;
  const ask = (method: string, params: object): Promise<unknown> =>
    server.ask({ jsonrpc: '2.0', id: ++id, method, params });
  const call = (name: string, input: object): Promise<unknown> => ask('tools/call', { name, arguments: input });
  const clientInfo = { name: `robot-${plan.secret('name of a client')}`, version: plan.secret('version of a client') };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });

  await call('remember', { content: `The deploy token is ${plan.secret('content')}.` });
  for (const [field, list] of [
    ['scopeId', false],
    ['tags', true],
    ['file', false],
    ['reason', false],
    ['questions', true],
    ['keywords', true],
    ['replaces', true],
    ['refines', true],
    ['sameAs', false],
  ] as const) {
    const value = `${field === 'file' ? 'file:///' : ''}${plan.secret(`remember ${field}`)}`;
    await call('remember', { facts: [{ content: `Pier ${id} has a lamp.`, [field]: list ? [value] : value }] });
  }
  for (const field of ['query', 'alternatives', 'keywords', 'tags', 'scopeId']) {
    const value = `harbor ${plan.secret(`recall ${field}`)}`;
    await call('recall', { query: 'harbor', [field]: ['query', 'scopeId'].includes(field) ? value : [value] });
  }
  await call('context', { task: `Sign in with ${plan.secret('context task')}` });
  await call('forget', { query: `the one with ${plan.secret('forget query')}` });
  for (const tool of ['forget', 'pin', 'feedback', 'revise', 'graph', 'traces'])
    await call(tool, { id: plan.secret(`${tool} id`), ...(tool === 'feedback' ? { useful: true } : {}) });
  await call('list', { tags: [plan.secret('list tags')] });
  await call(plan.secret('name of a tool'), {});
  await call('recall', { query: 'harbor', [plan.secret('unknown key')]: 1 });
  await ask('resources/read', { uri: `recollect://memory/${plan.secret('address of a resource')}` });
  await ask('prompts/get', { name: 'recall', arguments: { topic: plan.secret('argument of a prompt') } });
  await ask(plan.secret('name of a method'), {});
  await server.end();
  log.push(server.errors);
}

type Run = (args: readonly string[], input?: string) => Promise<string>;

async function plantThroughCommands(plan: Plan, run: Run): Promise<void> {
  await run(['remember', `The deploy token is ${plan.secret('command remember')}`]);
  for (const option of ['--tag', '--session', '--scope-id'])
    await run(['remember', 'The lamp is green.', option, plan.secret(`command remember ${option}`)]);
  await run(['recall', `harbor ${plan.secret('command recall')}`]);
  await run(['show', plan.secret('command show')]);
  await run(['goals', 'add', `Rotate ${plan.secret('goal')}`]);
  await run(['checkpoint', 'make', `before ${plan.secret('reason of a checkpoint')}`]);
  await run(['config', 'embeddings', plan.secret('value of a setting')]);
  await run(['config', plan.secret('name of a setting'), '1']);
  await run(['clients', 'deny', plan.secret('command clients')]);
  await run(['project', 'link', plan.secret('command project link')]);
  await run(['purge', '--client', plan.secret('command purge'), '--all', '--yes']);
}

async function plantThroughFiles(plan: Plan, place: ActorFolders, run: Run): Promise<void> {
  const inbox = path.join(place.home, 'inbox');
  mkdirSync(inbox);
  const write = (name: string, text: string): string => {
    const file = path.join(inbox, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const lines = (...values: readonly object[]): string => values.map(it => `${JSON.stringify(it)}\n`).join('');
  const at = '2026-03-01T00:00:00.000Z';
  const memory = {
    type: 'memory',
    store: 'global',
    gate: 'epistemic',
    kind: 'context',
    lane: 'note',
    decayClass: 'durable',
    confidence: 80,
    tags: [],
    createdAt: at,
  };
  await run([
    'import',
    '--format',
    'recollect',
    write(
      'a.jsonl',
      lines(
        { format: 'recollect', version: 1 },
        { ...memory, id: '019a0000-0000-7000-8000-000000000001', content: `Use ${plan.secret('import content')}.` },
        {
          ...memory,
          id: '019a0000-0000-7000-8000-000000000002',
          content: 'The quay is red.',
          tags: [plan.secret('import tags')],
        },
        {
          ...memory,
          id: '019a0000-0000-7000-8000-000000000003',
          content: 'The crane is blue.',
          provenance: {
            source: 'import',
            client: plan.secret('import client'),
            session: plan.secret('import session'),
            uri: `file:///${plan.secret('import uri')}`,
          },
        },
        {
          ...memory,
          id: '019a0000-0000-7000-8000-000000000004',
          content: 'The mast is white.',
          scopeId: plan.secret('import scope id'),
          aids: { questions: [plan.secret('import questions')], keywords: [plan.secret('import keywords')] },
        },
        { ...memory, id: plan.secret('import id'), content: 'The anchor is heavy.' },
      ),
    ),
  ]);
  await run([
    'import',
    write(
      'memory.json',
      lines(
        {
          type: 'entity',
          name: plan.secret('entity of the MCP memory'),
          entityType: 'token',
          observations: ['It opens the gate.'],
        },
        {
          type: 'entity',
          name: 'gate',
          entityType: 'door',
          observations: [plan.secret('observation of the MCP memory')],
        },
      ),
    ),
  ]);
  await run([
    'import',
    write('CLAUDE.md', `# Rules\n\n- Sign in with ${plan.secret('CLAUDE.md')}.\n- Tests run with pnpm test.\n`),
  ]);
  await run([
    'import',
    write('rules/r.md', `---\ntitle: ${plan.secret('title of a rule')}\n---\n\nRun the linter first.\n`),
  ]);
  await run([
    'import',
    write(`${plan.secret('name of an imported file')}.md`, '# Rules\n\n- The ferry needs a ticket.\n'),
  ]);

  await run(['sync']);
  const mirror = path.join(place.folder, '.recollect', 'memory');
  mkdirSync(mirror, { recursive: true });
  writeFileSync(
    path.join(mirror, 'a.md'),
    `---\ntitle: The gate\n---\n\nThe gate opens with ${plan.secret('sync text')}.\n`,
  );
  writeFileSync(
    path.join(mirror, 'b.md'),
    `---\ntitle: ${plan.secret('sync title')}\ntags: [${plan.secret('sync tags')}]\n---\n\nThe lock is old.\n`,
  );
  writeFileSync(
    path.join(mirror, `${plan.secret('sync name')}.md`),
    '---\ntitle: The buoy\n---\n\nThe buoy is green.\n',
  );
  await run(['sync']);

  await run([
    'capture',
    '--allow',
    '--session',
    write(
      `${plan.secret('name of a transcript')}.jsonl`,
      lines(
        sessionLine(place, { content: `Remember: the deploy token is ${plan.secret('transcript of a person')}.` }),
        sessionLine(place, {
          content: 'Always use pnpm in this repo.',
          gitBranch: plan.secret('transcript branch'),
          sessionId: plan.secret('transcript session'),
        }),
        sessionLine(place, { content: `From now on, sign in with ${plan.secret('transcript request')}, we decided.` }),
        {
          ...sessionLine(place, { content: '' }),
          type: 'assistant',
          message: {
            role: 'assistant',
            content: [{ type: 'text', text: `I wrote ${plan.secret('transcript of an assistant')} to .env.` }],
          },
        },
      ),
    ),
  ]);
  const transcript = write(
    'later.jsonl',
    lines(sessionLine(place, { content: `Never commit ${plan.secret('transcript of a hook')} again.` })),
  );
  await run(
    ['hook', 'session-start', '--verbose'],
    JSON.stringify({ hook_event_name: 'SessionStart', cwd: `${place.folder}/${plan.secret('hook folder')}` }),
  );
  await run(
    ['hook', 'prompt'],
    JSON.stringify({
      hook_event_name: 'UserPromptSubmit',
      cwd: place.folder,
      prompt: `When does the harbor close? ${plan.secret('hook prompt')}`,
    }),
  );
  await run(
    ['hook', 'stop'],
    JSON.stringify({
      hook_event_name: 'Stop',
      cwd: place.folder,
      session_id: plan.secret('hook session'),
      transcript_path: transcript,
    }),
  );

  await run(['index']);
  await run(['publish', '--dry-run']);
  const named = path.join(place.home, plan.secret('name of a folder'));
  mkdirSync(named);
  await run(['remember', 'The slip is dry.', '--store', 'project', '--project', named]);
  await run(['maintain']);
  await run(['checkpoint', 'make', 'at the end']);
}

function sessionLine(
  { folder }: ActorFolders,
  { content, ...rest }: { readonly content: string; readonly gitBranch?: string; readonly sessionId?: string },
): object {
  return {
    type: 'user',
    uuid: `line-${content.length}`,
    sessionId: 'tide',
    cwd: folder,
    gitBranch: 'main',
    timestamp: '2026-03-02T08:00:00.000Z',
    message: { role: 'user', content },
    ...rest,
  };
}

/** Stdout of a command; what it writes to stderr with `--verbose` goes to the log, but the lines about its own arguments. */
function runCli(
  args: readonly string[],
  input: string,
  { dataDir, folder, home }: ActorFolders,
  log: string[],
): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (it: string) => (out += it));
  child.stderr.setEncoding('utf8').on('data', (it: string) => {
    // Without it, what is written is for the person who typed the arguments.
    if (args.includes('--verbose')) log.push(it);
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      resolve(out);
    });
  });
}

/** Name and bytes of each file below a folder, and its own name, as Latin-1; what is zipped is unzipped. */
function readFiles(folder: string): (readonly [file: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map(it => {
    const file = path.join(it.parentPath, it.name);
    const bytes = it.isFile() ? readFileSync(file) : Buffer.alloc(0);
    const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return [file, `${file}\n${(isZipped ? gunzipSync(bytes) : bytes).toString('latin1')}`] as const;
  });
}
