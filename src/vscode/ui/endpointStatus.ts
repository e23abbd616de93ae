import * as vscode from 'vscode';
import type { EndpointStatus } from '../../engine/model/embeddingStatus.js';
import { localize } from '../l10n/engineMessages.js';
import { formatInteger } from '../l10n/labels.js';

export const hostOf = ({ url }: EndpointStatus): string => new URL(url).host;

/** One line for the picker and the status bar. */
export function describeEndpoint(status: EndpointStatus): string {
  const { model, isAllowed, today, dailyTokens, waits } = status;
  if (!isAllowed) return vscode.l10n.t('Embeddings by {0} at {1}: not allowed yet', model, hostOf(status));
  const use = vscode.l10n.t(
    'Embeddings by {0} at {1}: {2} of {3} tokens today',
    model,
    hostOf(status),
    formatInteger(today.tokens),
    formatInteger(dailyTokens),
  );
  return waits === undefined
    ? use
    : `${use}. ${vscode.l10n.t('Words alone until {0}: {1}', waits.until.toLocaleString(), localize(waits.problem))}`;
}
