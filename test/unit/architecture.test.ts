import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const src = path.resolve('src');

/** No promise, clock or I/O. */
const pure = ['engine/text', 'engine/secrets', 'engine/classify', 'engine/scoring'];
const foundation = ['engine/model', 'engine/base'];
const ports = ['engine/database', 'engine/search', 'engine/store', 'engine/embeddings', 'engine/llm'];
const belowVerbs = ['engine/access', 'engine/context', ...foundation, ...pure, ...ports];
/**
 * The engine's doors: the façade for programs that open stores; the data folder's rights, settings and log, which need none; and,
 * for a program that answers sooner than it can load the rest, its hooks and the thread that searches.
 */
const doors = ['engine/engine', 'engine/access', 'engine/hooks', 'engine/search/prewarmSearch', ...foundation];
const surface = [...doors, 'operations'];

/** Who may import whom; a folder may always import from itself. What is not a key here may import nothing. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'engine/base': [],
  'engine/model': ['engine/base/localizableMessage'],
  'engine/text': foundation,
  'engine/secrets': [...foundation, 'engine/text'],
  'engine/classify': [...foundation, 'engine/text'],
  'engine/scoring': foundation,
  'engine/database': foundation,
  'engine/embeddings': foundation,
  'engine/llm': foundation,
  'engine/search': [...foundation, ...pure, 'engine/database', 'engine/embeddings'],
  'engine/store': [...foundation, ...pure, 'engine/database', 'engine/embeddings', 'engine/search'],
  // Types only: the context knows what it is made of and calls none of it.
  'engine/context': [...foundation, ...ports, 'engine/recall/usageBuffer', 'engine/recall/answerCache'],
  'engine/recall': belowVerbs,
  'engine/remember': belowVerbs,
  'engine/explain': belowVerbs,
  'engine/lifecycle': [
    ...belowVerbs,
    'engine/remember/prepareFact',
    'engine/remember/markReplaced',
    'engine/remember/likelyConflict',
  ],
  'engine/sensitive': belowVerbs,
  'engine/maintenance': belowVerbs,
  'engine/consolidation': [...belowVerbs, 'engine/remember/prepareFact'],
  'engine/capture': [...belowVerbs, 'engine/remember'],
  'engine/codeIndex': [...belowVerbs, 'engine/remember', 'engine/recall/codeState'],
  'engine/briefing': [...belowVerbs, 'engine/recall/codeState'],
  'engine/guards': belowVerbs,
  'engine/publish': [...belowVerbs, 'engine/exchange/formats'],
  'engine/exchange': [...belowVerbs, 'engine/remember'],
  'engine/sync': [
    ...belowVerbs,
    'engine/remember',
    'engine/exchange/formats',
    // What was said in captured sessions.
    'engine/capture/captureCursor',
    'engine/capture/sources',
  ],
  // What waits for the server of a project's store moves there.
  'engine/team': [...belowVerbs, 'engine/remember', 'engine/exchange', 'engine/lifecycle/moves'],
  'engine/openStores': [...foundation, ...ports, 'engine/access', 'engine/context', 'engine/secrets/personalData'],
  'engine/projects': [...belowVerbs, 'engine/recall', 'engine/lifecycle'],
  'engine/intakeReview': [...belowVerbs, 'engine/lifecycle', 'engine/capture', 'engine/remember'],
  'engine/engine': ['engine'],
  'engine/memoryEngine': ['engine'],
  'engine/openParts': ['engine'],
  'engine/hooks': ['engine'],
  'engine/access': [...foundation, 'engine/secrets'],
  connect: [...foundation, 'engine/access'],
  protocol: ['engine/model'],
  operations: ['engine/engine', ...foundation],
  mcp: surface,
  // MCP's Streamable HTTP is served beside the rest.
  http: [...surface, 'mcp'],
  vscode: [...surface, 'connect', 'protocol'],
  cli: [...surface, 'mcp', 'http', 'connect'],
};
/** They start a surface, and may name any of it. */
const entryPoints = ['extension.ts', 'cli.ts'];

/** Packages that touch a disk, a network or native code: one file each knows them. */
const ioPackages = [
  '@vscode/sqlite3',
  'onnxruntime-node',
  '@anthropic-ai/sdk',
  'pg',
  'pgpass',
  'chrono-node',
  'ignore',
  '@vscode/tree-sitter-wasm',
];

/** Who checks for secrets: a memory's text, the fields beside it, the query in a trace, and a goal, which is no memory. */
const secretCheckers = [
  'engine/remember/prepareFact.ts',
  'engine/recall/recallTrace.ts',
  'engine/maintenance/goals.ts',
  // The value of a setting in the audit log, such as an address with a password.
  'engine/explain/activityLog.ts',
  // The label of what is encrypted, which is not.
  'engine/sensitive/sensitiveMemories.ts',
  // Names of files, of branches and of sets; ids in files.
  'engine/exchange/formats/recollect.ts',
  'engine/capture/captureSession.ts',
  'engine/maintenance/runInputs.ts',
  // A prompt that is sent to a language model.
  'engine/explain/answerComparison.ts',
  // The name of a client that is refused before there is an engine.
  'engine/access/admitClient.ts',
  // The name under which rights are kept, of a symbol of code, of a file of the mirror, and the reason of a checkpoint.
  'engine/access/listClients.ts',
  'engine/codeIndex/codeUsage.ts',
  'engine/sync/mirrorFiles.ts',
  // What was said in a session, in a copy that a person asked for.
  'engine/sync/lerimTraces.ts',
  'engine/lifecycle/checkpoints.ts',
  // The name of a set.
  'engine/lifecycle/sets.ts',
  // Keeps code that holds a secret from a model.
  'engine/codeIndex/codeSummarizer.ts',
  // The keys of memories in a file that hooks read.
  'engine/guards/guardFiles.ts',
  // Which line of an imported file holds one, so that only what stands there is left out.
  'engine/exchange/formats/markdown.ts',
  'engine/exchange/formats/markdownSecrets.ts',
];

/** Besides language models. */
const connecting = [
  'engine/embeddings/resumableDownload.ts',
  'engine/embeddings/endpointRequest.ts',
  'engine/database/postgres/postgresDriver.ts',
];

const maxLines = 450;

interface SourceFile {
  readonly file: string;
  /** Without comments. */
  readonly code: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(it => it.endsWith('.ts'))
  .map(it => readSource(it.replaceAll('\\', '/')));

/** Every rule is a list of what breaks it. */
function check(rule: string, broken: (it: SourceFile) => readonly string[]): void {
  it(rule, () => {
    const found = files.flatMap(it => broken(it).map(what => `${it.file}: ${what}`));
    assert.deepEqual(found, []);
  });
}

describe('architecture', () => {
  it('reads the source', () => {
    const seen = new Set(files.flatMap(it => it.imports));
    assert.ok(files.length > 40 && seen.has('@vscode/sqlite3') && seen.has('./context.js'));
  });

  check('imports point downward', ({ file, imports }) =>
    imports.filter(it => it.startsWith('.') && !mayImport(file, resolve(file, it))),
  );

  check('what is outside the engine knows its doors alone', ({ file, imports }) =>
    file.startsWith('engine/')
      ? []
      : imports
          .filter(it => it.startsWith('.'))
          .map(it => resolve(file, it))
          .filter(it => it.startsWith('engine/') && !doors.some(door => it === door || it.startsWith(`${door}/`))),
  );

  it('keeps the façade and at most four files in the folder of the engine', () => {
    const own = files.filter(it => /^engine\/[^/]+$/u.test(it.file)).map(it => it.file);
    assert.ok(own.includes('engine/engine.ts') && own.length <= 5, own.join(', '));
  });

  it('one file has each query that both databases read alike', () => {
    const [ofSqlite, ofPostgres] = ['sqlite', 'postgres'].map(it => queriesIn(`engine/store/${it}`));
    assert.ok(ofSqlite!.size > 50 && ofPostgres!.size > 50, `${ofSqlite!.size} and ${ofPostgres!.size}`);
    assert.deepEqual(
      [...ofSqlite!].filter(it => ofPostgres!.has(it)),
      [],
    );
  });

  check('the store ports know no backend', ({ file, imports }) =>
    file === 'engine/store/store.ts' ? imports.filter(it => /\/(sqlite|database)\//u.test(it)) : [],
  );

  check('an error of the engine is known by its name, for each bundle has a class of its own', ({ code }) =>
    [...code.matchAll(/instanceof EngineError/gu)].map(String),
  );

  check('vscode is imported in src/vscode and src/extension.ts only', ({ file, imports }) =>
    imports.filter(it => it === 'vscode' && !file.startsWith('vscode/') && file !== 'extension.ts'),
  );

  it('one file imports each package that does input and output', () => {
    const shared = ioPackages
      .map(name => files.filter(it => it.imports.some(its => its === name || its.startsWith(`${name}/`))))
      .filter(importers => importers.length > 1)
      .map(importers => importers.map(it => it.file).join(', '));
    assert.deepEqual(shared, []);
  });

  check('pure folders do not wait, read no clock, throw no dice and do no input or output', ({ file, code, imports }) =>
    // The host's port waits for its answers; it holds types alone.
    [...pure, 'engine/model'].some(it => file.startsWith(`${it}/`)) && file !== 'engine/model/host.ts'
      ? [
          ...imports.filter(it => it.startsWith('node:')),
          ...(code.match(
            /\basync (?:function|\(|\*|\w+ =>|\w+\()|\bawait |\bPromise[.<]|\bset(?:Timeout|Interval)\(/gu,
          ) ?? []),
          ...(code.match(/\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\b(?:performance|process)\.\w|\bfetch\(/gu) ??
            []),
        ]
      : [],
  );

  check(
    'four places open connections: model download, embedding endpoint, language models, the driver of PostgreSQL',
    ({ file, code, imports }) =>
      file.startsWith('engine/') && !connecting.includes(file) && !file.startsWith('engine/llm/')
        ? [
            ...imports.filter(it => /^node:(?:https?2?|net|tls|dgram|dns)\b/u.test(it)),
            ...imports.filter(it => it === 'pg'),
            ...(code.match(/\bfetch\(|\bnew (?:WebSocket|EventSource)\(/gu) ?? []),
          ]
        : [],
  );

  check('a text is checked for secrets where facts are prepared, and nowhere else', ({ file, imports }) =>
    secretCheckers.includes(file) || file.startsWith('engine/secrets/')
      ? []
      : imports.filter(it => it.endsWith('/secretScanner.js')),
  );

  check(`no file has more than ${maxLines} lines`, ({ lines }) => (lines > maxLines ? [`${lines} lines`] : []));

  it('no exported name means two things', () => {
    const filesByName = new Map<string, string[]>();
    for (const { file, code } of files) {
      const exported =
        /^export (?:declare |async |abstract )*(?:function\*?|class|interface|type|const|let|enum) (\w+)/gmu;
      for (const name of new Set([...code.matchAll(exported)].map(it => it[1]!))) {
        filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
      }
    }
    const namesakes = [...filesByName].filter(([, its]) => its.length > 1).map(it => it.flat().join(' '));
    assert.deepEqual(namesakes, []);
  });

  it('no two folders of the engine import each other', () => {
    const folderOf = (module: string): string => module.split('/').slice(0, 2).join('/');
    const pairs = new Set(
      files.flatMap(({ file, imports }) =>
        imports
          .filter(it => it.startsWith('.'))
          .map(it => [folderOf(path.posix.dirname(file)), folderOf(path.posix.dirname(resolve(file, it)))] as const)
          .filter(([from, to]) => from !== to && from.startsWith('engine/') && to.startsWith('engine/'))
          .map(it => it.join(' ')),
      ),
    );
    const circles = [...pairs].filter(it => pairs.has(it.split(' ').reverse().join(' ')));
    assert.deepEqual(circles, []);
  });

  check('exports are named, and no file only passes on what others export', ({ file, code }) => [
    ...(code.match(/^export default\b/gmu) ?? []),
    ...(path.posix.basename(file) === 'index.ts' ? ['index.ts'] : []),
    ...(code.match(/^export \* from\b.*/gmu) ?? []),
  ]);
});

/** The SQL in the files of a folder, with one sign for each parameter and each part that is put together. */
function queriesIn(sourceFolder: string): ReadonlySet<string> {
  const texts = files
    .filter(it => it.file.startsWith(`${sourceFolder}/`))
    .flatMap(it => [...it.code.matchAll(/`([^`]*)`|'([^'\n]*)'|"([^"\n]*)"/gu)])
    .map(([, template, single, double]) => (template ?? single ?? double ?? '').trim());
  return new Set(
    texts
      .filter(it => /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u.test(it))
      .map(it => it.replace(/\$\{[^}]*\}|\$\d+(?:::\w+(?:\[\])?)?|\?\d*/gu, '#').replace(/\s+/gu, ' ')),
  );
}

function readSource(file: string): SourceFile {
  const text = readFileSync(path.join(src, file), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gmu, '');
  const imports = [...code.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*'([^']+)'/gu)].map(it => it[1]!);
  return { file, code, lines: text.trimEnd().split('\n').length, imports };
}

/** An imported module's path below src, without its extension. */
function resolve(from: string, imported: string): string {
  return path.posix.join(path.posix.dirname(from), imported).replace(/\.(?:js|ts)$/u, '');
}

function mayImport(file: string, target: string): boolean {
  if (entryPoints.includes(file)) return true;
  const from = owner(file.replace(/\.ts$/u, ''));
  if (from === undefined) return false;
  return [from, ...allowed[from]!].some(ok => target === ok || target.startsWith(`${ok}/`));
}

/** The longest key that a module lies in. */
function owner(module: string): string | undefined {
  return Object.keys(allowed)
    .filter(it => module === it || module.startsWith(`${it}/`))
    .sort((a, b) => b.length - a.length)[0];
}
