import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeHash } from '../../../src/engine/base/codeHash.js';
import type { IndexInput, MemoryEngine } from '../../../src/engine/engine.js';
import type { IndexReport } from '../../../src/engine/model/codeIndex.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { memoryInput, storeProblems, TestHost } from '../../support/fixtures.js';

const net = `import { readFileSync } from 'node:fs';

/** Reads a port from the text of a setting. @throws RangeError when it is none */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port)) throw new RangeError(text);
  return port;
}

export class Board {
  /** How often the board asks the tide service. */
  refresh(seconds: number): void {
    schedule(seconds);
  }
}
`;
const python = `"""Sails of the fleet."""


def hoist(sail):
    """Hoists a sail before the wind turns."""
    return sail.up()
`;

class Project {
  readonly host = new TestHost({ project: true });
  readonly folder = this.host.workspaceFolders[0]!;
  private opened: Promise<MemoryEngine> | undefined;

  engine(): Promise<MemoryEngine> {
    return (this.opened ??= this.host.open());
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(this.folder, name)), { recursive: true });
      writeFileSync(path.join(this.folder, name), text);
    }
  }

  async index(input: IndexInput = {}): Promise<IndexReport> {
    return (await this.engine()).codeIndex.run(input);
  }

  async memories(): Promise<Memory[]> {
    return (await (await this.engine()).list({ limit: 100 })).sort((a, b) => (a.content < b.content ? -1 : 1));
  }

  async descriptions(): Promise<string[]> {
    return (await this.memories()).filter(it => it.kind === 'code-description').map(it => it.content);
  }
}

describe('code index', () => {
  it('describes files and declarations, linked to their code', async () => {
    const project = new Project();
    project.write({
      'src/net.ts': net,
      'sails.py': python,
      'deploy.swift': '// Ships the fleet to the harbour.\nfun main() {}\n',
    });
    const report = await project.index();
    assert.deepEqual(
      { ...report },
      {
        status: 'done',
        dryRun: false,
        indexed: 3,
        unchanged: 0,
        removed: 0,
        pairs: 7,
        archived: 0,
        refused: 0,
        cut: 0,
        leftOut: {},
        failed: [],
      },
    );
    assert.deepEqual(await project.descriptions(), [
      'Class `Board` in src/net.ts. It has `refresh`.',
      'File deploy.swift (Swift): ships the fleet to the harbour.',
      'File sails.py (Python): sails of the fleet. It defines `hoist`.',
      'File src/net.ts (TypeScript). It defines `parsePort` and `Board`.',
      'Function `hoist(sail)` in sails.py: hoists a sail before the wind turns.',
      'Function `parsePort(text: string): number` in src/net.ts: reads a port from the text of a setting. Throws RangeError when it is none.',
      'Method `Board.refresh(seconds: number): void` in src/net.ts: how often the board asks the tide service.',
    ]);
    const engine = await project.engine();
    const memories = await project.memories();
    const [description, code] = ['code-description', 'code'].map(kind =>
      memories.find(it => it.kind === kind && it.provenance.symbol === 'parsePort')!,
    ) as [Memory, Memory];
    const text = net.slice(net.indexOf('export function'), net.indexOf('\n\nexport class'));
    assert.equal(code.content, `src/net.ts: parsePort\n\n${text}`);
    const { uri, range, anchorHash } = code.provenance;
    assert.deepEqual(
      [path.basename(uri!), range, anchorHash],
      ['net.ts', { startLine: 3, endLine: 8 }, codeHash(text)],
    );
    assert.deepEqual([description.lane, description.expiresAt, description.store], ['note', undefined, 'project']);
    const around = await engine.graph.neighbors(description.id);
    assert.deepEqual(
      around.map(({ edge: it }) => [it.source, it.target, it.type]),
      [[description.id, code.id, 'source_of']],
    );
    assert.equal(
      memories.find(it => it.kind === 'code' && it.provenance.symbol === 'Board')!.content,
      'src/net.ts: Board\n\nexport class Board {\n  /** How often the board asks the tide service. */\n  refresh(seconds: number): void { …\n}',
    );
    const { hits } = await engine.recall({ query: 'where is the port parsed' });
    assert.ok(hits.slice(0, 2).some(it => it.memory.id === description.id));
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('updates changed files only, and archives memories of missing code', async () => {
    const project = new Project();
    project.write({ 'src/net.ts': net, 'sails.py': python });
    await project.index();
    const before = await project.memories();
    assert.deepEqual([(await project.index()).unchanged, await project.memories()], [2, before]);

    // A line above moves everything, and changes one function.
    project.host.advanceDays(1);
    project.write({ 'src/net.ts': `\n${net.replace('Number(text)', 'Number(text.trim())')}` });
    const { indexed, pairs, archived } = await project.index();
    // The file's outline keeps its first lines, so that its hash differs with the text.
    assert.deepEqual({ indexed, pairs, archived }, { indexed: 1, pairs: 2, archived: 1 });
    const after = await project.memories();
    assert.equal(after.length, before.length);
    const board = after.find(it => it.kind === 'code' && it.provenance.symbol === 'Board')!;
    assert.deepEqual(board.provenance.range, { startLine: 10, endLine: 16 });
    const parsePort = after.filter(it => it.provenance.symbol === 'parsePort');
    assert.deepEqual([parsePort.length, new Set(parsePort.map(it => it.provenance.anchorHash)).size], [2, 1]);

    rmSync(path.join(project.folder, 'sails.py'));
    const gone = await project.index();
    assert.deepEqual([gone.removed, gone.archived], [1, 4]);
    const engine = await project.engine();
    const found = await engine.recall({ query: 'hoist a sail', statuses: ['active', 'archived'] });
    assert.ok(found.hits.every(it => !it.memory.content.includes('hoist')));
    project.write({ 'sails.py': python });
    await project.index();
    assert.ok((await project.descriptions()).some(it => it.includes('hoist')));
    assert.equal((await engine.codeIndex.status()).files, 2);
  });

  it('skips ignored, generated and excluded files', async () => {
    const project = new Project();
    const one = 'export const one = 1;\n';
    project.write({
      '.git/config': '',
      '.git/info/exclude': 'private.ts\n',
      '.gitignore': 'out/\n*.log.ts\n!kept.log.ts\n',
      'src/.gitignore': '/local.ts\nkept.log.ts\n',
      'out/a.ts': one,
      'a.log.ts': one,
      'kept.log.ts': one,
      'src/kept.log.ts': one,
      'src/local.ts': one,
      'private.ts': one,
      'node_modules/x/index.js': one,
      'hidden/a.ts': one,
      'hidden.js': one,
      'hidden.ts': one,
      'app.min.js': one,
      'wide.js': `const a = '${'x'.repeat(6_000)}';\n`,
      'made.ts': '// Code generated by tables. DO NOT EDIT.\nexport const two = 2;\n',
      'binary.ts': 'a\0b',
      'large.ts': one.repeat(30_000),
      'data.json': '{}',
    });
    const exclude = [{ pattern: '**/hid{den,dle}' }, { pattern: '**/*.js', when: '$(basename).ts' }];
    const report = await project.index({ exclude });
    assert.deepEqual(await project.descriptions(), ['File hidden.ts (TypeScript).', 'File kept.log.ts (TypeScript).']);
    const { ignored, ...leftOut } = report.leftOut;
    assert.deepEqual(leftOut, { minified: 2, generated: 1, binary: 1, 'too large': 1, 'not code': 3 });
    assert.ok(ignored! > 3);
    await assert.rejects(project.index({ paths: [path.dirname(project.folder)] }), { code: 'invalidInput' });
  });

  it('keeps no secret, and reports truncated chunks', async () => {
    const project = new Project();
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    project.write({
      'a.ts': `/** Signs in with ${secret}. */\nexport function signIn(): void {\n  send('${secret}');\n}\n`,
      'b.ts': `export function long(): void {\n${"  log('a line of this function');\n".repeat(400)}}\n`,
    });
    const report = await project.index();
    assert.equal(report.cut, 1);
    assert.ok(report.refused > 0);
    assert.equal(report.refusedFiles?.length, 1);
    const memories = await project.memories();
    assert.ok(memories.every(it => !it.content.includes(secret)));
    assert.ok((await project.descriptions()).includes('Function `signIn(): void` in a.ts: sign in. It calls `send`.'));
    const long = memories.find(it => it.kind === 'code' && it.provenance.symbol === 'long')!.content;
    assert.match(long, /\n… \(the first \d+ of 402 lines\)$/u);
    assert.ok(long.length <= 8_000);
  });

  it('can be aborted and resumed, has a dry run, and does not bring back a forgotten memory', async () => {
    const project = new Project();
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `f${i}.ts`,
        `/** Does work number ${i}. */\nexport function work${i}() {\n  go();\n}\n`,
      ]),
    );
    project.write(files);
    assert.deepEqual([(await project.index({ dryRun: true })).pairs, await project.memories()], [120, []]);
    const controller = new AbortController();
    const onProgress = ({ done }: { done: number }): void => {
      if (done > 30) controller.abort();
    };
    const first = await project.index({ signal: controller.signal, onProgress });
    assert.deepEqual([first.status, first.indexed], ['cancelled', 24]);
    const second = await project.index();
    assert.deepEqual([second.status, second.indexed, second.unchanged, second.removed], ['done', 36, 24, 0]);
    const engine = await project.engine();
    const [description] = await engine.list({ kinds: ['code-description'], limit: 1 });
    await engine.forget(description!.id);
    const uri = description!.provenance.uri!;
    project.write({ [path.basename(uri)]: `\n\n${files[path.basename(uri)]!.replace('go()', 'run()')}` });
    await project.index();
    assert.equal((await engine.get(description!.id)).status, 'archived');
  });

  it('answers with one place for code and its description, and with tests last', async () => {
    const project = new Project();
    project.write({
      'src/tides.ts':
        '/** Reads the height of the tide. */\nexport function tideHeight(at: Date): number {\n  return table(at);\n}\n',
      'test/tides.test.ts':
        '/** Reads the height of the tide. */\nfunction tideHeightAtNoon(): void {\n  tideHeight(noon);\n}\n',
    });
    await project.index();
    const engine = await project.engine();
    const shown = async (query: string): Promise<string[]> =>
      (await engine.recall({ query })).hits.map(
        ({ memory: { kind, provenance } }) => `${kind} ${path.basename(provenance.uri!)} ${provenance.symbol ?? ''}`,
      );
    const answer = await shown('the height of the tide');
    assert.equal(answer[0], 'code-description tides.ts tideHeight');
    assert.equal(answer.filter(it => it.endsWith('tideHeight')).length, 1);
    assert.ok(answer.every(it => it.startsWith('code-description')));
    assert.match((await shown('a test of the height of the tide'))[0]!, /^code-description tides\.test\.ts /u);
    const { hits, trace } = await engine.recall({ query: 'the height of the tide', mode: 'fresh' });
    assert.ok(trace.candidates.some(it => it.outcome === 'same code'));
    const stored = (await engine.traces()).find(it => it.id === trace.id);
    assert.equal(stored?.candidates.find(it => it.id === hits[0]!.memory.id)?.factors.codeWeight, 1);
    const codeOnly = await engine.recall({ query: 'the height of the tide', kinds: ['code'] });
    assert.ok(codeOnly.hits.every(it => it.memory.kind === 'code') && codeOnly.hits.length > 1);
  });

  it('gives descriptions of code that are closer than every memory, three at most, and below what a person said', async () => {
    const project = new Project();
    const gates = ['North', 'South', 'East', 'West', 'Old'].map(
      it =>
        `/** Decides whether the ${it.toLowerCase()} gate opens for a ship. */\nexport function open${it}Gate(ship: string): boolean {\n  return measure(ship);\n}\n`,
    );
    project.write(Object.fromEntries(gates.map((text, i) => [`src/gate${i}.ts`, text])));
    await project.index();
    const engine = await project.engine();
    const rule = 'The gate opens for a ship at nine, never before; a ship waits at the pier.';
    await engine.remember(memoryInput(rule, { lane: 'confirmed', store: 'project', whole: true }));
    const shown = async (query: string): Promise<string[]> =>
      (await engine.recall({ query, mode: 'fresh' })).hits.map(({ memory }) =>
        memory.content === rule ? 'rule' : `${memory.kind} ${memory.provenance.symbol ?? ''}`,
      );
    assert.deepEqual(await shown('when does the gate open, and where does a ship wait until nine'), ['rule']);
    assert.equal((await shown('when do we let a ship through the gate'))[0], 'rule');
    const asked = await shown('which function decides whether the gate opens for a ship');
    assert.equal(asked[0], 'rule');
    assert.equal(asked.length, 4);
    assert.ok(asked.slice(1).every(it => /^code-description open\w+Gate$/u.test(it)));
    assert.ok((await shown('what calls openWestGate()')).includes('code-description openWestGate'));
    assert.deepEqual(await shown('who owns the billing contract'), []);
  });

  it('names methods by their receiver, and takes no annotation or modifier for a call', async () => {
    const project = new Project();
    const steps = Array.from({ length: 5 }, (_, i) => `  r.items[${i}] = grow(r.items[${i}])`).join('\n');
    project.write({
      'ring.go': `package store\n\ntype Ring struct{ items []int }\n\nfunc (r *Ring) Next() int {\n${steps}\n  return 1\n}\n\nfunc (r *Other[T]) Next() int {\n${steps}\n  return 2\n}\n`,
      'Kiln.java':
        'class Kiln {\n  @SuppressWarnings("unchecked")\n  int fire(Object clay) {\n    heat(clay);\n    wait();\n    return cool(clay);\n  }\n}\n',
      'queue.rs': `mod other;\npub struct Queue { items: Vec<u32> }\nimpl Queue {\n  pub(crate) fn advance(&mut self) -> u32 {\n    refill();\n    let a = 1;\n    a\n  }\n}\n`,
      'Handler.php': '<?php\nnamespace App\\Http;\n\nfunction handleRequest($r) {\n  parseBody($r);\n  return 1;\n}\n',
    });
    await project.index();
    const descriptions = (await project.descriptions()).filter(it => !it.startsWith('File '));
    assert.deepEqual(
      descriptions
        .flatMap(it => /^Method `(.+?)`/u.exec(it)?.[1] ?? [])
        .filter(it => it.includes('Next'))
        .sort(),
      ['Other.Next() int', 'Ring.Next() int'],
    );
    assert.ok(!descriptions.some(it => /It calls [^.]*(?:`pub`|SuppressWarnings)|^Module/u.test(it)));
  });

  it('describes names that are no identifiers, type parameters and decorated members', async () => {
    const project = new Project();
    const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
    project.write({
      'types.d.ts': lines(
        "declare module '*.svg' {",
        '  const url: string;',
        '  export default url;',
        '}',
        "declare module 'tides-api.v2' {",
        '  export interface Tide { height: number }',
        '}',
      ),
      'harbor.ts': lines(
        '@Service({',
        "  name: 'harbor',",
        '})',
        'export class Harbor<T extends { id: string }> {',
        '  #berths = new Map<string, T>();',
        '',
        '  /** Moors a ship at a free berth. */',
        "  @Log('moor')",
        '  async #moor<K extends { length: number }>(ship: K, at?: string): Promise<void> {',
        '    return tie(ship);',
        '  }',
        '',
        '  [Symbol.iterator](): Iterator<T> {',
        '    const all = this.#berths;',
        '    return all.values();',
        '  }',
        '',
        '  /** Measures the length of a ship. */',
        '  длинаСудна(судно: T): number {',
        '    return measure(судно);',
        '  }',
        '}',
      ),
      'mast.rs': lines(
        '/// Raises the mast.',
        'pub fn r#async<T: Into<String>>(name: T) -> usize {',
        '    lift(name)',
        '}',
      ),
      '名前.py': lines('def 潮位(時刻):', '    """Reads the tide."""', '    return 読む(時刻)'),
    });
    const report = await project.index();
    assert.deepEqual([report.failed, report.indexed], [[], 4]);
    const signatures = (await project.descriptions()).flatMap(it => /^\w+ `(.+?)` in /u.exec(it)?.[1] ?? []);
    assert.deepEqual(signatures.sort(), [
      "'*.svg'",
      "'tides-api.v2'",
      "'tides-api.v2'.Tide",
      'Harbor.#moor<K extends { length: number }>(ship: K, at?: string): Promise<void>',
      'Harbor.[Symbol.iterator](): Iterator<T>',
      'Harbor.длинаСудна(судно: T): number',
      'Harbor<T extends { id: string }>',
      'r#async<T: Into<String>>(name: T) -> usize',
      '潮位(時刻)',
    ]);
    assert.ok((await project.descriptions()).some(it => it.includes('#moor') && it.includes('moors a ship at a free')));
  });

  it('skips what cannot be described, names it in the report, and indexes the rest', async () => {
    const project = new Project();
    project.write({ 'a.kt': 'fun moor() {\n  tie()\n  wait()\n}\n', 'b.kt': 'fun sail() {\n}\n' });
    const range = { startLine: 0, startCharacter: 0, endLine: 3, endCharacter: 1 };
    const report = await project.index({
      symbols: ({ file }) => {
        if (file.endsWith('b.kt')) return Promise.reject(new Error('The symbols are gone.'));
        // A provider that breaks its contract.
        return Promise.resolve([
          { ...range, kind: undefined as never, name: 'drift' },
          { ...range, kind: 'function', name: 'moor' },
        ]);
      },
    });
    assert.deepEqual(
      report.failed.map(it => [it.file, it.symbol]),
      [
        ['b.kt', undefined],
        ['a.kt', 'drift'],
      ],
    );
    assert.deepEqual([report.status, report.indexed], ['done', 1]);
    assert.ok((await project.descriptions()).some(it => it.startsWith('Function `moor()` in a.kt')));
    assert.deepEqual((await project.index()).failed, []);
  });

  it('says who uses a declaration and which tests name it, and renews that when another file changes', async () => {
    const project = new Project();
    project.write({
      'src/sluice.ts': 'export function openSluice(width: number): void {\n  raise(width);\n  log(width);\n}\n',
      'src/lock.ts': '/** Fills the lock. */\nexport function fillLock(): void {\n  openSluice(3);\n}\n',
      'test/sluice.test.ts':
        "it('lets the water in slowly', () => {\n  openSluice(1);\n});\nit('closes', () => {\n  shut();\n});\n",
    });
    await project.index();
    const describedSluice = async (): Promise<string | undefined> =>
      (await project.descriptions()).find(it => it.includes('`openSluice(width'));
    assert.equal(
      await describedSluice(),
      'Function `openSluice(width: number): void` in src/sluice.ts: open sluice. It calls `raise` and `log`. Used by `fillLock` (src/lock.ts). Tested in test/sluice.test.ts: “lets the water in slowly”.',
    );
    project.write({ 'src/lock.ts': '/** Fills the lock. */\nexport function fillLock(): void {\n  pump();\n}\n' });
    const { indexed, unchanged } = await project.index();
    assert.deepEqual([indexed, unchanged], [2, 1]);
    assert.ok(!(await describedSluice())!.includes('Used by'));
  });

  it('shows the best of other files before further pieces of one file', async () => {
    const project = new Project();
    const pieces = ['Low', 'High', 'Spring'].map(
      it =>
        `/** Reads the height of the ${it.toLowerCase()} tide. */\nexport function read${it}Tide(at: Date): number {\n  return table(at);\n}\n`,
    );
    project.write({
      'src/pier.ts': pieces.join('\n'),
      'src/board.ts':
        '/** Reads the height of the tide to the crew. */\nexport function readTideBoard(): void {\n  paint();\n}\n',
    });
    await project.index();
    const { hits } = await (await project.engine()).recall({ query: 'read the height of the tide' });
    const files = hits.map(it => path.basename(it.memory.provenance.uri!));
    assert.deepEqual(files.slice(0, 2).sort(), ['board.ts', 'pier.ts']);
  });

  it('prefers the declarations of the surface', async () => {
    const project = new Project();
    project.write({ 'a.kt': 'fun moor() {\n  tie()\n  wait()\n}\n' });
    await project.index({
      symbols: () =>
        Promise.resolve([
          { name: 'moor', kind: 'function', startLine: 0, startCharacter: 0, endLine: 3, endCharacter: 1 },
        ]),
    });
    assert.deepEqual(await project.descriptions(), [
      'File a.kt (Kotlin). It defines `moor`.',
      'Function `moor()` in a.kt. It calls `tie` and `wait`.',
    ]);
  });
});
