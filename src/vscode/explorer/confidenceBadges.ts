import * as vscode from 'vscode';
import { confidenceBadgeScheme } from '../contributions.js';
import { formatPercent } from '../l10n/labels.js';

/** A badge has room for two characters. */
const fullConfidenceBadge = '★';

/**
 * Shows a memory's confidence as the badge of its row, which stays readable in a narrow side bar. VS Code decorates
 * rows by resource URI, so the URI encodes the confidence: `recollect-confidence:/<memory id>?87`.
 */
export class ConfidenceBadges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly registration = vscode.window.registerFileDecorationProvider(this);

  provideFileDecoration({ scheme, query }: vscode.Uri): vscode.FileDecoration | undefined {
    if (scheme !== confidenceBadgeScheme) return undefined;
    const tooltip = vscode.l10n.t('Confidence {0}', formatPercent(Number(query)));
    return new vscode.FileDecoration(query === '100' ? fullConfidenceBadge : query, tooltip);
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** The resource URI of a memory's row. @param confidence 0-100 */
export function confidenceBadgeUri(id: string, confidence: number): vscode.Uri {
  return vscode.Uri.from({ scheme: confidenceBadgeScheme, path: `/${id}`, query: String(Math.round(confidence)) });
}
