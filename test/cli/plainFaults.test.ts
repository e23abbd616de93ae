import assert from 'node:assert/strict';
import { Shell } from './shell.js';

describe('a command that cannot do what it was asked', () => {
  it('says with --json in one object on stderr why, and nothing on stdout', async () => {
    const shell = new Shell();
    const failures = [
      ['list --limit 2000 --json', 2, 'invalidInput', /limit must be a whole number from 1 to 1,000/u],
      ['recall x --limit 0 --json', 2, 'invalidInput', /from 1 to 100/u],
      ['show nothing --json', 3, 'notFound', /There is no memory "nothing"/u],
      ['list --nope --json', 2, 'invalidInput', /unknown option '--nope'/u],
      ['list --lane what --json', 2, 'invalidInput', /Allowed choices are confirmed, note/u],
    ] as const;
    for (const [command, expected, code, reason] of failures) {
      const result = await shell.run(command);
      const said = JSON.parse(result.err.trim().split('\n').at(-1)!) as {
        readonly error: string;
        readonly code: string;
      };
      assert.deepEqual([result.code, result.out, said.code], [expected, '', code], command);
      assert.match(said.error, reason);
    }
  });

  it('names the tag that it does not take', async () => {
    const shell = new Shell();
    const { code, err } = await shell.run(['remember', 'The quay is long.', '--tag', 'dock', '--tag', 'x'.repeat(300)]);
    assert.deepEqual([code, /^Tag 2 of 2 must be plain text of at most 64 characters\.$/mu.test(err)], [2, true], err);
  });

  it('says that of two projects only one keeps a fact', async () => {
    const shell = new Shell();
    const other = new Shell();
    const { code, err } = await shell.run(
      `--project ${shell.project} --project ${other.project} remember "The dock is blue."`,
    );
    assert.equal(code, 0);
    assert.match(err, /^A fact of a project is kept for the first --project alone\. Run it once for each\.$/mu);
    assert.doesNotMatch((await shell.run('remember "The pier is red."')).err, /--project alone/u);
  });
});
