import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { globalStorage } from './memory.js';

describe('activation', () => {
  const extension = vscode.extensions.getExtension('recollect.recollect');

  it('is known to VS Code and activates', async () => {
    assert.ok(extension);
    const wasActive = extension.isActive;
    const start = performance.now();
    await extension.activate();
    // Printed, not judged: it depends on the machine, and the way to the window and back is in it.
    print(wasActive ? 'was active already' : `activated in ${Math.round(performance.now() - start)} ms`);
    assert.equal(extension.isActive, true);
  });

  it('opens no memory before it is needed', () => {
    assert.equal(existsSync(join(globalStorage(), 'global')), false);
  });

  it('runs where the workspace is', () => {
    assert.equal(extension?.extensionKind, vscode.ExtensionKind.Workspace);
  });
});

/** Into the report of the run: the console of an extension host ends in the window. */
function print(text: string): void {
  const report = process.env.RECOLLECT_TEST_REPORT;
  if (report !== undefined) appendFileSync(report, `      ${text}\n`);
}
