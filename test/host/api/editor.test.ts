import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { codeHash } from '../../../src/engine/base/codeHash.js';
import { waitUntil, openOtherEngine } from './engineFixtures.js';

describe('the editor', () => {
  let engine: MemoryEngine;
  let document: vscode.TextDocument;
  let editor: vscode.TextEditor;

  before(async () => {
    engine = await openOtherEngine();
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'src', 'departures.ts'));
    editor = await vscode.window.showTextDocument(document);
    await settings().update('codeLens', 'all', vscode.ConfigurationTarget.Global);
  });
  after(async () => {
    await settings().update('codeLens', undefined, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await engine.close();
  });

  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('recollect');
  /** Our lenses as `line: title`, with 0-based lines. */
  const lenses = async ({ uri } = document): Promise<string[]> => {
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
    const ours = found.filter(it => it.command?.command.startsWith('recollect.') === true);
    return ours.map(it => `${it.range.start.line}: ${(it.command?.title ?? '').replaceAll('\u00a0', ' ')}`);
  };
  const hover = async (line: number): Promise<string> => {
    const found = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      new vscode.Position(line, 3),
    );
    const texts = found.flatMap(it =>
      it.contents.map(part => (part instanceof vscode.MarkdownString ? part.value : '')),
    );
    return texts.filter(it => it.includes('Recollect')).join();
  };
  const bare = ['2: Remember this', '10: Remember this', '11: Remember this', '13: Remember this', '17: Remember this'];

  it('has a CodeLens on each declaration, two levels deep', async () => {
    assert.deepEqual(await waitUntil(lenses, it => it.length === bare.length), bare);
  });

  it('has, by default, only the CodeLens of the declaration at the cursor', async () => {
    await settings().update('codeLens', undefined, vscode.ConfigurationTarget.Global);
    const isOnly = (expected: string | undefined) => (it: readonly string[]) => it.join() === (expected ?? '');
    for (const [line, expected] of [
      [14, '13: Remember this'],
      [12, '10: Remember this'],
      [0, undefined],
    ] as const) {
      editor.selection = new vscode.Selection(line, 0, line, 0);
      assert.deepEqual(await waitUntil(lenses, isOnly(expected)), expected === undefined ? [] : [expected]);
    }
    await settings().update('codeLens', 'all', vscode.ConfigurationTarget.Global);
  });

  it('counts and shows the memories of a symbol', async () => {
    const range = new vscode.Range(13, 2, 15, 3);
    await engine.remember({
      content: 'Ask the harbour master before changing [this](command:x).',
      source: 'explicit',
      lane: 'confirmed',
      whole: true,
      uri: document.uri.toString(),
      range: { startLine: 13, endLine: 16 },
      symbol: 'Timetable.canLeave',
      anchorHash: codeHash(document.getText(range)),
    });
    const expected = [...bare.slice(0, 3), '13: $(bookmark) 1 memory', ...bare.slice(3)];
    assert.deepEqual(await waitUntil(lenses, it => it.length === expected.length), expected);
    const text = await hover(13);
    assert.match(text, /Ask the harbour master before changing \\\[this\\\]\\\(command\\:x\\\)\\\./u);
    assert.match(text, /You said it to test, /u);
    assert.equal(await hover(17), '');
  });

  it('moves a memory with its symbol, and marks changed code', async () => {
    await editor.edit(it => {
      it.insert(new vscode.Position(0, 0), '// A new first line.\n');
    });
    const moved = await waitUntil(lenses, it => it.includes('14: $(bookmark) 1 memory'));
    assert.ok(moved.includes('14: $(bookmark) 1 memory'), moved.join());
    await editor.edit(it => {
      it.insert(new vscode.Position(15, 0), '    // Changed.\n');
    });
    const changed = await waitUntil(lenses, it => it.includes('14: $(warning) 1 memory · code changed'));
    assert.ok(changed.includes('14: $(warning) 1 memory · code changed'), changed.join());
    assert.match(await hover(14), /code changed/u);
  });

  it('has a quick fix that confirms a memory for the changed code', async () => {
    const actions = async (line: number): Promise<vscode.CodeAction[]> => {
      const range = new vscode.Range(line, 3, line, 3);
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        range,
        vscode.CodeActionKind.QuickFix.value,
      );
      return found.filter(it => it.command?.command.startsWith('recollect.') === true);
    };
    const offered = await actions(14);
    assert.deepEqual(
      offered.map(it => it.title),
      [
        'Still true for the changed code: Ask the harbour master before changing [this](command:x).',
        'Forget: Ask the harbour master before changing [this](command:x).',
      ],
    );
    assert.deepEqual(await actions(18), []);
    const { command, arguments: args = [] } = offered[0]!.command!;
    await vscode.commands.executeCommand(command, ...(args as unknown[]));
    const confirmed = await waitUntil(lenses, it => it.includes('14: $(bookmark) 1 memory'));
    assert.ok(confirmed.includes('14: $(bookmark) 1 memory'), confirmed.join());
    assert.deepEqual(await actions(14), []);
  });

  it('updates the anchors of memories when a file is renamed', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const from = vscode.Uri.joinPath(folder!.uri, 'src', 'buoys.ts');
    const to = vscode.Uri.joinPath(folder!.uri, 'src', 'marks.ts');
    await vscode.workspace.fs.writeFile(from, Buffer.from('export function buoy() {}\n'));
    try {
      await engine.remember({
        content: 'Buoys are lit from dusk on.',
        source: 'explicit',
        lane: 'confirmed',
        whole: true,
        uri: from.toString(),
      });
      const rename = new vscode.WorkspaceEdit();
      rename.renameFile(from, to);
      await vscode.workspace.applyEdit(rename);
      const there = await waitUntil(
        () => engine.list({ uri: to.toString() }),
        it => it.length === 1,
      );
      assert.deepEqual(
        there.map(it => it.content),
        ['Buoys are lit from dusk on.'],
      );
    } finally {
      await vscode.workspace.fs.delete(to);
    }
  });

  describe('fires a change event for its lenses', () => {
    let asked = 0;
    let counting: vscode.Disposable;
    const fact = { source: 'explicit', lane: 'confirmed', whole: true } as const;
    /** Performs an action until one attempt causes no request: a request may still be due to something earlier. */
    const causesNone = async (act: (attempt: number) => PromiseLike<unknown>, waitMs = 0): Promise<void> => {
      const maxAttempts = 5;
      for (let attempt = 1; ; attempt++) {
        const before = await settled();
        await act(attempt);
        await pause(waitMs);
        if ((await settled()) === before) return;
        assert.ok(attempt < maxAttempts, 'every attempt caused a request');
      }
    };
    const settled = async (): Promise<number> => {
      let before = -1;
      while (before !== asked) {
        before = asked;
        await pause(1_500);
      }
      assert.ok(asked > 0);
      return asked;
    };

    before(() => {
      const provider: vscode.CodeLensProvider = { provideCodeLenses: () => ((asked += 1), []) };
      counting = vscode.languages.registerCodeLensProvider({ language: 'typescript' }, provider);
    });
    after(() => {
      counting.dispose();
    });

    it('not where they would be the same', async () => {
      await causesNone(attempt =>
        engine.remember({ ...fact, content: `The chandler at pier ${attempt} is shut on Mondays.` }),
      );
    });

    it('not for a file that is not visible', async () => {
      const file = vscode.Uri.joinPath(document.uri, '..', 'berths.txt');
      await vscode.workspace.fs.writeFile(file, Buffer.from('Berths are numbered from the mole.\n'));
      try {
        // It has no declarations, so it is checked again some seconds later.
        await vscode.window.showTextDocument(file);
        await pause(1_000);
        editor = await vscode.window.showTextDocument(document);
        const at = { uri: file.toString(), range: { startLine: 0, endLine: 1 } };
        await causesNone(
          attempt => engine.remember({ ...fact, ...at, content: `Berth ${attempt} is for the pilot boat.` }),
          5_000,
        );
      } finally {
        await vscode.workspace.fs.delete(file);
      }
    });

    it('when the lenses differ', async () => {
      const calm = await settled();
      const at = { uri: document.uri.toString(), range: { startLine: 2, endLine: 3 } };
      await engine.remember({ ...fact, ...at, content: 'Slack water is told by the tide table.' });
      const now = await waitUntil(
        () => Promise.resolve(asked),
        it => it > calm,
      );
      assert.ok(now > calm);
    });
  });

  it('does not delay the lenses of other extensions while a symbol provider is slow', async () => {
    let answer: (symbols: vscode.DocumentSymbol[]) => void = () => undefined;
    const symbols = new Promise<vscode.DocumentSymbol[]>(resolve => (answer = resolve));
    const slow = vscode.languages.registerDocumentSymbolProvider(
      { language: 'plaintext' },
      { provideDocumentSymbols: () => symbols },
    );
    const file = vscode.Uri.joinPath(document.uri, '..', 'tides.txt');
    await vscode.workspace.fs.writeFile(file, Buffer.from('The tide turns at noon.\n'));
    try {
      const text = await vscode.workspace.openTextDocument(file);
      assert.deepEqual(await lenses(text), []);
      const line = new vscode.Range(0, 0, 0, 1);
      answer([new vscode.DocumentSymbol('tide', '', vscode.SymbolKind.Function, line, line)]);
      assert.deepEqual(
        await waitUntil(
          () => lenses(text),
          it => it.length > 0,
        ),
        ['0: Remember this'],
      );
    } finally {
      slow.dispose();
      await vscode.workspace.fs.delete(file);
    }
  });

  it('has no lenses when the setting is off', async () => {
    await settings().update('codeLens', 'off', vscode.ConfigurationTarget.Global);
    await settings().update('hover.enabled', false, vscode.ConfigurationTarget.Global);
    try {
      assert.deepEqual(await waitUntil(lenses, it => it.length === 0), []);
      assert.equal(await hover(14), '');
    } finally {
      await settings().update('codeLens', 'all', vscode.ConfigurationTarget.Global);
      await settings().update('hover.enabled', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
