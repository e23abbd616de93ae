import os from 'node:os';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { ImportReport } from '../../engine/model/importing.js';
import type { Publication, PublishInput } from '../../engine/model/publishing.js';
import { commandIds } from '../contributions.js';
import type { Previews } from '../previews.js';
import type { MemorySession } from '../session.js';
import { counted, countWord } from '../words.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

interface Parts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly previews: Previews;
}

/** "Update CLAUDE.md", the project's or the person's own: shown as a diff first, and written after a yes. */
export function registerPublish(parts: Parts): void {
  parts.commands.register(commandIds.publish, async () => {
    checkTrust();
    const folder = await pickFolder();
    if (folder === undefined) return;
    const nothing = vscode.l10n.t('There is nothing to publish: no confirmed memory is about this project.');
    await update(parts, { folder }, nothing);
  });
  parts.commands.register(commandIds.publishUser, () =>
    update(
      parts,
      { targets: ['user'] },
      vscode.l10n.t('There is nothing to publish: no confirmed memory is about how you work.'),
    ),
  );
  parts.commands.register(commandIds.import, () => importFrom(parts));
}

async function update(parts: Parts, input: PublishInput, nothing: string): Promise<void> {
  const engine = await parts.session.engine();
  const found = await engine.publishing.preview(input);
  const changed = found.filter(it => it.diff !== '');
  if (changed.length === 0) {
    const isEmpty = found.every(it => it.memories === 0);
    const message = isEmpty ? nothing : vscode.l10n.t('{0} is up to date.', found.map(nameOf).join(', '));
    parts.commands.tell(commandIds.publish, { message });
  }
  // An answer may come much later, or never: the command itself is done with the first question.
  parts.commands.inBackground(commandIds.publish, reviewEach(parts, changed));
}

async function importFrom({ commands, session }: Parts): Promise<void> {
  const kind = await vscode.window.showQuickPick(importKinds(), { title: vscode.l10n.t('Import Memories') });
  if (kind === undefined) return;
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: kind.label,
      canSelectFiles: kind.filters !== undefined,
      canSelectFolders: kind.filters === undefined,
      ...(kind.filters === undefined ? {} : { filters: kind.filters }),
    })) ?? [];
  if (picked === undefined) return;
  const trust = await pickTrust(kind.format === 'recollect');
  if (trust === undefined) return;
  const engine = await session.engine();
  const report = await withProgress({ title: vscode.l10n.t('Importing memories') }, means =>
    engine.publishing.importFrom({ path: picked.fsPath, format: kind.format, ...trust.means, ...means }),
  );
  const refused = report.sources.some(it => it.refused > 0);
  const details = async (): Promise<void> => {
    const content = refusals(report);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }));
  };
  const actions = refused ? [{ title: vscode.l10n.t('Details'), run: details }] : [];
  commands.tell(commandIds.import, { message: importSentence(report), actions });
}

function importKinds(): readonly (vscode.QuickPickItem & {
  readonly format: ImportReport['format'];
  /** Of a file; a folder has none. */
  readonly filters?: Record<string, string[]>;
})[] {
  return [
    {
      label: vscode.l10n.t('An export of Recollect'),
      description: 'recollect.jsonl',
      format: 'recollect',
      filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    },
    { label: vscode.l10n.t('A folder of lerim'), description: '.lerim', format: 'lerim' },
    {
      label: vscode.l10n.t('The file of the MCP memory server'),
      description: 'memory.json',
      format: 'mcp',
      filters: { [vscode.l10n.t('JSON lines')]: ['json', 'jsonl'] },
    },
    { label: vscode.l10n.t('The memory files of Copilot'), description: 'memory-tool/memories', format: 'copilot' },
    {
      label: vscode.l10n.t('The lists of a Markdown file'),
      description: 'CLAUDE.md, AGENTS.md',
      format: 'markdown',
      filters: { Markdown: ['md'] },
    },
  ];
}

async function pickTrust(
  isOwnFormat: boolean,
): Promise<{ readonly means: { readonly own?: boolean; readonly lane?: 'confirmed' } } | undefined> {
  const asNotes = {
    label: vscode.l10n.t('As notes'),
    detail: vscode.l10n.t('They expire unless you promote them.'),
    means: {},
  };
  const vouched = isOwnFormat
    ? {
        label: vscode.l10n.t('It is my own export'),
        detail: vscode.l10n.t('Everything is as it was: what you confirmed, pinned and decided.'),
        means: { own: true },
      }
    : {
        label: vscode.l10n.t('As confirmed memories'),
        detail: vscode.l10n.t('You vouch for all of them.'),
        means: { lane: 'confirmed' as const },
      };
  return vscode.window.showQuickPick([asNotes, vouched], { title: vscode.l10n.t('How Far Do You Trust It?') });
}

function importSentence({ sources }: ImportReport): string {
  const sum = (of: 'fresh' | 'known' | 'refused'): string => countWord(sources.reduce((all, it) => all + it[of], 0));
  return vscode.l10n.t('Imported: {0} new, {1} known, {2} refused.', sum('fresh'), sum('known'), sum('refused'));
}

function refusals({ sources }: ImportReport): string {
  const refused = sources.filter(it => it.refused > 0);
  return refused
    .map(it => `# ${it.source}\n\n${it.refusals.map(({ where, reason }) => `- ${where}: ${reason}`).join('\n')}\n`)
    .join('\n');
}

/** What a folder brings along may not be spread, nor anything be written into it, before somebody trusts it. */
export function checkTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new EngineError(
    'invalidInput',
    vscode.l10n.t('This folder is not trusted, so nothing is written into it. Trust it first.'),
  );
}

/** The folder of a window with one; of several, the one that is picked. */
export async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(it => it.uri.scheme === 'file');
  if (folders.length === 0) {
    throw new EngineError('invalidInput', vscode.l10n.t('There is no project here. Open its folder first.'));
  }
  if (folders.length === 1) return folders[0]!.uri.fsPath;
  return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
}

async function reviewEach(parts: Parts, publications: readonly Publication[]): Promise<void> {
  for (const it of publications) if (await agrees(parts, it)) await write(parts, it);
}

async function agrees({ previews }: Parts, publication: Publication): Promise<boolean> {
  const { before = '', after, memories, contradicting } = publication;
  const name = nameOf(publication);
  const close = await previews.compare(name, before, after);
  const yes = vscode.l10n.t('Write');
  const left =
    contradicting === 0
      ? ''
      : ` ${vscode.l10n.t('Left out because of contradictions: {0}.', counted(contradicting, 'memory'))}`;
  const question = vscode.l10n.t('Write {0} into {1}?', counted(memories, 'memory'), name) + left;
  const answer = await vscode.window.showInformationMessage(question, yes, vscode.l10n.t('Cancel'));
  await close();
  return answer === yes;
}

async function write({ commands, session }: Parts, publication: Publication): Promise<void> {
  const { file, folder } = publication;
  // The person's own file is nobody's folder.
  if (folder !== undefined) checkTrust();
  const open = vscode.workspace.textDocuments.find(it => it.uri.scheme === 'file' && it.uri.fsPath === file);
  if (open?.isDirty === true) {
    throw new EngineError(
      'unsupportedFile',
      vscode.l10n.t('{0} has changes that are not saved. Save it, and update it again.', nameOf(publication)),
    );
  }
  await (await session.engine()).publishing.write(publication);
  const message = vscode.l10n.t('{0} is up to date.', nameOf(publication));
  const undo = async (): Promise<void> => (await session.engine()).publishing.undo(publication);
  const actions = [
    { title: vscode.l10n.t('Undo'), run: undo },
    { title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(vscode.Uri.file(file)) },
  ];
  commands.tell(commandIds.publish, { message, actions });
}

function nameOf({ file }: Publication): string {
  return vscode.workspace.asRelativePath(file).replace(os.homedir(), '~');
}
