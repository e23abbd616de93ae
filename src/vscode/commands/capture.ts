import os from 'node:os';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import {
  captureSources,
  type Captured,
  type CapturePreview,
  type CaptureSource,
  type SessionPreview,
} from '../../engine/model/capture.js';
import { commandIds, settingKeys, settingsSection, type SettingKey } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { counted, countWord } from '../words.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

const settings: Readonly<Record<CaptureSource, SettingKey>> = {
  claudeCode: settingKeys.captureClaudeCode,
  vscodeChat: settingKeys.captureVscodeChat,
};
/** From one automatic capture to the next. A session grows for hours, and what is new is read once. */
const everyMs = 10 * 60_000;
/** Files named in the dialog that asks; the rest is counted. */
const filesShown = 8;

interface Parts {
  readonly commands: Commands;
  readonly session: MemorySession;
}

/** Capturing sessions when asked, and by itself where the setting says so and a person has allowed it. */
export function registerCapture(parts: Parts): vscode.Disposable {
  const { commands, session } = parts;
  commands.register(commandIds.captureSessions, () => captureNow(parts));
  const ending = new AbortController();
  const byItself = async (): Promise<void> => {
    const configuration = vscode.workspace.getConfiguration(settingsSection);
    const wanted = captureSources.filter(it => configuration.get(settings[it]) === true);
    if (wanted.length === 0 || !vscode.workspace.isTrusted) return;
    const engine = await session.engineForDisplay();
    for (const source of wanted) {
      if (engine === undefined || !(await engine.capture.isAllowed(source))) continue;
      await engine.capture.run({ source, signal: ending.signal });
    }
  };
  const timer = setInterval(() => {
    byItself().catch((error: unknown) => {
      commands.log('automatic capture', error);
    });
  }, everyMs);
  return new vscode.Disposable(() => {
    clearInterval(timer);
    ending.abort();
  });
}

async function captureNow(parts: Parts): Promise<void> {
  const { commands, session } = parts;
  if (!vscode.workspace.isTrusted) {
    const message = vscode.l10n.t('Nothing is captured in a workspace that you do not trust.');
    commands.tell(commandIds.captureSessions, { message });
    return;
  }
  const engine = await session.engine();
  const previews: CapturePreview[] = [];
  for (const source of captureSources) previews.push(await engine.capture.preview({ source }));
  const withNews = previews.filter(it => it.sessions.some(hasNews));
  if (withNews.length === 0) {
    const message = vscode.l10n.t('There is nothing new in Claude Code sessions and chats of the open folders.');
    commands.tell(commandIds.captureSessions, { message });
    return;
  }
  const preview = withNews.length === 1 ? withNews[0] : await pickSource(withNews);
  if (preview === undefined) return;
  const { source } = preview;
  if (!preview.isAllowed) {
    const allow = vscode.l10n.t('Allow and Capture');
    const question =
      source === 'claudeCode'
        ? vscode.l10n.t('Keep notes from your Claude Code sessions?')
        : vscode.l10n.t('Keep notes from your chats in VS Code?');
    const chosen = await vscode.window.showInformationMessage(
      question,
      { modal: true, detail: detailOf(preview) },
      allow,
    );
    if (chosen !== allow) return;
    await engine.capture.allow(source);
  }
  const title = vscode.l10n.t('Capturing sessions');
  const captured = await withProgress({ title }, means => engine.capture.run({ source, ...means }));
  tell(parts, engine, captured);
}

const hasNews = (it: SessionPreview): boolean => it.unread.lines > 0;

/** Each source is asked for and allowed by itself. */
async function pickSource(previews: readonly CapturePreview[]): Promise<CapturePreview | undefined> {
  const rows = previews.map(preview => ({
    label: preview.source === 'claudeCode' ? 'Claude Code' : vscode.l10n.t('Chats in VS Code'),
    description: vscode.l10n.t('{0} with something new', counted(preview.sessions.filter(hasNews).length, 'session')),
    preview,
  }));
  const title = vscode.l10n.t('Capture Sessions');
  const placeHolder = vscode.l10n.t('Whose sessions?');
  return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.preview;
}

/** Exactly what is read, and what is sent to whom. */
function detailOf({ sessions, sends }: CapturePreview): string {
  const unread = sessions.filter(hasNews);
  const files = unread
    .slice(0, filesShown)
    .map(({ file, unread: it }) =>
      vscode.l10n.t(
        '{0}: {1}, {2}, {3}',
        file.replace(os.homedir(), '~'),
        counted(it.lines, 'line'),
        counted(it.personTurns, 'turn'),
        counted(it.outcomes, 'answer'),
      ),
    );
  const more = unread.length - files.length;
  const sent =
    sends === undefined
      ? vscode.l10n.t('Nothing leaves this machine: rules pick what is kept.')
      : vscode.l10n.t(
          'About {0} characters are sent to your language model ({1}) in {2}.',
          countWord(sends.characters),
          sends.provider,
          counted(sends.calls, 'call'),
        );
  return [
    ...files,
    ...(more > 0 ? [vscode.l10n.t('and {0} more', countWord(more))] : []),
    '',
    vscode.l10n.t('Only your own words and what came of them are read. What is kept are notes.'),
    sent,
  ].join('\n');
}

/** What was kept, and how to take it back: what is new is forgotten, what was known before stays. */
function tell({ commands }: Parts, engine: MemoryEngine, { sessions, cancelled, waitsUntil }: Captured): void {
  const outcomes = sessions.flatMap(it => it.outcomes);
  const stored = outcomes.flatMap(it => (it.outcome === 'stored' ? [it.id] : []));
  const known = outcomes.filter(it => it.outcome === 'reinforced').length;
  const refused = outcomes.filter(it => it.outcome === 'refused').length;
  const sentences = [
    vscode.l10n.t(
      '{0} kept from {1}, {2} known before.',
      counted(stored.length, 'note'),
      counted(sessions.length, 'session'),
      countWord(known),
    ),
    ...(refused === 0 ? [] : [vscode.l10n.t('Refused because of secrets: {0}.', countWord(refused))]),
    ...(cancelled ? [vscode.l10n.t('The rest is captured the next time.')] : []),
    ...(waitsUntil === undefined ? [] : [vscode.l10n.t('The language model waits; so does the rest.')]),
  ];
  const undo = async (): Promise<void> => {
    for (const id of stored) await engine.forget(id);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Archived: {0}', counted(stored.length, 'note')), 4_000);
  };
  const actions = stored.length > 0 ? [{ title: vscode.l10n.t('Undo'), run: undo }] : [];
  commands.tell(commandIds.captureSessions, { message: sentences.join(' '), topic: 'captured', actions });
}
