import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { globalStorageFolder } from './engineFixtures.js';

describe('activation', () => {
  const extension = vscode.extensions.getExtension('recollect.recollect');

  it('activates the extension', async () => {
    assert.ok(extension);
    const wasActive = extension.isActive;
    const start = performance.now();
    await extension.activate();
    // Printed, not asserted: it depends on the machine, and includes the round trip to the window.
    print(wasActive ? 'was active already' : `activated in ${Math.round(performance.now() - start)} ms`);
    assert.equal(extension.isActive, true);
  });

  it('does not open the engine before it is needed', () => {
    assert.equal(existsSync(join(globalStorageFolder(), 'global')), false);
  });

  it('runs in the workspace extension host', () => {
    assert.equal(extension?.extensionKind, vscode.ExtensionKind.Workspace);
  });
});

/** Writes to the report of the run, because the console of an extension host is that of the window. */
function print(text: string): void {
  const report = process.env.RECOLLECT_TEST_REPORT;
  if (report !== undefined) appendFileSync(report, `      ${text}\n`);
}
