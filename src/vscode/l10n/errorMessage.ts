import * as vscode from 'vscode';
import { EngineError, type EngineErrorCode } from '../../engine/base/errors.js';
import { localize } from './engineMessages.js';

/** One sentence for the user. Errors other than EngineError are bugs and are introduced as unexpected. */
export function localizedErrorMessage(error: unknown): string {
  if (EngineError.is(error)) return localize(error.localizable);
  const detail = firstLine(error instanceof Error ? error.message : String(error));
  return vscode.l10n.t('Something unexpected went wrong in Recollect: {0}', detail);
}

export function engineErrorCodeOf(error: unknown): EngineErrorCode {
  return EngineError.is(error) ? error.code : 'internal';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
