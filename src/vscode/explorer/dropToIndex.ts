import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import type { ExplorerNode } from './treeNodes.js';

/** VS Code's explorer and other programs drop this type: one URI per line (RFC 2483). */
const uriListMimeType = 'text/uri-list';

/** Indexes files and folders that are dropped onto the tree. Memories cannot be dragged. */
export const indexingDropController: vscode.TreeDragAndDropController<ExplorerNode> = {
  dropMimeTypes: [uriListMimeType],
  dragMimeTypes: [],
  handleDrop: async (_target, dropped) => {
    const uris = parseUriList((await dropped.get(uriListMimeType)?.asString()) ?? '');
    if (uris.length > 0) await vscode.commands.executeCommand(commandIds.indexFile, uris);
  },
};

function parseUriList(list: string): readonly vscode.Uri[] {
  const lines = list.split(/\r?\n/u).filter(it => it !== '' && !it.startsWith('#'));
  return lines.map(it => vscode.Uri.parse(it));
}
