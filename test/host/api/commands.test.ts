import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { commandIds, formerCommandIds, memoryDocumentScheme } from '../../../src/vscode/contributions.js';
import { waitUntil, openOtherEngine } from './engineFixtures.js';

describe('commands', () => {
  let engine: MemoryEngine;
  let id: string;

  before(async () => {
    engine = await openOtherEngine();
    const [stored] = await engine.remember({ content: 'The crane lifts twelve tonnes.', source: 'explicit' });
    assert.equal(stored?.outcome, 'stored');
    id = stored.id;
  });
  after(() => engine.close());

  it('are all registered, also by their former ids', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      [...Object.values(commandIds), ...Object.keys(formerCommandIds)].filter(it => !known.has(it)),
      [],
    );
  });

  it('change the memory in their arguments', async () => {
    const seen: string[] = [];
    for (const command of ['pin', 'unpin', 'promote', 'markCritical', 'forget', 'restore'] as const) {
      await vscode.commands.executeCommand(commandIds[command], id);
      const { pinned, lane, decayClass, status } = await engine.get(id);
      seen.push(`${command}: ${pinned ? 'pinned ' : ''}${lane} ${decayClass} ${status}`);
    }
    assert.deepEqual(seen, [
      'pin: pinned note durable active',
      'unpin: note durable active',
      'promote: confirmed durable active',
      'markCritical: confirmed permanent active',
      'forget: confirmed permanent archived',
      'restore: confirmed permanent active',
    ]);
  });

  it('make a confirmed memory a guard until it is unpinned', async () => {
    const [stored] = await engine.remember({
      content: 'Ask me before `git push`.',
      lane: 'confirmed',
      source: 'explicit',
    });
    assert.equal(stored?.outcome, 'stored');
    const guard = stored.id;
    await vscode.commands.executeCommand(commandIds.askBefore, guard);
    assert.deepEqual([await engine.guards.list(), (await engine.get(guard)).pinned], [[guard], true]);
    await vscode.commands.executeCommand(commandIds.unpin, guard);
    assert.deepEqual([await engine.guards.list(), (await engine.get(guard)).pinned], [[], false]);
    await engine.forget(guard);
  });

  it('set the priority of the memories in their arguments', async () => {
    await vscode.commands.executeCommand(commandIds.setPriority, [id], 9);
    assert.equal((await engine.get(id)).priority, 9);
    await vscode.commands.executeCommand(commandIds.setPriority, id, 5);
    assert.equal((await engine.get(id)).priority, 5);
  });

  it('apply to the selected row when called by a key, also during a refresh of the tree', async () => {
    const active = (): Promise<readonly Memory[]> => engine.list({ statuses: ['active'] });
    const before = await active();
    await vscode.commands.executeCommand('recollect.explorer.focus');
    await vscode.commands.executeCommand(commandIds.refresh);
    // There is no event for a rendered tree: it is there when a command finds the selected row.
    const isPinned = (memories: readonly Memory[]): boolean => memories.some(it => it.pinned);
    let rowsDown = 0;
    const select = async (): Promise<readonly Memory[]> => {
      // The first row may undo the last change.
      await vscode.commands.executeCommand('list.focusFirst');
      rowsDown = (rowsDown % 3) + 1;
      for (let i = 0; i < rowsDown; i++) await vscode.commands.executeCommand('list.focusDown');
      await vscode.commands.executeCommand('list.select');
      await vscode.commands.executeCommand(commandIds.pin, 'selected');
      return active();
    };
    assert.ok(isPinned(await waitUntil(select, isPinned)));
    await vscode.commands.executeCommand(commandIds.unpin, 'selected');
    await vscode.commands.executeCommand(commandIds.refresh);
    await vscode.commands.executeCommand(commandIds.forget, 'selected');
    const after = await active();
    assert.equal(after.length, before.length - 1);
    const forgotten = before.find(it => !after.some(other => other.id === it.id))!;
    await engine.restore(forgotten.id);
  });

  it('do nothing on a row that VS Code no longer knows', async () => {
    const before = await engine.list({});
    // If it showed a picker, the command would not return.
    for (const command of ['pin', 'forget', 'purge', 'revisitDone'] as const) {
      await vscode.commands.executeCommand(commandIds[command], undefined, undefined);
    }
    assert.deepEqual(await engine.list({}), before);
  });

  it('remember the selected text as one memory, anchored to its code', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'README.md'));
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(2, 0, 2, document.lineAt(2).text.length);
    const remembered = vscode.commands.executeCommand(commandIds.rememberSelection);
    // The box shows the text, and takes a key once it is open.
    const list = (): Promise<readonly Memory[]> => engine.list({ uri: document.uri.toString() });
    const [kept] = await waitUntil(
      async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return list();
      },
      found => found.length > 0,
    );
    await remembered;
    assert.deepEqual(
      [kept?.content, kept?.lane, kept?.provenance.source, kept?.provenance.range],
      [document.lineAt(2).text, 'confirmed', 'explicit', { startLine: 2, endLine: 3 }],
    );
  });

  it('index the open file, and the workspace', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder!.uri, 'src', 'tides.ts'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand(commandIds.indexFile);
    assert.equal((await engine.codeIndex.status()).files, 1);
    const descriptions = await engine.list({ uri: document.uri.toString(), kinds: ['code-description'] });
    assert.ok(descriptions.some(it => it.content.startsWith('File src/tides.ts (TypeScript)')));
    await vscode.commands.executeCommand(commandIds.indexWorkspace);
    assert.ok((await engine.codeIndex.status()).files > 1);
    // Other tests count their memories.
    for (const it of await engine.list({ kinds: ['code-description', 'code'] })) await engine.forget(it.id);
  });

  it('preview maintenance, and run it', async () => {
    const before = await engine.maintenance.runs();
    await vscode.commands.executeCommand(commandIds.previewMaintenance);
    const label = (): string | undefined => vscode.window.tabGroups.activeTabGroup.activeTab?.label;
    await waitUntil(
      () => Promise.resolve(label()),
      it => it === 'Memory Inspector',
    );
    assert.deepEqual(await engine.maintenance.runs(), before);
    // It asks only where something would go.
    await vscode.commands.executeCommand(commandIds.runMaintenance);
    const runs = await engine.maintenance.runs();
    assert.ok(runs.length > before.length && runs.every(it => it.status === 'finished' && it.client === 'vscode'));
  });

  it('have a document of a memory for answers in the chat to refer to', async () => {
    const uri = vscode.Uri.from({ scheme: memoryDocumentScheme, path: '/any.md', query: id });
    const page = await vscode.workspace.openTextDocument(uri);
    assert.match(page.getText(), /^> The crane lifts twelve tonnes\\\.$/mu);
    assert.match(page.getText(), /^\| Kept in \| (project memory|memory for all projects) \|$/mu);
  });

  it('move a memory to a set and back, and show the set', async () => {
    await vscode.commands.executeCommand(commandIds.moveToSet, id, 'night shift');
    assert.equal((await engine.get(id)).scopeId, 'night shift');
    assert.deepEqual(await engine.sets.list(), [{ scopeId: 'night shift', active: 1, archived: 0 }]);
    await vscode.commands.executeCommand(commandIds.showSet, 'night shift');
    await vscode.commands.executeCommand(commandIds.moveToSet, [id], '');
    assert.equal((await engine.get(id)).scopeId, undefined);
    await vscode.commands.executeCommand(commandIds.clearFilter);
  });
});
