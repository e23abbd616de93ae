import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import {
  describeTeamProject,
  memberName,
  type SharePreview,
  type TeamJoin,
  type TeamReadReport,
  type TeamSyncReport,
} from '../../engine/model/team.js';
import { commandIds, secretIds } from '../contributions.js';
import type { ExplorerNode } from '../explorer/treeNodes.js';
import type { EngineHolder } from '../engineHolder.js';
import { localizeText } from '../l10n/engineMessages.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { withProgress } from '../ui/progress.js';
import { requireTrustToWrite } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showColleagues, showShared, withdrawShared } from './teamLists.js';
import { replaceWithSelection, reportNoSelection, selectedMemoryIds } from './selection.js';

export interface TeamDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly secrets: vscode.SecretStorage;
  /** The selected rows of the explorer. */
  readonly selection: () => Promise<readonly ExplorerNode[]>;
  /** The project was connected, or left. */
  readonly onConnectionChange: () => void;
}

/** Lines of a question that quote memories. */
const maxQuoted = 10;
const maxQuotedLength = 120;

/** Sharing memories with a team: through its PostgreSQL server, or through a folder of the repository. */
export function registerTeam(dependencies: TeamDependencies): void {
  const { commands, engineHolder } = dependencies;
  commands.register(commandIds.connectTeam, () => connectTeam(dependencies));
  commands.register(commandIds.team, () => showTeamMenu(dependencies));
  commands.register(commandIds.syncTeam, async () => {
    requireTrustToWrite();
    const { team } = await engineHolder.engine();
    const title = vscode.l10n.t('Syncing with your team');
    if ((await team.serverStatus()) !== undefined) {
      reportSync(commands, await withProgress({ title, cancellable: false }, () => team.sync()));
      return;
    }
    const offer = await team.arrival.previewJoin();
    if (!offer.exists) offerWays(dependencies);
    else if (offer.isJoined || (await joinFolder(team, offer)))
      reportRead(commands, await withProgress({ title, cancellable: false }, () => team.arrival.read()));
  });
  commands.register(commandIds.shareWithTeam, async (...commandArgs) => {
    const args = await replaceWithSelection(commandArgs, dependencies.selection);
    if (reportNoSelection(args)) return;
    const engine = await engineHolder.engine();
    const ids = selectedMemoryIds(args);
    const chosen = ids.length > 0 ? ids : await pickMemoryId(commands, engine);
    if (chosen.length > 0) await share(dependencies, engine, chosen);
  });
}

/** Everything about a team in one list: by whether the project takes part in one. */
async function showTeamMenu(dependencies: TeamDependencies): Promise<void> {
  const { commands, engineHolder } = dependencies;
  const { team } = await engineHolder.engine();
  const { server, exists, isJoined, folder } = await team.status();
  const execute = (id: string) => () => vscode.commands.executeCommand(id);
  const isIn = server !== undefined || isJoined;
  const choices: readonly (vscode.QuickPickItem & { readonly run: () => Thenable<unknown> })[] = [
    { label: vscode.l10n.t('Share a Memory…'), run: execute(commandIds.shareWithTeam) },
    ...(isIn
      ? [
          { label: vscode.l10n.t('Shared Memories…'), run: () => showShared(dependencies) },
          { label: vscode.l10n.t('Withdraw…'), run: () => withdrawShared(dependencies) },
          { label: vscode.l10n.t('Sync Now'), run: execute(commandIds.syncTeam) },
          { label: vscode.l10n.t('Members…'), run: () => showColleagues(dependencies) },
          { label: vscode.l10n.t('Copy Invitation'), run: () => copyInvitation(dependencies) },
          { label: vscode.l10n.t('Leave…'), run: () => leaveTeam(dependencies) },
        ]
      : [
          ...(exists
            ? [{ label: vscode.l10n.t('Join…'), description: folder, run: execute(commandIds.syncTeam) }]
            : []),
          { label: vscode.l10n.t('Join a Team’s Server…'), run: execute(commandIds.connectTeam) },
          ...(exists
            ? []
            : [
                {
                  label: vscode.l10n.t('Share Through This Repository…'),
                  run: () => useRepository(dependencies),
                },
              ]),
        ]),
  ];
  const title = isIn ? vscode.l10n.t('Team: {0}', toPlainMessage(folder)) : vscode.l10n.t('Team');
  const chosen = await vscode.window.showQuickPick(choices, { title });
  try {
    await chosen?.run();
  } catch (error) {
    commands.report(commandIds.team, error);
  }
}

async function copyInvitation({ commands, engineHolder }: TeamDependencies): Promise<void> {
  const { team } = await engineHolder.engine();
  await vscode.env.clipboard.writeText(await team.invitation());
  const hasServer = (await team.serverStatus()) !== undefined;
  commands.notify(commandIds.team, {
    message: hasServer
      ? vscode.l10n.t('Copied. Put in the login; the password goes another way.')
      : vscode.l10n.t('Copied: one line for someone who may join.'),
  });
}

/** The consent of a person to read what others share: nothing of it is opened before. */
async function joinFolder(team: MemoryEngine['team'], { folder, files, authors }: TeamJoin): Promise<boolean> {
  const detail = [
    vscode.l10n.t('{0} by {1}.', countLabel(files, 'file'), authors.map(toPlainMessage).join(', ')),
    vscode.l10n.t('From now on they are read whenever they change. Each becomes a note that you may confirm.'),
  ].join('\n\n');
  const question = vscode.l10n.t('Read what your team shares in {0}?', folder);
  if (!(await confirmModal({ question, detail, button: vscode.l10n.t('Join') }))) return false;
  await team.arrival.join();
  return true;
}

/** Offers once, in a window, to join the team of a folder that git has brought. */
export async function offerToJoin({ commands, engineHolder }: TeamDependencies, engine: MemoryEngine): Promise<void> {
  const { team } = engine;
  const offer = await team.arrival.firstOffer();
  if (offer === undefined) return;
  commands.notify(commandIds.syncTeam, {
    message: vscode.l10n.t(
      'This repository has memories that its team shares: {0} by {1}.',
      countLabel(offer.files, 'file'),
      toPlainMessage(offer.authors.join(', ')),
    ),
    actions: [
      {
        title: vscode.l10n.t('Join…'),
        run: async () => {
          requireTrustToWrite();
          const { team: current } = await engineHolder.engine();
          if (await joinFolder(current, offer)) reportRead(commands, await current.arrival.read());
        },
      },
    ],
  });
}

function reportRead(commands: CommandRegistry, read: TeamReadReport): void {
  const clock = read.clock === undefined ? {} : { clock: read.clock };
  reportSync(commands, { team: '', project: '', sent: 0, waiting: 0, isOffline: false, ...clock, read });
}

/** What a sync brought. Says nothing new where nothing is. */
function describeSync({ sent, waiting, isOffline, problem, clock, read }: TeamSyncReport): string {
  const fresh = read.changes.filter(it => it.what === 'added' || it.what === 'changed');
  const names = [...new Set(fresh.map(it => memberName(it.author)))].join(', ');
  const parts = [
    ...(fresh.length > 0 ? [vscode.l10n.t('{0} new from {1}', formatInteger(fresh.length), names)] : []),
    ...(sent > 0 ? [vscode.l10n.t('{0} sent', formatInteger(sent))] : []),
    ...(waiting > 0 ? [vscode.l10n.t('{0} waiting', formatInteger(waiting))] : []),
    ...(read.decided === undefined
      ? []
      : [vscode.l10n.t('{0} of yours to commit', countLabel(read.decided.decisions, 'decision'))]),
    ...(read.refused.length > 0 ? [vscode.l10n.t('{0} left out', formatInteger(read.refused.length))] : []),
  ];
  const brought = [
    ...(parts.length === 0 ? [] : [vscode.l10n.t('Team: {0}.', parts.join(', '))]),
    ...(clock === undefined ? [] : [clock]),
    ...(read.unnamed === undefined ? [] : [localizeText(read.unnamed)]),
  ];
  if (problem !== undefined)
    return [isOffline ? vscode.l10n.t('Your team’s server cannot be reached now.') : problem, ...brought].join(' ');
  return brought.length > 0 ? brought.join(' ') : vscode.l10n.t('Nothing new from your team.');
}

export function reportSync(commands: CommandRegistry, report: TeamSyncReport): void {
  const { id } = report.read;
  const review = {
    title: vscode.l10n.t('Review…'),
    run: (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.reviewIntakes, id),
  };
  commands.notify(commandIds.syncTeam, { message: describeSync(report), actions: id === undefined ? [] : [review] });
}

async function connectTeam({ commands, engineHolder, secrets, onConnectionChange }: TeamDependencies): Promise<void> {
  requireTrustToWrite();
  const { team } = await engineHolder.engine();
  const before = await secrets.get(secretIds.teamConnection);
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Connect Team Store'),
    prompt: vscode.l10n.t(
      'The connection to your team’s PostgreSQL server. It is kept in the secret storage, and in no file.',
    ),
    placeHolder: vscode.l10n.t('postgres://USER:PASSWORD@HOST:5432/DATABASE'),
    password: true,
    ignoreFocusOut: true,
    ...(before === undefined ? {} : { value: before }),
  });
  const connection = address === undefined ? undefined : await completeAddress(address.trim());
  if (connection === undefined) return;
  await secrets.store(secretIds.teamConnection, connection);
  let isConnected = false;
  try {
    isConnected = await askAndConnect(team);
  } finally {
    // The projects that are connected already go on with the connection that they had.
    if (!isConnected)
      await (before === undefined
        ? secrets.delete(secretIds.teamConnection)
        : secrets.store(secretIds.teamConnection, before));
  }
  if (!isConnected) return;
  onConnectionChange();
  reportSync(commands, await team.sync());
}

/** An invitation has no password, which is asked for then. @returns undefined where the person gave up */
async function completeAddress(text: string): Promise<string | undefined> {
  if (text === '') return undefined;
  if (!URL.canParse(text) || new URL(text).username === '' || new URL(text).password !== '') return text;
  const password = await vscode.window.showInputBox({
    title: vscode.l10n.t('Connect Team Store'),
    prompt: vscode.l10n.t('The password of {0}. Leave it empty if a password file has it.', new URL(text).username),
    password: true,
    ignoreFocusOut: true,
  });
  if (password === undefined || password === '') return password === undefined ? undefined : text;
  const url = new URL(text);
  url.password = encodeURIComponent(password);
  return url.href;
}

async function askAndConnect(team: MemoryEngine['team']): Promise<boolean> {
  const first = await withProgress({ title: vscode.l10n.t('Asking your team’s server'), cancellable: false }, () =>
    team.listTeams(),
  );
  const chosenTeam =
    first.length === 1 ? first[0] : await vscode.window.showQuickPick(first, { title: vscode.l10n.t('Which Team?') });
  if (chosenTeam === undefined) return false;
  const suggested = await team.previewConnect({ team: chosenTeam });
  const project = await vscode.window.showInputBox({
    title: vscode.l10n.t('Connect Team Store'),
    prompt: vscode.l10n.t('What the team calls this project. A repository with a remote is known by its address.'),
    value: suggested.project,
    ignoreFocusOut: true,
  });
  if (project === undefined || project.trim() === '') return false;
  const chosenName = project.trim() === suggested.project ? {} : { project: project.trim() };
  const preview = await team.previewConnect({ team: chosenTeam, ...chosenName });
  const { address, isEncrypted, isNewProject, name, namesakes } = preview;
  const detail = [
    vscode.l10n.t('You are {0} there. Nothing is shared by itself: you share a memory, one by one.', name),
    ...(isNewProject ? [vscode.l10n.t('The project is new to the team.')] : []),
    ...namesakes.map(it => vscode.l10n.t('Another project of the team: {0}.', describeTeamProject(it))),
    ...(isEncrypted ? [] : [vscode.l10n.t('The connection is not encrypted.')]),
  ].join('\n\n');
  const { repository } = preview;
  const shown = describeTeamProject({ name: preview.project, ...(repository === undefined ? {} : { repository }) });
  const question = vscode.l10n.t('Connect this project to {0}/{1} on {2}?', preview.team, shown, address);
  if (!(await confirmModal({ question, detail, button: vscode.l10n.t('Connect') }))) return false;
  await team.connect(preview);
  return true;
}

async function leaveTeam({ commands, engineHolder, onConnectionChange }: TeamDependencies): Promise<void> {
  requireTrustToWrite();
  const { team } = await engineHolder.engine();
  const { server, folder, isJoined } = await team.status();
  if (server === undefined && !isJoined) {
    commands.notify(commandIds.team, { message: vscode.l10n.t('This project is connected to no team.') });
    return;
  }
  const detail = [
    vscode.l10n.t('What came from the team stays here, and what you shared stays there.'),
    ...(server !== undefined && server.waiting > 0
      ? [vscode.l10n.t('{0} that you shared will not be sent.', countLabel(server.waiting, 'memory'))]
      : []),
  ].join('\n\n');
  const isConfirmed = await confirmModal({
    question: vscode.l10n.t('Leave {0}?', folder),
    detail,
    button: vscode.l10n.t('Leave'),
    severity: 'warning',
  });
  if (!isConfirmed) return;
  await (server === undefined ? team.arrival.leave() : team.leave());
  onConnectionChange();
  commands.notify(commandIds.team, {
    message: vscode.l10n.t('This project is no longer connected to {0}.', folder),
  });
}

async function share(dependencies: TeamDependencies, engine: MemoryEngine, ids: readonly string[]): Promise<void> {
  requireTrustToWrite();
  const { commands } = dependencies;
  const { team } = engine;
  const status = await team.status();
  if (!status.exists) {
    offerWays(dependencies);
    return;
  }
  if (!status.isJoined && !(await joinFolder(team, await team.arrival.previewJoin()))) return;
  const as = status.name ?? (await askForName());
  if (as === undefined) return;
  const preview = await team.previewShare({ references: ids, as });
  const reasons = [...preview.refused, ...preview.personal].map(it => it.reason);
  if (preview.memories.length === 0) {
    if (reasons.length > 0)
      commands.notify(commandIds.shareWithTeam, { message: reasons.join(' '), severity: 'warning' });
    return;
  }
  if (!(await confirmShare(preview, reasons))) return;
  await team.share(preview);
  if (preview.server === undefined) {
    const message = vscode.l10n.t(
      '{0} shared: commit and push {1}.',
      countLabel(preview.memories.length, 'memory'),
      preview.file,
    );
    commands.notify(commandIds.shareWithTeam, { message });
  } else {
    dependencies.onConnectionChange();
    reportSync(commands, await team.sync());
  }
}

export function askForName(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Share with Team'),
    prompt: vscode.l10n.t('The name that your team reads with what you share'),
    ignoreFocusOut: true,
  });
}

function confirmShare({ memories, as, server, file }: SharePreview, reasons: readonly string[]): Promise<boolean> {
  const notice =
    server === undefined
      ? vscode.l10n.t('Once you commit it, git keeps it for ever, for everyone who can read the repository.')
      : vscode.l10n.t('Members of the team and who runs its server can read it.');
  return confirmModal({
    question: vscode.l10n.t('Share {0} with {1} as {2}?', countLabel(memories.length, 'memory'), server ?? file, as),
    detail: [quote(memories), ...reasons, notice].join('\n\n'),
    button: vscode.l10n.t('Share'),
  });
}

function quote(memories: SharePreview['memories']): string {
  const lines = memories.slice(0, maxQuoted).map(it => `• ${toTruncatedLine(it.content, maxQuotedLength)}`);
  const rest = memories.length - lines.length;
  return [...lines, ...(rest > 0 ? [vscode.l10n.t('and {0} more', formatInteger(rest))] : [])].join('\n');
}

async function useRepository({ commands, engineHolder }: TeamDependencies): Promise<void> {
  requireTrustToWrite();
  const { team } = await engineHolder.engine();
  const preview = await team.previewInit();
  const detail = preview.changes.map(it => it.file).join('\n');
  const question = vscode.l10n.t('Make {0} for memories that the team shares through git?', preview.folder);
  if (!(await confirmModal({ question, detail, button: vscode.l10n.t('Make the Folder') }))) return;
  await team.init(preview);
  commands.notify(commandIds.shareWithTeam, { message: vscode.l10n.t('{0} is there: commit it.', preview.folder) });
}

/** Where the project has no team yet. */
function offerWays(dependencies: TeamDependencies): void {
  const { commands } = dependencies;
  commands.notify(commandIds.shareWithTeam, {
    message: vscode.l10n.t('This project shares memories with no team yet.'),
    actions: [
      {
        title: vscode.l10n.t('Connect to a Server…'),
        run: () => vscode.commands.executeCommand(commandIds.connectTeam),
      },
      { title: vscode.l10n.t('Use the Repository…'), run: () => useRepository(dependencies) },
    ],
  });
}

async function pickMemoryId(commands: CommandRegistry, engine: MemoryEngine): Promise<readonly string[]> {
  const picked = await pickMemory(engine, {
    title: vscode.l10n.t('Share Which Memory?'),
    placeholder: vscode.l10n.t('Type what it is about'),
    onError: error => {
      commands.report(commandIds.shareWithTeam, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}
