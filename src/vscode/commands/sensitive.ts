import * as vscode from 'vscode';
import { createSensitiveKey, parseSensitiveKeys, type MemoryEngine } from '../../engine/engine.js';
import type { SensitiveMemory } from '../../engine/model/sensitive.js';
import { commandIds, secretIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatDay } from '../l10n/labels.js';
import { isSensitiveNode } from '../explorer/treeNodes.js';
import { confirmModal } from '../ui/confirmModal.js';
import { toPlainMessage } from '../ui/markdown.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { selectedMemoryIds } from './selection.js';
import { showModal, showStatusMessage } from '../ui/messages.js';

interface SensitiveDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly secrets: vscode.SecretStorage;
}

/** Commands for texts that a person keeps encrypted. The key is in VS Code's secret storage. */
export function registerSensitive(dependencies: SensitiveDependencies): void {
  const { commands, engineHolder } = dependencies;
  commands.register(commandIds.keepSensitive, async text => {
    const content = typeof text === 'string' ? text : await promptForSecretText();
    if (content === undefined || content.trim() === '') return false;
    return keep(dependencies, engine => engine.sensitive.keep({ content }));
  });
  commands.register(commandIds.encryptMemory, async (...args) => {
    const [id] = selectedMemoryIds(args);
    if (id !== undefined) await keep(dependencies, engine => engine.makeSensitive(id), true);
  });
  commands.register(commandIds.showSensitive, async target => {
    const engine = await engineHolder.engine();
    const chosen = await chooseSensitive(commands, engine, target, vscode.l10n.t('Show a Sensitive Memory'));
    if (chosen === undefined) return;
    const { content } = await engine.sensitive.reveal(chosen.id);
    // A dialog and no document: other extensions and chats read open documents.
    const copy = vscode.l10n.t('Copy');
    if ((await showModal('information', { question: chosen.label, detail: content }, copy)) === copy)
      await vscode.env.clipboard.writeText(content);
  });
  commands.register(commandIds.withdrawSensitive, async target => {
    const engine = await engineHolder.engine();
    const chosen = await chooseSensitive(commands, engine, target, vscode.l10n.t('Delete a Sensitive Memory for Good'));
    if (chosen === undefined) return;
    const isConfirmed = await confirmModal({
      question: vscode.l10n.t('Take your consent back and delete “{0}” for good?', chosen.label),
      detail: vscode.l10n.t('It also goes from checkpoints and backups, and nothing brings it back.'),
      button: vscode.l10n.t('Delete for Good'),
      severity: 'warning',
    });
    if (!isConfirmed) return;
    const { left } = await engine.sensitive.withdraw([chosen.id]);
    reportLeft(commands, left, vscode.l10n.t('Deleted for good: {0}.', countLabel(1, 'memory')));
  });
  commands.register(commandIds.copySensitiveKey, () => copyKey(dependencies));
  commands.register(commandIds.bringSensitiveKey, () => bringKey(dependencies));
}

/** Keeps a text encrypted after a yes to this text; without a key the same yes creates one. @returns whether it was the yes */
async function keep(
  { commands, engineHolder, secrets }: SensitiveDependencies,
  work: (engine: MemoryEngine) => Promise<SensitiveMemory & { readonly left?: readonly string[] }>,
  replacesMemory = false,
): Promise<boolean> {
  const engine = await engineHolder.engine();
  const hasKey = (await engine.sensitive.keyNames()).length > 0;
  const detail = [
    vscode.l10n.t(
      'It is encrypted on this machine. No search finds it, no assistant receives it, and it is not published, synced or exported.',
    ),
    ...(replacesMemory
      ? [vscode.l10n.t('The plain text is deleted for good, also from checkpoints and backups.')]
      : []),
    ...(hasKey
      ? []
      : [
          vscode.l10n.t(
            "A key for it is created and kept in VS Code's secret storage. Without that key the text cannot be read.",
          ),
        ]),
  ];
  const isConfirmed = await confirmModal({
    question: replacesMemory
      ? vscode.l10n.t('Keep this memory encrypted?')
      : vscode.l10n.t('Keep this text encrypted?'),
    detail: detail.join('\n\n'),
    button: hasKey ? vscode.l10n.t('Keep Encrypted') : vscode.l10n.t('Create Key and Keep Encrypted'),
  });
  if (!isConfirmed) return false;
  if (!hasKey) await secrets.store(secretIds.sensitiveKeys, createSensitiveKey());
  const { label, left = [] } = await work(engine);
  reportLeft(commands, left, vscode.l10n.t('Kept encrypted as “{0}”.', label));
  return true;
}

function reportLeft(commands: CommandRegistry, left: readonly string[], sentence: string): void {
  if (left.length === 0) {
    showStatusMessage(sentence, statusMessageMs);
    return;
  }
  const files = vscode.l10n.t('These files may still hold them; delete them yourself: {0}', left.join(', '));
  commands.notify(commandIds.withdrawSensitive, { message: `${sentence} ${files}`, severity: 'warning' });
}

function promptForSecretText(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Keep a Sensitive Memory'),
    placeHolder: vscode.l10n.t('A text with a secret or personal data'),
    password: true,
    ignoreFocusOut: true,
  });
}

/** The one of a row of the explorer, or one that is picked. */
async function chooseSensitive(
  commands: CommandRegistry,
  engine: MemoryEngine,
  target: unknown,
  title: string,
): Promise<SensitiveMemory | undefined> {
  const memories = await engine.sensitive.list();
  if (isSensitiveNode(target)) return memories.find(it => it.id === target.memory.id);
  if (memories.length === 0) {
    commands.notify(commandIds.showSensitive, { message: vscode.l10n.t('Nothing is kept encrypted.') });
    return undefined;
  }
  const rows = memories.map(it => ({
    label: toPlainMessage(it.label),
    description: formatDay(it.createdAt),
    memory: it,
  }));
  return (await vscode.window.showQuickPick(rows, { title }))?.memory;
}

async function copyKey({ commands, secrets }: SensitiveDependencies): Promise<void> {
  const keys = await secrets.get(secretIds.sensitiveKeys);
  if (keys === undefined) {
    commands.notify(commandIds.copySensitiveKey, {
      message: vscode.l10n.t('There is no key for sensitive memories here.'),
    });
    return;
  }
  const isConfirmed = await confirmModal({
    question: vscode.l10n.t('Copy the key of sensitive memories to the clipboard?'),
    detail: vscode.l10n.t(
      'With the key and the files everything that it encrypts can be read. On the command line, recollect key import takes it in.',
    ),
    button: vscode.l10n.t('Copy'),
    severity: 'warning',
  });
  if (isConfirmed) await vscode.env.clipboard.writeText(keys);
}

async function bringKey({ commands, secrets }: SensitiveDependencies): Promise<void> {
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Bring a Key for Sensitive Memories'),
    prompt: vscode.l10n.t('As recollect key export prints it, or as another VS Code copied it'),
    password: true,
    ignoreFocusOut: true,
    validateInput: value =>
      readKeys(value) === undefined ? vscode.l10n.t('This is no key. Copy it whole.') : undefined,
  });
  const added = given === undefined ? undefined : readKeys(given);
  if (added === undefined) return;
  // What encrypts here goes on to do so.
  const before = (await secrets.get(secretIds.sensitiveKeys)) ?? '';
  await secrets.store(secretIds.sensitiveKeys, `${before}\n${added}`.trim());
  commands.notify(commandIds.bringSensitiveKey, {
    message: vscode.l10n.t('The key is kept in the secret storage of VS Code.'),
  });
}

/** Keys, a line each; undefined where the text holds none or something else. */
function readKeys(text: string): string | undefined {
  const lines = text.trim().split(/\s+/u).join('\n');
  try {
    return parseSensitiveKeys(lines).length === 0 ? undefined : lines;
  } catch {
    return undefined;
  }
}
