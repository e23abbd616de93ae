import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('activation', () => {
  it('is known to VS Code and activates', async () => {
    const extension = vscode.extensions.getExtension('recollect.recollect');
    assert.ok(extension);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('runs where the workspace is', () => {
    const kind = vscode.extensions.getExtension('recollect.recollect')?.extensionKind;
    assert.equal(kind, vscode.ExtensionKind.Workspace);
  });
});
