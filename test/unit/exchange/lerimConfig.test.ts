import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { interpretLerimConfig } from '../../../src/engine/exchange/formats/lerimConfig.js';
import type { ImportReport } from '../../../src/engine/model/importReport.js';
import { temporaryFolder, TestHost } from '../../support/fixtures.js';

describe("the config.toml of lerim's folder", () => {
  const cases: readonly (readonly [string, string, object])[] = [
    ['is empty', '', { notes: [] }],
    ['sets a scope', '[memory]\nscope = "global_only"', { store: 'global', scope: 'global_only', notes: [] }],
    ['keeps to the project', 'memory.scope = "project_only"', { store: 'project', scope: 'project_only', notes: [] }],
    [
      "is about lerim's program",
      '[server]\nport = 8765\n[agents]\nclaude = "~/.claude"\n[roles.lead]\nmodel = "x"',
      { notes: [] },
    ],
    [
      'sets a scope that there is not',
      'memory = { scope = "all" }',
      { notes: ['memory.scope in config.toml is none of project_fallback_global, project_only, global_only.'] },
    ],
    [
      'sets how memories fade',
      '[memory.decay]\ndecay_days = 90',
      {
        notes: [
          "config.toml sets how memories fade in lerim. Here all memories fade by one rule; lerim's is `recollect config decayProfile gentle`.",
        ],
      },
    ],
    [
      'has settings that are not known',
      'colour = "blue"\n"<b>" = 1\n[memory]\nshape = 2',
      { notes: ['config.toml has settings that mean nothing here: colour, ?b?, memory.shape.'] },
    ],
    [
      'is broken',
      '[memory]\nscope = ',
      { notes: ['config.toml is no valid TOML (line 2, column 9); it was passed over.'] },
    ],
  ];
  for (const [what, text, expected] of cases) {
    it(`is understood where it ${what}`, () => {
      assert.deepEqual(interpretLerimConfig(text), expected);
    });
  }

  const imported = async (
    write: (folder: string) => void,
    base = temporaryFolder(),
  ): Promise<readonly [ImportReport, string[]]> => {
    const host = new TestHost({ project: true });
    const folder = path.join(base, '.lerim');
    mkdirSync(path.join(folder, 'memory', 'decisions'), { recursive: true });
    writeFileSync(path.join(folder, 'memory', 'decisions', 'a.md'), 'Bearer tokens expire after 15 minutes.\n');
    write(folder);
    const engine = await host.open();
    const report = await engine.exchange.import({ path: path.join(folder, 'memory') });
    return [report, (await engine.list()).map(it => it.store)];
  };

  it('decides where memories belong that are of no repository, and never ends the import', async () => {
    const global = '[memory]\nscope = "global_only"';
    const [, moved] = await imported(it => {
      writeFileSync(path.join(it, 'config.toml'), global);
    });
    assert.deepEqual(moved, ['global']);
    assert.deepEqual((await imported(() => undefined))[1], ['project']);
    const [broken, stores] = await imported(it => {
      writeFileSync(path.join(it, 'config.toml'), '= [');
    });
    assert.deepEqual([stores, broken.notes?.length], [['project'], 1]);
    const [linked] = await imported(it => {
      symlinkSync('/etc/hostname', path.join(it, 'config.toml'));
    });
    assert.match(linked.notes!.join(), /^config\.toml was not read: .* is a link to /u);
    assert.deepEqual(
      linked.sources.map(it => it.fresh),
      [1],
    );
  });

  it('is not needed for the folder in the home folder, whose memories are of every project', async () => {
    const { HOME, USERPROFILE } = process.env;
    const home = temporaryFolder();
    try {
      Object.assign(process.env, { HOME: home, USERPROFILE: home });
      assert.deepEqual((await imported(() => undefined, home))[1], ['global']);
    } finally {
      Object.assign(process.env, HOME === undefined ? {} : { HOME }, USERPROFILE === undefined ? {} : { USERPROFILE });
      if (USERPROFILE === undefined) delete process.env.USERPROFILE;
    }
  });

  it('is not read in sub-folders, and does not move what a repository says to every project', async () => {
    const host = new TestHost({ project: true });
    const folder = path.join(host.workspaceFolders[0]!, '.lerim');
    mkdirSync(path.join(folder, 'decisions'), { recursive: true });
    writeFileSync(path.join(folder, 'decisions', 'a.md'), 'Bearer tokens expire after 15 minutes.\n');
    writeFileSync(path.join(folder, 'config.toml'), '[memory]\nscope = "global_only"');
    const engine = await host.open();
    await engine.exchange.import({ path: folder });
    assert.deepEqual(
      (await engine.list()).map(it => it.store),
      ['project'],
    );
  });
});
