import assert from 'node:assert/strict';
import { Shell } from './shell.js';

const [ok, usage] = [0, 2];

describe('recollect clients and audit', function () {
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });

  it('show, set and unset what an assistant may do', async () => {
    assert.match((await shell.run('clients')).err, /^No assistant has called yet\./u);
    const allowed = await shell.run('clients allow zed --read-only --store project --tools recall list');
    assert.deepEqual(
      [allowed.code, allowed.out.trim()],
      [ok, 'zed  may read of projects only with recall, list  (has not called)'],
    );
    const denied = await shell.run('clients deny zed');
    assert.equal(denied.out.trim(), 'zed  may do nothing  (has not called)');
    assert.equal((await shell.run('clients')).out.trim(), denied.out.trim());
    assert.equal((await shell.run('clients unset zed')).out.trim(), 'zed  may do everything');
    assert.equal((await shell.run('clients')).out, '');
  });

  for (const [args, sentence] of [
    ['clients deny cli', /The command line is yours/u],
    ['clients allow zed --tools rememberr', /rememberr is no tool\. The tools are recall/u],
    ['clients allow vscode --store project', /--store does not apply to it/u],
    ['audit --since soon', /soon is no date/u],
  ] as const) {
    it(`refuse with a sentence: ${args}`, async () => {
      const { code, err } = await shell.run(args);
      assert.equal(code, usage);
      assert.match(err, sentence);
    });
  }

  it('list reads and changes in their order, and as lines of JSON', async () => {
    await shell.run(['remember', 'The quay opens at six.']);
    await shell.run('recall quay');
    await shell.run('list');
    const id = /#([\da-f]{8})/u.exec((await shell.run('list')).out)![1]!;
    await shell.run(['show', id]);
    const { out } = await shell.run('audit');
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map(it => it.replace(/^\S+ \S+ {2}/u, '').replaceAll(id, 'ID')),
      [
        'cli  create #ID (project)',
        'cli  read by recall #ID',
        'cli  read by list #ID',
        'cli  read by list #ID',
        'cli  read by show #ID',
      ],
    );
    const lines = (await shell.run('audit --json --only changes')).out.trim().split('\n');
    assert.deepEqual(
      lines.map(it => (JSON.parse(it) as { readonly action: string }).action),
      ['create'],
    );
    assert.equal((await shell.run('audit --client zed')).out, '');
  });
});
