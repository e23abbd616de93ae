import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { ChangedImport } from '../../engine/model/importReport.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import { commandIds } from '../contributions.js';
import { localize } from '../l10n/engineMessages.js';
import { toPlainMessage } from '../ui/markdown.js';
import { openReport } from '../ui/report.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Shows what changed in imported files, and has the person take it over or leave the memory as it is. */
export async function reviewImportChanges(commands: CommandRegistry, engine: MemoryEngine): Promise<void> {
  const changed = await engine.exchange.changedFiles();
  if (changed.length === 0) {
    commands.notify(commandIds.import, { message: localize(sharedMessages.noChangedImport) });
    return;
  }
  const file = changed.length === 1 ? changed[0]!.file : await pickFile(changed);
  const found = changed.find(it => it.file === file);
  if (found === undefined) return;
  await openReport(describeChange(found));
  const settle = (decision: 'take' | 'leave') => async (): Promise<void> => {
    await engine.exchange.settleChanged({ file: found.file, decision });
  };
  commands.notify(commandIds.import, {
    message: vscode.l10n.t('{0} has changed since it was imported. Take that over into the memory?', found.file),
    actions: [
      { title: vscode.l10n.t('Take Over'), run: settle('take') },
      { title: vscode.l10n.t('Leave the Memory as It Is'), run: settle('leave') },
    ],
  });
}

async function pickFile(changed: readonly ChangedImport[]): Promise<string | undefined> {
  const rows = changed.map(it => ({ label: toPlainMessage(it.file), description: countChanges(it), file: it.file }));
  return (await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Imported Files That Have Changed') }))?.file;
}

function countChanges({ added, changed, gone }: ChangedImport): string {
  return vscode.l10n.t('{0} new, {1} changed and {2} gone', added.length, changed.length, gone.length);
}

function describeChange({ file, added, changed, gone }: ChangedImport): string {
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `## ${title}\n\n${lines.map(it => `- ${it.replaceAll('\n', '\n  ')}\n`).join('')}\n`;
  return [
    `# ${file}\n\n`,
    section(
      vscode.l10n.t('New'),
      added.map(it => it.text),
    ),
    section(
      vscode.l10n.t('Changed'),
      changed.map(it => `${it.text}\n${vscode.l10n.t('before: {0}', it.memory.content)}`),
    ),
    section(
      vscode.l10n.t('Gone'),
      gone.map(it => it.content),
    ),
  ].join('');
}
