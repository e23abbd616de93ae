import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import {
  captureSourceNames,
  captureSources,
  type CaptureResult,
  type CapturePreview,
  skippedLineReasons,
  type SessionPreview,
  type SkippedLineReason,
} from '../../engine/model/capture.js';
import { enabledCaptureSources } from '../captureSetting.js';
import { commandIds, settingsSection } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { localizeText } from '../l10n/engineMessages.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { openReport } from '../ui/report.js';
import { statusMessageMs } from '../ui/notifications.js';
import { withProgress } from '../ui/progress.js';
import { shortPath } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';

/** Between automatic captures. A session grows for hours, and each capture reads only its new lines. */
const captureIntervalMs = 10 * 60_000;
/** Files that the consent dialog names; the rest is counted. */
const maxFilesShown = 8;

interface CaptureDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
}

/**
 * "Capture Sessions", and automatic capture of the sources that are enabled in the settings and allowed by the user.
 */
export function registerCapture(dependencies: CaptureDependencies): vscode.Disposable {
  const { commands, engineHolder } = dependencies;
  commands.register(commandIds.captureSessions, () => captureNow(dependencies));
  const abortController = new AbortController();
  const captureAutomatically = async (): Promise<void> => {
    const configuration = vscode.workspace.getConfiguration(settingsSection);
    const enabledSources = enabledCaptureSources(key => configuration.inspect(key)?.globalValue);
    if (enabledSources.length === 0 || !vscode.workspace.isTrusted) return;
    const engine = await engineHolder.engineIfAvailable();
    for (const source of enabledSources) {
      if (engine === undefined || !(await engine.capture.isAllowed(source))) continue;
      await engine.capture.run({ source, signal: abortController.signal });
    }
  };
  const timer = setInterval(() => {
    captureAutomatically().catch((error: unknown) => {
      commands.logFailure('automatic capture', error);
    });
  }, captureIntervalMs);
  return new vscode.Disposable(() => {
    clearInterval(timer);
    abortController.abort();
  });
}

async function captureNow(dependencies: CaptureDependencies): Promise<void> {
  const { commands, engineHolder } = dependencies;
  if (!vscode.workspace.isTrusted) {
    const message = vscode.l10n.t('Nothing is captured in a folder that you do not trust.');
    commands.notify(commandIds.captureSessions, { message });
    return;
  }
  const engine = await engineHolder.engine();
  const previews: CapturePreview[] = [];
  for (const source of captureSources) previews.push(await engine.capture.preview({ source }));
  const previewsWithUnread = previews.filter(it => it.sessions.some(hasUnreadLines));
  if (previewsWithUnread.length === 0) {
    const message = vscode.l10n.t('There is nothing new in the sessions of the open folders.');
    commands.notify(commandIds.captureSessions, { message });
    return;
  }
  const preview = previewsWithUnread.length === 1 ? previewsWithUnread[0] : await pickSource(previewsWithUnread);
  if (preview === undefined) return;
  const { source } = preview;
  if (!preview.isAllowed) {
    const question =
      source === 'vscodeChat'
        ? vscode.l10n.t('Keep notes from your chats in VS Code?')
        : vscode.l10n.t('Keep notes from your {0} sessions?', captureSourceNames[source]);
    const button = vscode.l10n.t('Allow and Capture');
    if (!(await confirmModal({ question, detail: consentDetail(preview), button }))) return;
    await engine.capture.allow(source);
  }
  const title = vscode.l10n.t('Capturing sessions');
  const captured = await withProgress({ title }, progressContext => engine.capture.run({ source, ...progressContext }));
  await notifyCaptured(dependencies, engine, captured);
}

const hasUnreadLines = (preview: SessionPreview): boolean => preview.unread.lines > 0;

/** Sources are allowed and captured separately. */
async function pickSource(previews: readonly CapturePreview[]): Promise<CapturePreview | undefined> {
  const rows = previews.map(preview => ({
    label: preview.source === 'vscodeChat' ? vscode.l10n.t('Chats in VS Code') : captureSourceNames[preview.source],
    description: vscode.l10n.t(
      '{0} with something new',
      countLabel(preview.sessions.filter(hasUnreadLines).length, 'session'),
    ),
    preview,
  }));
  const title = vscode.l10n.t('Capture Sessions');
  const placeHolder = vscode.l10n.t('Whose sessions?');
  return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.preview;
}

/** Lists what will be read, and what will be sent to which language model. */
function consentDetail({ sessions, sends }: CapturePreview): string {
  const unread = sessions.filter(hasUnreadLines);
  const files = unread
    .slice(0, maxFilesShown)
    .map(({ file, unread: it }) =>
      vscode.l10n.t(
        '{0}: {1}, {2}, {3}',
        shortPath(file),
        countLabel(it.lines, 'line'),
        countLabel(it.personTurns, 'turn'),
        countLabel(it.outcomes, 'answer'),
      ),
    );
  const omittedCount = unread.length - files.length;
  const transmissionSentence =
    sends === undefined
      ? vscode.l10n.t(
          'Nothing leaves this machine. What you asked to be remembered is kept; you decide about what else may last.',
        )
      : vscode.l10n.t(
          'About {0} characters are sent to your language model ({1}) in {2}.',
          formatInteger(sends.characters),
          sends.provider,
          countLabel(sends.calls, 'call'),
        );
  return [
    ...files,
    ...(omittedCount > 0 ? [vscode.l10n.t('and {0} more', formatInteger(omittedCount))] : []),
    '',
    vscode.l10n.t('Only your own words and what came of them are read. What is kept are notes.'),
    transmissionSentence,
  ].join('\n');
}

/** Reports the result. Its undo forgets the new notes; reinforced memories stay. */
async function notifyCaptured(
  { commands }: CaptureDependencies,
  engine: MemoryEngine,
  result: CaptureResult,
): Promise<void> {
  const { sessions, cancelled, waitsUntil } = result;
  const outcomes = sessions.flatMap(it => it.outcomes);
  const storedIds = outcomes.flatMap(it => (it.outcome === 'stored' ? [it.id] : []));
  const reinforcedCount = outcomes.filter(it => it.outcome === 'reinforced').length;
  const refusedCount = outcomes.filter(it => it.outcome === 'refused').length;
  const candidateCount = (await engine.capture.candidates()).length;
  const sentences = [
    vscode.l10n.t(
      '{0} kept from {1}, {2} known before.',
      countLabel(storedIds.length, 'note'),
      countLabel(sessions.length, 'session'),
      formatInteger(reinforcedCount),
    ),
    ...(refusedCount === 0 ? [] : [vscode.l10n.t('Refused: {0}.', formatInteger(refusedCount))]),
    ...(candidateCount === 0 ? [] : [vscode.l10n.t('May be lasting: {0}.', countLabel(candidateCount, 'candidate'))]),
    ...(cancelled ? [vscode.l10n.t('The rest is captured the next time.')] : []),
    ...(waitsUntil === undefined ? [] : [vscode.l10n.t('The language model waits; so does the rest.')]),
  ];
  const undo = async (): Promise<void> => {
    for (const id of storedIds) await engine.forget(id);
    showStatusMessage(vscode.l10n.t('Forgotten: {0}', countLabel(storedIds.length, 'note')), statusMessageMs);
  };
  const review = (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.reviewIntakes, result.id);
  const candidates = (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.reviewCandidates);
  const details = (): Promise<void> => openReport(captureReport(result));
  const actions = [
    ...(result.id === undefined ? [] : [{ title: vscode.l10n.t('Review'), run: review }]),
    ...(storedIds.length > 0 ? [{ title: vscode.l10n.t('Undo'), run: undo }] : []),
    ...(candidateCount > 0 ? [{ title: vscode.l10n.t('Candidates'), run: candidates }] : []),
    { title: vscode.l10n.t('Details'), run: details },
  ];
  commands.notify(commandIds.captureSessions, { message: sentences.join(' '), topic: 'captured', actions });
}

/** What was kept of each session, what was refused, and how many lines were left out for which reason. */
function captureReport({ sessions }: CaptureResult): string {
  const labels = skippedLineLabels();
  return sessions
    .map(({ file, read, outcomes }) => {
      const lines = [
        vscode.l10n.t('{0} read, {1} of them', countLabel(read.lines, 'line'), countLabel(read.personTurns, 'turn')),
        ...(read.broken === 0 ? [] : [vscode.l10n.t('Left out, not readable: {0}', countLabel(read.broken, 'line'))]),
        ...skippedLineReasons.flatMap(it =>
          read.leftOut[it] === undefined
            ? []
            : [vscode.l10n.t('Left out, {0}: {1}', labels[it], countLabel(read.leftOut[it], 'line'))],
        ),
        ...outcomes.map(it =>
          it.outcome === 'refused'
            ? vscode.l10n.t('Refused: {0}', localizeText(it.reason))
            : vscode.l10n.t('Kept: {0}', it.content),
        ),
      ];
      return `# ${shortPath(file)}\n\n${lines.map(it => `- ${it}\n`).join('')}`;
    })
    .join('\n');
}

function skippedLineLabels(): Readonly<Record<SkippedLineReason, string>> {
  return {
    toolResult: vscode.l10n.t('results of tools'),
    toolUse: vscode.l10n.t('calls of tools'),
    meta: vscode.l10n.t('notes of the client'),
    sidechain: vscode.l10n.t('sub-agents'),
    compaction: vscode.l10n.t('summaries of the conversation so far'),
    apiError: vscode.l10n.t('errors of the service'),
    notAPerson: vscode.l10n.t('not written by a person'),
    nothingSaid: vscode.l10n.t('nothing said'),
  };
}
