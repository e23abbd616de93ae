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
import { findPersonalDataIn } from '../../engine/engine.js';
import { isSecretRefusal } from '../../engine/model/engineMessages.js';
import { localizeText } from '../l10n/engineMessages.js';
import type { CachedConfig } from '../engineHost.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { toTruncatedLine } from '../ui/markdown.js';
import { statusMessageMs, type UserNotification } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';
import type { TargetProject } from '../targetProject.js';

/** Characters of a memory's text in a message. */
const maxQuotedLength = 60;

export interface RememberDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly config: CachedConfig;
  readonly target: TargetProject;
}

export function registerRemember(dependencies: RememberDependencies): void {
  const { commands, target } = dependencies;
  commands.register(commandIds.remember, async () => {
    // Before anything is typed, which would be lost.
    if (!(await target.ensure())) return;
    const { folder, name } = target;
    const content = await promptForContent(
      dependencies,
      name === undefined ? vscode.l10n.t('Remember') : vscode.l10n.t('Remember for {0}', name),
      vscode.l10n.t('A fact, a preference or a decision, as a full sentence'),
    );
    if (content !== undefined)
      await rememberAndNotify(dependencies, { content, ...(folder === undefined ? {} : { folder }) });
  });
  commands.register(commandIds.chooseProject, () => target.choose());
  commands.register(commandIds.rememberSelection, () => rememberSelection(dependencies));
  commands.register(commandIds.rememberSymbol, (uri, name, line) => rememberSymbol(dependencies, uri, name, line));
}

async function rememberSelection(dependencies: RememberDependencies): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) {
    showStatusMessage(vscode.l10n.t('Select the text to remember first.'), statusMessageMs);
    return;
  }
  const { document, selection } = editor;
  const declaration = await findEnclosingDeclaration(document, selection);
  const location = rangeAnchor(document, selection);
  const anchor: Anchor = declaration === undefined ? location : { ...location, symbol: declaration.name };
  await rememberAndNotify(dependencies, {
    content: document.getText(selection),
    whole: true,
    ...anchor,
    ...storeOf(document),
  });
}

async function rememberSymbol(
  dependencies: RememberDependencies,
  uri: unknown,
  name: unknown,
  line: unknown,
): Promise<void> {
  if (typeof uri !== 'string' || typeof name !== 'string' || typeof line !== 'number') return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const content = await promptForContent(
    dependencies,
    vscode.l10n.t('Remember about {0}', name),
    vscode.l10n.t('What should be known about it, as a full sentence'),
  );
  if (content === undefined) return;
  // Located after the input, because the code may have moved meanwhile.
  const declaration = await findDeclarationByName(document, name, line);
  const anchor: Anchor =
    declaration === undefined
      ? { uri, range: { startLine: line, endLine: line + 1 }, symbol: name }
      : declarationAnchor(document, declaration);
  await rememberAndNotify(dependencies, { content, ...anchor, ...storeOf(document) });
}

/** Asks for the text of a memory; undefined when the input is cancelled or blank. */
function promptForContent(
  { config }: RememberDependencies,
  title: string,
  placeHolder: string,
): Thenable<string | undefined> {
  const { maxCharacters } = config.get().remember;
  return vscode.window
    .showInputBox({
      title,
      placeHolder,
      ignoreFocusOut: true,
      validateInput: text => {
        // Checks while typing what the engine would certainly refuse.
        if (text !== '' && text.trim() === '') return vscode.l10n.t('Write the fact as a sentence.');
        if (text.length > maxCharacters)
          return vscode.l10n.t('A memory holds at most {0} characters.', formatInteger(maxCharacters));
        return undefined;
      },
    })
    .then(text => (text === undefined || text.trim() === '' ? undefined : text));
}

type TypedFact = Omit<RememberInput, 'source' | 'lane'>;

/** Remembers what a person typed or selected. Nothing of it is lost by a failure: "Retry" tries the same once more. */
async function rememberAndNotify(dependencies: RememberDependencies, input: TypedFact): Promise<void> {
  const { commands, engineHolder } = dependencies;
  const remember = async (): Promise<readonly RememberOutcome[]> =>
    (await engineHolder.engine()).remember({ ...input, source: 'explicit', lane: 'confirmed' });
  const location = vscode.ProgressLocation.Window;
  try {
    const outcomes = await vscode.window.withProgress({ location, title: vscode.l10n.t('Remembering…') }, remember);
    await notifyOutcomes(dependencies, input, outcomes);
  } catch (error) {
    commands.report(commandIds.remember, error, () => rememberAndNotify(dependencies, input));
  }
}

/**
 * The status bar says it, and the first row of the tree takes it back. A message stays only where something is open: a place
 * that was guessed, with the button that moves it, or a text that was refused or is better kept encrypted.
 */
async function notifyOutcomes(
  { commands, engineHolder }: RememberDependencies,
  input: TypedFact,
  outcomes: readonly RememberOutcome[],
): Promise<void> {
  const engine = await engineHolder.engine();
  const refused = outcomes.find(it => it.outcome === 'refused');
  const accepted = outcomes.filter(it => it.outcome !== 'refused');
  const stored = accepted.filter(it => it.outcome === 'stored');
  const storedIds = stored.map(it => it.id);
  if (storedIds.length > 0)
    commands.recordChange(commandIds.remember, engine, {
      name: 'remembered',
      ids: storedIds,
      steps: [{ do: 'forget', ids: storedIds }],
    });
  const actions = [...moves(stored, input, engine.projectNames), ...encryptions(input, storedIds, refused)];
  const said = accepted.length === 0 ? [] : [describeOutcomes(accepted)];
  if (refused !== undefined) {
    const message = [vscode.l10n.t('Not remembered: {0}', localizeText(refused.reason)), ...said].join(' ');
    commands.notify(commandIds.remember, { message, severity: 'warning', actions });
    return;
  }
  const [message = ''] = said;
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
        title: vscode.l10n.t('For All My Projects'),
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

function encryptions(
  { content }: TypedFact,
  storedIds: readonly string[],
  refused: Extract<RememberOutcome, { outcome: 'refused' }> | undefined,
): readonly Action[] {
  const isPersonal = storedIds.length === 1 && findPersonalDataIn(content) !== undefined;
  const isSecret = refused !== undefined && isSecretRefusal(refused.reason);
  if (!isPersonal && !isSecret) return [];
  const run = (): unknown =>
    isPersonal
      ? vscode.commands.executeCommand(commandIds.encryptMemory, storedIds[0])
      : vscode.commands.executeCommand(commandIds.keepSensitive, content);
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

function declarationAnchor(document: vscode.TextDocument, declaration: Declaration): Anchor {
  return { ...rangeAnchor(document, declaration.range), symbol: declaration.name };
}

function rangeAnchor(document: vscode.TextDocument, codeRange: vscode.Range): Anchor {
  const range = toLineRange(codeRange);
  return { uri: document.uri.toString(), range, anchorHash: codeHash(textOfLines(document, range)) };
}
