import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { StorePlace } from '../../engine/model/team.js';
import { commandIds, secretIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { withProgress } from '../ui/progress.js';
import { requireTrustToWrite } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';

export interface MoveStoreDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly secrets: vscode.SecretStorage;
}

/** Moving a project's whole memory to a PostgreSQL server and back. */
export function registerMoveStore(dependencies: MoveStoreDependencies): void {
  dependencies.commands.register(commandIds.moveStore, async () => {
    requireTrustToWrite();
    const { team } = await dependencies.engineHolder.engine();
    const place = await team.store.place();
    await (place.kind === 'local' ? moveToServer(dependencies) : offerWaysBack(dependencies, place));
  });
}

async function moveToServer(dependencies: MoveStoreDependencies): Promise<void> {
  const { commands, engineHolder, secrets } = dependencies;
  const before = await secrets.get(secretIds.teamConnection);
  const address = await askForServer(before);
  if (address === undefined) return;
  await secrets.store(secretIds.teamConnection, address);
  let isMoved = false;
  try {
    const { store } = (await engineHolder.engine()).team;
    const copy = await withMoveProgress(options => store.copyToServer(options));
    isMoved = await confirmModal({
      question: vscode.l10n.t('Use the memories of this project on {0} from now on?', copy.to),
      detail: [
        vscode.l10n.t('{0} copied and compared: all the same.', countLabel(copy.memories, 'memory')),
        vscode.l10n.t(
          'What is here stays until you delete it. Without the server, the memories of this project are missing.',
        ),
      ].join('\n\n'),
      button: vscode.l10n.t('Use Them There'),
    });
    if (!isMoved) return;
    await store.useServer(copy);
    await engineHolder.reopen();
    commands.notify(commandIds.moveStore, {
      message: vscode.l10n.t('The memories of this project are on {0} now.', copy.to),
      actions: [{ title: vscode.l10n.t('Delete the Copy Here…'), run: () => deleteSource(dependencies) }],
    });
  } finally {
    if (!isMoved)
      await (before === undefined
        ? secrets.delete(secretIds.teamConnection)
        : secrets.store(secretIds.teamConnection, before));
  }
}

async function offerWaysBack(dependencies: MoveStoreDependencies, place: StorePlace): Promise<void> {
  const moveBack = vscode.l10n.t('Move to This Machine');
  const remove = vscode.l10n.t('Delete the Copy Here…');
  const chosen = await vscode.window.showQuickPick([moveBack, ...(place.source === undefined ? [] : [remove])], {
    title: vscode.l10n.t('The Memories of This Project Are on {0}', place.name),
  });
  if (chosen === remove) await deleteSource(dependencies);
  if (chosen !== moveBack) return;
  const { commands, engineHolder } = dependencies;
  const { store } = (await engineHolder.engine()).team;
  const memories = await withMoveProgress(options => store.moveHere(options));
  await engineHolder.reopen();
  commands.notify(commandIds.moveStore, {
    message: vscode.l10n.t(
      '{0} copied from {1} and compared: all the same. They are on this machine now.',
      countLabel(memories, 'memory'),
      place.name,
    ),
    actions: [{ title: vscode.l10n.t('Delete the Copy There…'), run: () => deleteSource(dependencies) }],
  });
}

async function deleteSource({ commands, engineHolder }: MoveStoreDependencies): Promise<void> {
  requireTrustToWrite();
  const { store } = (await engineHolder.engine()).team;
  const { kind, source } = await store.place();
  const isConfirmed = await confirmModal({
    question:
      kind === 'server'
        ? vscode.l10n.t('Delete {0} with its backups and checkpoints?', source ?? '')
        : vscode.l10n.t('Delete the memories of this project on the server?'),
    detail: vscode.l10n.t('This cannot be undone.'),
    button: vscode.l10n.t('Delete'),
    severity: 'warning',
  });
  if (!isConfirmed) return;
  await store.deleteSource();
  commands.notify(commandIds.moveStore, { message: vscode.l10n.t('The copy is deleted.') });
}

async function askForServer(before: string | undefined): Promise<string | undefined> {
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Move Project Store'),
    prompt: vscode.l10n.t(
      'The connection to a PostgreSQL server, where the whole memory of this project will be, for you alone. It is kept in the secret storage, and in no file.',
    ),
    placeHolder: vscode.l10n.t('postgres://USER:PASSWORD@HOST:5432/DATABASE'),
    password: true,
    ignoreFocusOut: true,
    ...(before === undefined ? {} : { value: before }),
  });
  const given = address?.trim();
  return given === '' ? undefined : given;
}

function withMoveProgress<T>(work: (options: CopyProgressOptions) => Promise<T>): Promise<T> {
  return withProgress({ title: vscode.l10n.t('Moving the memories of this project'), unit: formatInteger }, work);
}
type CopyProgressOptions = NonNullable<Parameters<MemoryEngine['team']['store']['copyToServer']>[0]>;
