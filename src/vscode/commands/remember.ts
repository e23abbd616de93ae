import path from 'node:path';
import * as vscode from 'vscode';
import type { RememberOutcome } from '../../engine/model/rememberOutcome.js';
import type { Anchor } from '../../engine/model/memory.js';
import type { RememberInput } from '../../engine/model/rememberInput.js';
import { commandIds } from '../contributions.js';
import {
  findEnclosingDeclaration,
  findDeclarationByName,
  toLineRange,
  textOfLines,
  type Declaration,
} from '../editor/declarations.js';
import { codeHash } from '../../engine/base/codeHash.js';
import { findPersonalDataIn, findRefusal } from '../../engine/engine.js';
import { localizeText } from '../l10n/engineMessages.js';
import type { CachedConfig } from '../engineHost.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { toTruncatedLine } from '../ui/markdown.js';
import { statusMessageMs, type UserNotification } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';
import { RememberBox, type RememberQuestion } from './rememberBox.js';
import type { TargetProject } from '../targetProject.js';

/** Characters of a memory's text in a message. */
const maxQuotedLength = 60;

/** Languages of documents that are texts of persons. */
const proseLanguages: ReadonlySet<string> = new Set(['markdown', 'plaintext', 'restructuredtext', 'asciidoc', 'latex']);

export interface RememberDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly config: CachedConfig;
  readonly target: TargetProject;
}

type RememberParts = RememberDependencies & { readonly box: RememberBox };

export function registerRemember(dependencies: RememberDependencies): void {
  const { commands, config, target } = dependencies;
  const box = new RememberBox((content, whole) => findRefusal({ content, whole }, config.get().remember));
  const parts = { ...dependencies, box };
  commands.register(commandIds.remember, async () => {
    // Before anything is typed, which would be lost.
    if (!(await target.ensure())) return;
    const { folder, name } = target;
    const question = generalQuestion();
    const titled = name === undefined ? {} : { title: vscode.l10n.t('Remember for {0}', name) };
    await rememberTyped(parts, { ...question, ...titled }, () => (folder === undefined ? {} : { folder }));
  });
  commands.register(commandIds.chooseProject, () => target.choose());
  commands.register(commandIds.rememberSelection, () => rememberSelection(parts));
  commands.register(commandIds.rememberSymbol, (uri, name, line) => rememberSymbol(parts, uri, name, line));
}

/** Asks for a fact about selected code, which is none by itself; shows selected prose, to be edited. */
async function rememberSelection(parts: RememberParts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) {
    showStatusMessage(vscode.l10n.t('Select the text to remember first.'), statusMessageMs);
    return;
  }
  const { document, selection } = editor;
  const declaration = await findEnclosingDeclaration(document, selection);
  const location = rangeAnchor(document, selection);
  const anchor: Anchor = declaration === undefined ? location : { ...location, symbol: declaration.name };
  if (!proseLanguages.has(document.languageId)) {
    const code = declaration?.name ?? linesLabel(document, selection);
    await rememberTyped(parts, questionAbout(code), () => ({ ...anchor, ...storeOf(document) }));
    return;
  }
  const question = { ...generalQuestion(), text: document.getText(selection) };
  await rememberTyped(parts, question, () => ({ whole: true, ...anchor, ...storeOf(document) }));
}

async function rememberSymbol(parts: RememberParts, uri: unknown, name: unknown, line: unknown): Promise<void> {
  if (typeof uri !== 'string' || typeof name !== 'string' || typeof line !== 'number') return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  await rememberTyped(parts, questionAbout(name), async () => {
    // Located after the input, because the code may have moved meanwhile.
    const declaration = await findDeclarationByName(document, name, line);
    const anchor: Anchor =
      declaration === undefined
        ? { uri, range: { startLine: line, endLine: line + 1 }, symbol: name }
        : declarationAnchor(document, declaration);
    return { ...anchor, ...storeOf(document) };
  });
}

function generalQuestion(): RememberQuestion {
  return {
    title: vscode.l10n.t('Remember'),
    placeHolder: vscode.l10n.t('A fact, a preference or a decision, as a full sentence'),
  };
}

function questionAbout(code: string): RememberQuestion {
  return {
    title: vscode.l10n.t('Remember about {0}', code),
    placeHolder: vscode.l10n.t('What should be known about it, as a full sentence'),
  };
}

type TypedFact = Omit<RememberInput, 'source' | 'lane'>;
/** Returns the place that a memory is attached to. */
type FindPlace = () => Promise<Omit<TypedFact, 'content'>> | Omit<TypedFact, 'content'>;

/** Asks for a text and remembers it, or has it kept encrypted. */
async function rememberTyped(parts: RememberParts, question: RememberQuestion, findPlace: FindPlace): Promise<void> {
  const answer = await parts.box.ask(question);
  if (answer === undefined) return;
  if (answer.keep === 'asMemory') await rememberText(parts, question, answer.text, findPlace);
  else if ((await vscode.commands.executeCommand(commandIds.keepSensitive, answer.text)) === true)
    parts.box.discard(question);
}

/** Remembers a text. Nothing of it is lost: a failure offers the same once more, and what is refused is in the box again. */
async function rememberText(
  parts: RememberParts,
  question: RememberQuestion,
  content: string,
  findPlace: FindPlace,
): Promise<void> {
  const { commands, engineHolder, box } = parts;
  const location = vscode.ProgressLocation.Window;
  try {
    const input = { ...(await findPlace()), content };
    const outcomes = await vscode.window.withProgress({ location, title: vscode.l10n.t('Remembering…') }, async () =>
      (await engineHolder.engine()).remember({ ...input, source: 'explicit', lane: 'confirmed' }),
    );
    const refused = outcomes.find(it => it.outcome === 'refused');
    if (refused === undefined) box.discard(question);
    else box.keepDraft(question, content, refused.reason);
    await notifyOutcomes(parts, input, outcomes);
    if (refused !== undefined) await rememberTyped(parts, question, findPlace);
  } catch (error) {
    commands.report(commandIds.remember, error, () => rememberText(parts, question, content, findPlace));
  }
}

/**
 * The status bar says it, and the first row of the tree takes it back. A message stays only where something is open: a place
 * that was guessed, with the button that moves it, or a text that is better kept encrypted.
 */
async function notifyOutcomes(
  { commands, engineHolder }: RememberDependencies,
  input: TypedFact,
  outcomes: readonly RememberOutcome[],
): Promise<void> {
  const engine = await engineHolder.engine();
  const accepted = outcomes.filter(it => it.outcome !== 'refused');
  const stored = accepted.filter(it => it.outcome === 'stored');
  const storedIds = stored.map(it => it.id);
  if (storedIds.length > 0)
    commands.recordChange(commandIds.remember, engine, {
      name: 'remembered',
      ids: storedIds,
      steps: [{ do: 'forget', ids: storedIds }],
    });
  if (accepted.length === 0) return;
  const message = describeOutcomes(accepted);
  const actions = [...moves(stored, input, engine.projectNames), ...encryptions(input, storedIds)];
  const remarks = accepted.some(it => it.reason !== undefined);
  if (actions.length > 0 || remarks) commands.notify(commandIds.remember, { message, actions });
  else showStatusMessage(message, statusMessageMs, 'check');
}

type Action = NonNullable<UserNotification['actions']>[number];

/** One button, where the text alone decided between this project and all of them. */
function moves(
  stored: readonly Extract<RememberOutcome, { outcome: 'stored' }>[],
  input: TypedFact,
  projects: readonly string[],
): readonly Action[] {
  const habits = stored.filter(it => it.mayHoldEverywhere === true).map(it => it.id);
  if (habits.length > 0)
    return [
      {
        title: vscode.l10n.t('For All Projects'),
        run: () => vscode.commands.executeCommand(commandIds.moveToGlobal, habits),
      },
    ];
  const [project, ...others] = projects;
  const everywhere = stored.filter(it => it.store === 'global').map(it => it.id);
  if (input.store !== undefined || project === undefined || others.length > 0 || everywhere.length === 0) return [];
  return [
    {
      title: vscode.l10n.t('Only for {0}', project),
      run: () => vscode.commands.executeCommand(commandIds.moveToProject, everywhere),
    },
  ];
}

function encryptions({ content }: TypedFact, storedIds: readonly string[]): readonly Action[] {
  if (storedIds.length !== 1 || findPersonalDataIn(content) === undefined) return [];
  const run = (): unknown => vscode.commands.executeCommand(commandIds.encryptMemory, storedIds[0]);
  return [{ title: vscode.l10n.t('Keep Encrypted…'), run }];
}

function describeOutcomes(outcomes: readonly Exclude<RememberOutcome, { outcome: 'refused' }>[]): string {
  const [first] = outcomes;
  const [reason] = outcomes.flatMap(it => it.reason ?? []);
  const note = reason === undefined ? '' : ` ${localizeText(reason)}`;
  if (outcomes.length === 1 && first !== undefined) return describeOne(first) + note;
  const alreadyKnown = outcomes.filter(it => it.outcome === 'reinforced').length;
  const stored = vscode.l10n.t('{0} remembered.', countLabel(outcomes.length - alreadyKnown, 'fact'));
  const repeated = alreadyKnown === 0 ? '' : ` ${vscode.l10n.t('Known already: {0}.', formatInteger(alreadyKnown))}`;
  return stored + repeated + note;
}

function describeOne({ outcome, content, project }: Exclude<RememberOutcome, { outcome: 'refused' }>): string {
  const text = toTruncatedLine(content, maxQuotedLength);
  if (outcome === 'reinforced')
    return project === undefined
      ? vscode.l10n.t('Known already for all projects, more certain now: {0}', text)
      : vscode.l10n.t('Known already for {0}, more certain now: {1}', project, text);
  return project === undefined
    ? vscode.l10n.t('Remembered for all projects: {0}', text)
    : vscode.l10n.t('Remembered for {0}: {1}', project, text);
}

/** A memory about a file of a project stays in that project, whatever its text. */
function storeOf({ uri }: vscode.TextDocument): Pick<RememberInput, 'store'> {
  return vscode.workspace.getWorkspaceFolder(uri) === undefined || uri.scheme !== 'file' ? {} : { store: 'project' };
}

/** `lines 3–9 of tides.ts`. */
function linesLabel({ uri }: vscode.TextDocument, selection: vscode.Selection): string {
  const { startLine, endLine } = toLineRange(selection);
  const name = path.posix.basename(uri.path);
  const first = formatInteger(startLine + 1);
  return endLine - startLine === 1
    ? vscode.l10n.t('line {0} of {1}', first, name)
    : vscode.l10n.t('lines {0}–{1} of {2}', first, formatInteger(endLine), name);
}

function declarationAnchor(document: vscode.TextDocument, declaration: Declaration): Anchor {
  return { ...rangeAnchor(document, declaration.range), symbol: declaration.name };
}

function rangeAnchor(document: vscode.TextDocument, codeRange: vscode.Range): Anchor {
  const range = toLineRange(codeRange);
  return { uri: document.uri.toString(), range, anchorHash: codeHash(textOfLines(document, range)) };
}
