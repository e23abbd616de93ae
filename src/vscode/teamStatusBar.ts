import * as vscode from 'vscode';
import type { Log } from '../engine/model/host.js';
import { offerToJoin, registerTeam, reportSync, type TeamDependencies } from './commands/team.js';
import { registerMoveStore } from './commands/moveStore.js';
import { commandIds } from './contributions.js';
import type { EngineHolder } from './engineHolder.js';
import { localize } from './l10n/engineMessages.js';
import { formatInteger } from './l10n/labels.js';
import { TeamWatch, type TeamConnectionState } from './teamWatch.js';

/** The commands of a team, its news, and an entry of the status bar that appears while something waits or the server is away. */
export function connectTeamWatch(
  dependencies: Omit<TeamDependencies, 'onConnectionChange'> & { readonly log: Log },
): vscode.Disposable {
  const { commands, engineHolder, log } = dependencies;
  const item = vscode.window.createStatusBarItem('recollect.team', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Recollect: Team');
  item.command = commandIds.syncTeam;
  const watch = new TeamWatch({
    engineHolder,
    log,
    isTrusted: () => vscode.workspace.isTrusted,
    onState: state => {
      showState(item, state);
    },
    onNews: report => {
      reportSync(commands, report);
    },
    onFolder: engine => offerToJoin({ ...dependencies, onConnectionChange: lookNow }, engine),
  });
  function lookNow(): void {
    watch.lookNow();
  }
  registerTeam({ ...dependencies, onConnectionChange: lookNow });
  registerMoveStore(dependencies);
  const movedStore = watchMovedStore(dependencies.engineHolder);
  const whenOpen = engineHolder.onDidChangeState(({ kind }) => {
    if (kind !== 'open') return;
    watch.lookIntoFolder();
    watch.lookSoon();
  });
  // The next answer has everything that a pull brings.
  const files = vscode.workspace.createFileSystemWatcher('**/.recollect/team/*.jsonl');
  const whenChanged = [files.onDidChange, files.onDidCreate].map(on =>
    on(() => {
      watch.lookIntoFolder();
    }),
  );
  return vscode.Disposable.from(item, watch, movedStore, whenOpen, files, ...whenChanged);
}

/** An entry of the status bar while the server of the project's memories is away: how many wait here for it. */
function watchMovedStore(engineHolder: EngineHolder): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('recollect.movedStore', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Recollect: Server of the Memories');
  item.command = commandIds.moveStore;
  const update = async (): Promise<void> => {
    const { state } = engineHolder;
    const [notice] = state.kind === 'open' ? state.engine.team.store.notices : [];
    if (state.kind !== 'open' || notice === undefined) {
      item.hide();
      return;
    }
    // Closed meanwhile: the next state says more.
    const waiting = await state.engine.team.store.countWaiting().catch(() => 0);
    if (engineHolder.state !== state) return;
    item.text = `$(cloud) ${vscode.l10n.t('offline, {0}', vscode.l10n.t('{0} waiting', formatInteger(waiting)))}`;
    item.tooltip = localize(notice);
    item.show();
  };
  return vscode.Disposable.from(
    item,
    engineHolder.onDidChangeState(() => void update()),
    engineHolder.onDidChangeMemories(() => void update()),
  );
}

function showState(item: vscode.StatusBarItem, state: TeamConnectionState): void {
  if (state === undefined || (state.problem === undefined && state.waiting === 0)) {
    item.hide();
    return;
  }
  const waiting = vscode.l10n.t('{0} waiting', formatInteger(state.waiting));
  const isRefused = !state.isOffline && state.problem !== undefined;
  const text = state.isOffline ? vscode.l10n.t('offline, {0}', waiting) : waiting;
  item.text = `$(${isRefused ? 'warning' : state.isOffline ? 'cloud' : 'cloud-upload'}) ${text}`;
  item.tooltip =
    state.problem ??
    (state.isOffline
      ? vscode.l10n.t('Your team’s server cannot be reached now. What you share waits here. Click to try again.')
      : vscode.l10n.t('Shared memories wait to be sent to your team. Click to send them.'));
  item.show();
}
