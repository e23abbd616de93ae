import path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from './emitter.js';
import { localWorkspaceFolders } from './engineHost.js';

/** Key of the chosen folder in `workspaceState`. */
const folderKey = 'remember.folder';

/** The project that what a person types goes to, of a window with several: asked once, kept with the workspace. */
export class TargetProject {
  private readonly emitter = new Emitter<void>();
  readonly onDidChange = this.emitter.event;

  constructor(private readonly memento: vscode.Memento) {}

  /** The chosen folder; undefined where there are not several, or none is chosen yet. */
  get folder(): string | undefined {
    const folders = localWorkspaceFolders();
    return folders.length < 2 ? undefined : folders.find(it => it === this.memento.get(folderKey));
  }

  /** Its name, for a person. */
  get name(): string | undefined {
    return this.folder === undefined ? undefined : path.basename(this.folder);
  }

  /** Asks where several are open and none is chosen. @returns false where the person left */
  async ensure(): Promise<boolean> {
    return this.folder !== undefined || localWorkspaceFolders().length < 2 || this.choose();
  }

  /** @returns whether one was chosen */
  async choose(): Promise<boolean> {
    const rows = localWorkspaceFolders().map(folder => ({
      label: path.basename(folder),
      description: folder,
      folder,
    }));
    const picked = await vscode.window.showQuickPick(rows, {
      title: vscode.l10n.t('Which Project Do New Memories Go To?'),
      placeHolder: vscode.l10n.t(
        'Asked once; “Maintenance…” changes it. What is about a file stays in the project of the file.',
      ),
    });
    if (picked === undefined) return false;
    await this.memento.update(folderKey, picked.folder);
    this.emitter.fire();
    return true;
  }
}
