import * as vscode from 'vscode';
import { EngineError, type EngineErrorCode } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { StorePlace } from '../../engine/model/team.js';
import { commandIds, secretIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { localizedErrorMessage } from '../l10n/errorMessage.js';
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
  const { commands, engineHolder } = dependencies;
  const isMoved = await withServerAddress(dependencies, async () => {
    const { store } = (await engineHolder.engine()).team;
    const title = vscode.l10n.t('Copying the memories of this project to the server');
    const copy = await withCopyProgress(title, options => store.copyToServer(options));
    const isConfirmed = await confirmModal({
      question: vscode.l10n.t('Use the memories of this project on the server from now on?'),
      detail: [
        vscode.l10n.t('{0} copied to {1} and compared: all the same.', countLabel(copy.memories, 'memory'), copy.to),
        vscode.l10n.t(
          'The copy here stays until you delete it, and is not kept up to date. While the server is away, the memories of this project are missing.',
        ),
      ].join('\n\n'),
      button: vscode.l10n.t('Use Them There'),
    });
    if (isConfirmed) await store.useServer(copy);
    return isConfirmed;
  });
  if (!isMoved) return;
  await engineHolder.reopen();
  commands.notify(commandIds.moveStore, {
    message: vscode.l10n.t('The memories of this project are on the server now.'),
    actions: [{ title: vscode.l10n.t('Delete the Copy Here…'), run: () => deleteSource(dependencies) }],
  });
}

/**
 * Asks for a server, again where it cannot be used, and works with it.
 * @returns false where the person gave up or the work did not want the server; the one before is kept then
 */
async function withServerAddress(
  { secrets }: Pick<MoveStoreDependencies, 'secrets'>,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const before = await secrets.get(secretIds.teamConnection);
  let isWanted = false;
  try {
    let attempt: AddressAttempt = { address: before ?? '' };
    for (;;) {
      const address = await askForServer(attempt);
      if (address === undefined) return false;
      await secrets.store(secretIds.teamConnection, address);
      try {
        isWanted = await work();
        return isWanted;
      } catch (error) {
        if (!isAboutAddress(error)) throw error;
        attempt = { address, problem: localizedErrorMessage(error) };
      }
    }
  } finally {
    if (!isWanted)
      await (before === undefined
        ? secrets.delete(secretIds.teamConnection)
        : secrets.store(secretIds.teamConnection, before));
  }
}

async function offerWaysBack(dependencies: MoveStoreDependencies, place: StorePlace): Promise<void> {
  const moveBack = vscode.l10n.t('Move to This Machine');
  const changeConnection = vscode.l10n.t('Change the Connection…');
  const remove = vscode.l10n.t('Delete the Copy Here…');
  const ways = [moveBack, changeConnection, ...(place.source === undefined ? [] : [remove])];
  const chosen = await vscode.window.showQuickPick(ways, {
    title: vscode.l10n.t('Move Project Store'),
    placeHolder: vscode.l10n.t('The memories of this project are on {0}', place.name),
  });
  if (chosen === moveBack) await moveHere(dependencies);
  if (chosen === changeConnection) await connectAgain(dependencies);
  if (chosen === remove) await deleteSource(dependencies);
}

async function moveHere(dependencies: MoveStoreDependencies): Promise<void> {
  const { commands, engineHolder } = dependencies;
  const { store } = (await engineHolder.engine()).team;
  const title = vscode.l10n.t('Copying the memories of this project to this machine');
  const memories = await withCopyProgress(title, options => store.moveHere(options));
  await engineHolder.reopen();
  commands.notify(commandIds.moveStore, {
    message: vscode.l10n.t(
      'The memories of this project are on this machine now: {0} copied and compared, all the same.',
      countLabel(memories, 'memory'),
    ),
    actions: [{ title: vscode.l10n.t('Delete the Copy There…'), run: () => deleteSource(dependencies) }],
  });
}

/** For a password that was changed, a server with another address, or a machine that does not know it. */
async function connectAgain(dependencies: MoveStoreDependencies): Promise<void> {
  const { commands, engineHolder } = dependencies;
  const isConnected = await withServerAddress(dependencies, async () => {
    const { store } = (await engineHolder.engine()).team;
    await withProgress({ title: vscode.l10n.t('Asking the server'), cancellable: false }, () => store.checkServer());
    return true;
  });
  if (!isConnected) return;
  await engineHolder.reopen();
  commands.notify(commandIds.moveStore, {
    message: vscode.l10n.t('The server has the memories of this project: this window uses them.'),
  });
}

async function deleteSource({ commands, engineHolder }: MoveStoreDependencies): Promise<void> {
  requireTrustToWrite();
  const { store } = (await engineHolder.engine()).team;
  const { kind, name, source } = await store.place();
  const isConfirmed = await confirmModal({
    ...(kind === 'server'
      ? {
          question: vscode.l10n.t('Delete the copy of this project’s memories on this machine?'),
          detail: vscode.l10n.t(
            '{0} is deleted with its backups and checkpoints. The memories on {1} stay. This cannot be undone.',
            source ?? '',
            name,
          ),
        }
      : {
          question: vscode.l10n.t('Delete the copy of this project’s memories on the server?'),
          detail: vscode.l10n.t(
            'It is deleted with its checkpoints. The memories on this machine stay. This cannot be undone.',
          ),
        }),
    button: vscode.l10n.t('Delete'),
    severity: 'warning',
  });
  if (!isConfirmed) return;
  await store.deleteSource();
  commands.notify(commandIds.moveStore, { message: vscode.l10n.t('The copy is deleted.') });
}

interface AddressAttempt {
  readonly address: string;
  /** Why that server cannot be used. */
  readonly problem?: string;
}

/** A box of its own kind, because VS Code's `showInputBox` shows no problem before something is typed. */
function askForServer({ address, problem }: AddressAttempt): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = vscode.l10n.t('Move Project Store');
  box.prompt = vscode.l10n.t(
    'The connection to a PostgreSQL server, where the whole memory of this project will be, for you alone. It is kept in the secret storage, and in no file.',
  );
  box.placeholder = vscode.l10n.t('postgres://USER:PASSWORD@HOST:5432/DATABASE');
  box.password = true;
  box.ignoreFocusOut = true;
  box.value = address;
  if (problem !== undefined)
    box.validationMessage = { message: problem, severity: vscode.InputBoxValidationSeverity.Warning };
  return new Promise(resolve => {
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidAccept(() => {
      const trimmed = box.value.trim();
      if (trimmed === '') return;
      resolve(trimmed);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

/** Whether another address may do: the person corrects it where it was typed. */
function isAboutAddress(error: unknown): boolean {
  const codes: readonly EngineErrorCode[] = ['invalidInput', 'notAllowed', 'storeUnavailable', 'unsupportedFile'];
  return EngineError.is(error) && codes.includes(error.code);
}

function withCopyProgress<T>(title: string, work: (options: CopyProgressOptions) => Promise<T>): Promise<T> {
  return withProgress({ title, unit: formatInteger }, work);
}
type CopyProgressOptions = NonNullable<Parameters<MemoryEngine['team']['store']['copyToServer']>[0]>;
