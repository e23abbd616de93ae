import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shortId } from '../../src/engine/model/memory.js';
import { harbourCode as code, storeHarbourMemory } from '../support/anchoredMemory.js';
import { TestHost } from '../support/fixtures.js';
import { Shell } from './shell.js';

const question = ['recall', 'depth limit of the harbour master'];

describe('recollect anchors', function () {
  it('follows moved code, lists changed code, accepts a confirmation, and a recall shows the state', async () => {
    const shell = new Shell();
    const [file, moved] = ['harbour.ts', 'port.ts'].map(it => path.join(shell.project, it)) as [string, string];
    writeFileSync(file, code);
    const host = new TestHost();
    host.dataDir = `${shell.home}/memory`;
    host.workspaceFolders = [shell.project];
    host.time = Date.now();
    const engine = await host.open();
    const id = await storeHarbourMemory(engine, file);
    await engine.close();
    const short = shortId({ id });

    assert.equal((await shell.run('anchors')).out, 'All code that memories are about is as it was.\n');
    assert.doesNotMatch((await shell.run(question)).out, /its code|its file/u);
    renameSync(file, moved);
    // The answer does not wait; what it found out is known the next time.
    assert.match((await shell.run(question)).out, /\n {4}its file is gone: file:.*harbour\.ts mayLeave\n$/u);
    assert.doesNotMatch((await shell.run(question)).out, /its code|its file/u);

    writeFileSync(moved, code.replace('4', '5'));
    assert.match((await shell.run([...question, '--context'])).out, /· code changed\] The harbour/u);
    assert.match((await shell.run('hook session-start', '{}')).out, /· code changed\] The harbour/u);
    const { out } = await shell.run('anchors');
    assert.match(
      out,
      new RegExp(`^#${short}  The harbour.*\\n {4}its code has changed: file:.*port\\.ts mayLeave\\n`, 'u'),
    );
    assert.match((await shell.run(['anchors', '--confirm', short])).out, /^Still true: #/u);
    assert.equal((await shell.run('anchors')).out, 'All code that memories are about is as it was.\n');
    assert.match((await shell.run('hook session-start', '{}')).out, new RegExp(`- \\[#${short}\\] The harbour`, 'u'));
    renameSync(moved, file);
    assert.match((await shell.run('hook session-start', '{}')).out, /· code gone\] The harbour/u);
    assert.match((await shell.run('anchors')).out, /^Followed to where the code is now: 1 memory\.\n/u);
    assert.equal((await shell.run('anchors --confirm 00000000')).code, 3);
    assert.equal((await shell.run('verify')).code, 0);
  });
});
