import * as vscode from 'vscode';
import { rowScheme } from '../contributions.js';

/** Paths of the resource URIs of rows that are dimmed. */
const notePath = '/note';

/** Dims the rows of notes: an assistant wrote them, and no person has confirmed them. VS Code colors rows by resource URI. */
export class DimmedRows implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly registration = vscode.window.registerFileDecorationProvider(this);

  provideFileDecoration({ scheme, path }: vscode.Uri): vscode.FileDecoration | undefined {
    if (scheme !== rowScheme || path !== notePath) return undefined;
    return new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('list.deemphasizedForeground'));
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** The resource URI of the row of a note. */
export function noteRowUri(): vscode.Uri {
  return vscode.Uri.from({ scheme: rowScheme, path: notePath });
}
