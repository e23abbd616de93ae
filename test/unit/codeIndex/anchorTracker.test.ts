import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeHash, findCode } from '../../../src/engine/base/codeHash.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Anchor } from '../../../src/engine/model/memory.js';
import type { Hit } from '../../../src/engine/model/query.js';
import { storeMemory, storeProblems, temporaryFolder, TestHost } from '../../support/fixtures.js';

const harbour = `import { tide } from './tide.js';

/** Whether a ship may leave. */
export function mayLeave(depth: number): boolean {
  return tide() + depth > 4;
}

export class Berth {
  free(): boolean {
    return this.ship === undefined;
  }
}
`;
const fact = 'The harbour master must be asked before the depth limit changes.';

/** A project in a git repository. */
class Project {
  readonly host = new TestHost({ project: true });
  readonly folder = this.host.workspaceFolders[0]!;
  private opened: Promise<MemoryEngine> | undefined;

  engine(): Promise<MemoryEngine> {
    return (this.opened ??= this.host.open());
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  uri(name: string): string {
    return pathToFileURL(this.at(name)).href;
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), text);
  }

  move(from: string, to: string): void {
    mkdirSync(path.dirname(this.at(to)), { recursive: true });
    renameSync(this.at(from), this.at(to));
  }

  git(...words: readonly string[]): void {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
    execFileSync('git', ['-C', this.folder, ...who, ...words], { stdio: 'ignore' });
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-m', 'x');
  }

  /** A repository with one commit, and a memory about `mayLeave`. */
  async start(name = 'src/harbour.ts', rest: Anchor = {}): Promise<string> {
    this.write(name, harbour);
    this.git('init', '-q');
    this.commit();
    const range = { startLine: 3, endLine: 6 };
    const code = harbour.split('\n').slice(3, 6).join('\n');
    const anchor = { uri: this.uri(name), range, symbol: 'mayLeave', anchorHash: codeHash(code), ...rest };
    return storeMemory(await this.engine(), fact, { store: 'project', ...anchor });
  }

  edit(name: string, from: string, to: string): void {
    writeFileSync(this.at(name), readFileSync(this.at(name), 'utf8').replace(from, to));
  }

  async hit(): Promise<Hit & { readonly context: string }> {
    const { hits, context } = await (await this.engine()).recall({ query: 'depth limit of the harbour master' });
    return { ...hits[0]!, context };
  }

  async place(id: string): Promise<object> {
    const { uri, range } = (await (await this.engine()).get(id)).provenance;
    return { uri, range };
  }

  async uriOf(id: string): Promise<string | undefined> {
    return (await (await this.engine()).get(id)).provenance.uri;
  }
}

describe('the code state of a recalled memory', () => {
  /** Checks the code state in a recall after a change of the file. */
  function check(name: string, change: (project: Project) => void, code: Hit['code'], rest: Anchor = {}): void {
    it(name, async () => {
      const project = new Project();
      await project.start('src/harbour.ts', rest);
      // Also an answer that was given a moment ago.
      assert.equal((await project.hit()).code, undefined);
      change(project);
      const { context, ...hit } = await project.hit();
      assert.equal(hit.code, code);
      assert.equal(/ · code (?:changed|gone)\] The harbour/u.test(context), code !== undefined, context);
      if (code !== undefined) assert.match(context, new RegExp(`code ${code}`, 'u'));
    });
  }

  check('is absent for unchanged code', () => undefined, undefined);
  check(
    'is `changed` for edited code',
    it => {
      it.edit('src/harbour.ts', '> 4', '> 5');
    },
    'changed',
  );
  check(
    'is absent for code that moved down, with other indentation and line ends',
    it => {
      const text = readFileSync(it.at('src/harbour.ts'), 'utf8');
      it.write('src/harbour.ts', `// One more line.\n\n${text.replaceAll('\n', '  \r\n')}`);
    },
    undefined,
  );
  check(
    'is absent for a change next to the code',
    it => {
      it.edit('src/harbour.ts', 'this.ship', 'this.boat');
    },
    undefined,
  );
  check(
    'is `gone` for a missing file',
    it => {
      rmSync(it.at('src/harbour.ts'));
    },
    'gone',
  );
  check(
    'is absent where the file became a folder',
    it => {
      rmSync(it.at('src/harbour.ts'));
      mkdirSync(it.at('src/harbour.ts'));
    },
    undefined,
  );
  check(
    'is absent for a file too large to be code',
    it => {
      it.write('src/harbour.ts', 'x'.repeat(600_000));
    },
    undefined,
  );

  it('is read in open projects only', async () => {
    const other = path.join(temporaryFolder(), 'harbour.ts');
    const project = new Project();
    await project.start('src/harbour.ts', { uri: pathToFileURL(other).href });
    assert.equal((await project.hit()).code, undefined);
    const remote = new Project();
    await remote.start('src/harbour.ts', { uri: 'file://host/share/harbour.ts' });
    assert.equal((await remote.hit()).code, undefined);
  });

  it('is not `gone` where the whole project is missing', async () => {
    const project = new Project();
    await project.start();
    renameSync(project.folder, `${project.folder}-away`);
    const { code } = await project.hit();
    renameSync(`${project.folder}-away`, project.folder);
    assert.equal(code, undefined);
  });

  it('finds moved code nearest to its old location', () => {
    const text = 'a\nb\nc\na\nb\nc\na\nb';
    const hash = codeHash('a\nb');
    const found = (startLine: number): number | undefined => findCode(text, { hash, startLine, lineCount: 2 });
    assert.deepEqual([0, 2, 3, 5, 99].map(found), [0, 3, 3, 6, 6]);
    assert.equal(findCode(text, { hash: codeHash('b\na'), startLine: 0, lineCount: 2 }), undefined);
    assert.equal(findCode('a', { hash, startLine: 0, lineCount: 2 }), undefined);
    const usedUp = { remainingChars: 0 };
    assert.equal(findCode(text, { hash, startLine: 3, lineCount: 2 }, usedUp), 3);
    assert.equal(findCode(text, { hash, startLine: 2, lineCount: 2 }, usedUp), undefined);
  });
});

describe('memories follow their code', () => {
  const here = { startLine: 3, endLine: 6 };

  /** Checks the location after an update; undefined = unchanged. */
  function check(name: string, change: (project: Project) => void, to: string | undefined, range = here): void {
    it(name, async () => {
      const project = new Project();
      const id = await project.start();
      change(project);
      const engine = await project.engine();
      assert.equal((await engine.codeAnchors.update()).updated, to === undefined ? 0 : 1);
      assert.deepEqual(await project.place(id), { uri: project.uri(to ?? 'src/harbour.ts'), range });
      assert.deepEqual(await engine.codeAnchors.update(), { updated: 0, lost: to === undefined ? 1 : 0 });
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  check(
    'a rename that git has staged',
    it => {
      it.git('mv', 'src/harbour.ts', 'src/port.ts');
    },
    'src/port.ts',
  );
  check(
    'a rename that was committed, with a change',
    it => {
      it.git('mv', 'src/harbour.ts', 'src/port.ts');
      it.edit('src/port.ts', '> 4', '> 5');
      it.commit();
    },
    'src/port.ts',
  );
  check(
    'two renames',
    it => {
      it.git('mv', 'src/harbour.ts', 'src/port.ts');
      it.commit();
      mkdirSync(it.at('lib'));
      it.git('mv', 'src/port.ts', 'lib/a b ö.ts');
      it.commit();
    },
    'lib/a b ö.ts',
  );
  check(
    'a rename in a merged branch',
    it => {
      it.git('checkout', '-q', '-b', 'side');
      it.git('mv', 'src/harbour.ts', 'src/port.ts');
      it.commit();
      it.git('checkout', '-q', '-');
      it.write('other.ts', 'export const x = 1;\n');
      it.commit();
      it.git('merge', '--no-ff', '-q', '-m', 'merge', 'side');
    },
    'src/port.ts',
  );
  check(
    'a move that git does not know of',
    it => {
      it.move('src/harbour.ts', 'lib/port.ts');
    },
    'lib/port.ts',
  );
  check(
    'the code to another file',
    it => {
      const code = harbour.split('\n').slice(3, 6).join('\n');
      it.edit('src/harbour.ts', code, '');
      it.write('src/leave.ts', `// Who may leave.\n${code}\n`);
    },
    'src/leave.ts',
    { startLine: 1, endLine: 4 },
  );
  check(
    'nothing where two files could be it',
    it => {
      it.move('src/harbour.ts', 'a.ts');
      it.write('b.ts', harbour);
    },
    undefined,
  );
  check(
    'nothing where the file was deleted',
    it => {
      it.git('rm', '-q', 'src/harbour.ts');
      it.commit();
    },
    undefined,
  );
  check(
    'nothing into what git ignores',
    it => {
      it.write('.gitignore', 'out\n');
      it.move('src/harbour.ts', 'out/harbour.ts');
    },
    undefined,
  );

  it('where there is no repository', async () => {
    const project = new Project();
    const id = await project.start();
    rmSync(project.at('.git'), { recursive: true });
    project.move('src/harbour.ts', 'port.ts');
    const engine = await project.engine();
    assert.deepEqual(await engine.codeAnchors.update(), { updated: 1, lost: 0 });
    assert.equal(await project.uriOf(id), project.uri('port.ts'));
    assert.equal((await project.hit()).code, undefined);
  });

  it('through a link to the project', async () => {
    const project = new Project();
    await project.start();
    const link = path.join(temporaryFolder(), 'link');
    symlinkSync(project.folder, link);
    await (await project.engine()).close();
    project.host.workspaceFolders = [link];
    const engine = await project.host.open();
    const id = await storeMemory(engine, 'A berth is free without a ship.', {
      store: 'project',
      uri: pathToFileURL(path.join(link, 'src', 'harbour.ts')).href,
      range: { startLine: 8, endLine: 11 },
      anchorHash: codeHash(harbour.split('\n').slice(8, 11).join('\n')),
    });
    project.move('src/harbour.ts', 'src/port.ts');
    assert.equal((await engine.codeAnchors.update()).updated, 2);
    assert.equal((await engine.get(id)).provenance.uri, pathToFileURL(path.join(link, 'src', 'port.ts')).href);
  });

  it('runs nothing that the repository names', async () => {
    const project = new Project();
    await project.start();
    const mark = path.join(temporaryFolder(), 'ran');
    for (const name of ['core.fsmonitor', 'diff.external', 'diff.x.textconv', 'gpg.program', 'core.pager'])
      project.git('config', name, `touch ${mark}`);
    project.git('config', 'log.showSignature', 'true');
    project.write('.gitattributes', '*.ts diff=x\n');
    project.git('mv', 'src/harbour.ts', 'src/port.ts');
    rmSync(mark, { force: true });
    assert.equal((await (await project.engine()).codeAnchors.update()).updated, 1);
    assert.throws(() => readFileSync(mark), { code: 'ENOENT' });
  });

  it('a document or a folder that the editor renames', async () => {
    const project = new Project();
    const id = await project.start('src/deep/harbour.ts');
    const engine = await project.engine();
    const beside = await storeMemory(engine, 'Sources beside it stay.', {
      store: 'project',
      uri: project.uri('src/deeper.ts'),
    });
    const moves = [{ from: project.uri('src/deep'), to: project.uri('lib') }];
    assert.equal(await engine.codeAnchors.applyRenames(moves), 1);
    assert.equal(await project.uriOf(id), project.uri('lib/harbour.ts'));
    assert.equal(await project.uriOf(beside), project.uri('src/deeper.ts'));
    const back = [{ from: project.uri('lib/harbour.ts'), to: project.uri('a.ts') }];
    assert.equal(await engine.codeAnchors.applyRenames(back), 1);
    assert.equal(await project.uriOf(id), project.uri('a.ts'));
  });
});

describe('a memory whose code has changed', () => {
  it('is listed until the person confirms it', async () => {
    const project = new Project();
    const id = await project.start();
    const engine = await project.engine();
    assert.deepEqual(await engine.codeAnchors.listChanged(), []);
    project.edit('src/harbour.ts', '> 4;\n', '> 5;\n  // deeper\n');
    project.edit('src/harbour.ts', 'import', '// new\nimport');
    assert.deepEqual(
      (await engine.codeAnchors.listChanged()).map(it => [it.memory.id, it.state]),
      [[id, 'changed']],
    );
    project.host.advanceDays(1);
    const { provenance, updatedAt } = await engine.codeAnchors.confirm(id);
    assert.deepEqual([provenance.range, updatedAt], [{ startLine: 4, endLine: 8 }, project.host.now().toISOString()]);
    assert.deepEqual(await engine.codeAnchors.listChanged(), []);
    assert.equal((await project.hit()).code, undefined);
    project.edit('src/harbour.ts', '> 5', '> 6');
    assert.equal((await project.hit()).code, 'changed');
  });

  it('cannot be confirmed without its code', async () => {
    const project = new Project();
    const id = await project.start();
    const other = await project.engine();
    const [plain] = await other.remember({ content: 'Ada keeps the keys.', source: 'explicit', lane: 'confirmed' });
    await assert.rejects(other.codeAnchors.confirm((plain as { id: string }).id), {
      code: 'invalidInput',
      message: /^#[0-9a-f]{8} is about no code, so there is no code to confirm\. Nothing was changed\.$/u,
    });
    rmSync(project.at('src/harbour.ts'));
    const engine = await project.engine();
    await assert.rejects(engine.codeAnchors.confirm(id), { code: 'invalidInput' });
    assert.equal((await engine.codeAnchors.listChanged())[0]?.state, 'gone');
    await engine.forget(id);
    assert.deepEqual(await engine.codeAnchors.listChanged(), []);
  });
});
