import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { ChangedImport } from '../../../src/engine/model/importReport.js';
import { storeProblems, TestHost } from '../../support/fixtures.js';

const first =
  '- Use pnpm for every package of this repository.\n- Tests run on port 4001.\n- Deploy on Tuesdays only.\n';
const second =
  '- Use pnpm for every package of this repository.\n- Tests run on port 4002.\n- Sign every commit with your key.\n';

/** File, then what is new, changed (new text) and gone. */
function describeChange({ file, added, changed, gone, isMissing }: ChangedImport): readonly unknown[] {
  const texts = [added.map(it => it.text), changed.map(it => it.text), gone.map(it => it.content)];
  return [file, ...texts, ...(isMissing === true ? ['missing'] : [])];
}

describe('an imported file that changes', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let file: string;

  const changes = async (): Promise<readonly (readonly unknown[])[]> =>
    (await engine.exchange.changedFiles()).map(describeChange);
  const active = async (): Promise<readonly string[]> =>
    (await engine.list({ statuses: ['active'], limit: 100 })).map(it => `${it.lane} ${it.content}`).sort();

  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
    file = path.join(host.workspaceFolders[0]!, 'AGENTS.md');
    writeFileSync(file, first);
    await engine.exchange.import({ path: file });
  });

  it('is shown with its new, changed and gone lines, and as an alert, and changes no memory by itself', async () => {
    assert.deepEqual(await changes(), []);
    const before = await active();
    writeFileSync(file, second);
    assert.deepEqual(await changes(), [
      ['AGENTS.md', ['Sign every commit with your key.'], ['Tests run on port 4002.'], ['Deploy on Tuesdays only.']],
    ]);
    const [alert] = await engine.maintenance.alerts();
    assert.equal(
      `${alert?.kind} ${alert?.store} ${String(alert?.text)}`,
      'importChanged project AGENTS.md has changed since it was imported: 1 new, 1 changed and 1 gone. Take that over, or leave it: recollect import --changes',
    );
    assert.deepEqual(await active(), before);
  });

  it('gives the same memory the new wording where a person takes it over, and keeps what they confirmed confirmed', async () => {
    const old = (await engine.list({ limit: 100 })).find(it => it.content.includes('4001'))!;
    await engine.promote(old.id);
    writeFileSync(file, second);
    const [settled] = await engine.exchange.settleChanged({ decision: 'take' });
    assert.equal(settled?.changed.length, 1);
    assert.deepEqual(await active(), [
      'confirmed Tests run on port 4002.',
      'note Sign every commit with your key.',
      'note Use pnpm for every package of this repository.',
    ]);
    assert.equal((await engine.get(old.id)).content, 'Tests run on port 4002.');
    assert.deepEqual([await changes(), await storeProblems(engine)], [[], []]);
  });

  it('is left as it is until it changes again, where a person leaves it', async () => {
    const before = await active();
    writeFileSync(file, second);
    await engine.exchange.settleChanged({ file: 'AGENTS.md', decision: 'leave' });
    assert.deepEqual([await changes(), await active()], [[], before]);
    writeFileSync(file, `${second}- Ask Bea about the parser.\n`);
    assert.deepEqual(await changes(), [['AGENTS.md', ['Ask Bea about the parser.'], [], []]]);
  });

  it('is shown as missing where it is gone, and is followed no longer once that is settled', async () => {
    rmSync(file);
    const [[, added, changed, gone, state] = []] = await changes();
    assert.deepEqual([added, changed, (gone as unknown[]).length, state], [[], [], 3, 'missing']);
    await engine.exchange.settleChanged({ decision: 'take' });
    assert.deepEqual([await active(), await changes()], [[], []]);
  });

  it('lists no line as gone that another imported file still says', async () => {
    const other = path.join(host.workspaceFolders[0]!, 'CLAUDE.md');
    writeFileSync(other, '- Deploy on Tuesdays only.\n');
    await engine.exchange.import({ path: other });
    writeFileSync(file, '- Use pnpm for every package of this repository.\n- Tests run on port 4001.\n');
    assert.deepEqual(await changes(), []);
  });

  it('does not touch what a person has edited since', async () => {
    const old = (await engine.list({ limit: 100 })).find(it => it.content.includes('Tuesdays'))!;
    await engine.editText(old.id, { content: 'Deploy on Tuesdays and Thursdays only.', before: old.content });
    writeFileSync(file, second);
    assert.deepEqual(
      (await changes()).flatMap(it => it[3] as string[]),
      [],
    );
  });

  it('is followed no longer once its import was undone', async () => {
    await engine.exchange.undoImport();
    writeFileSync(file, second);
    assert.deepEqual(await changes(), []);
    await assert.rejects(engine.exchange.settleChanged({ file: 'AGENTS.md', decision: 'take' }), (it: unknown) =>
      EngineError.is(it, 'notFound'),
    );
  });
});
