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
import { countLabel, formatInteger, kindLabel, storeLabel } from '../l10n/labels.js';
import { statusMessageMs, type UserNotification } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';

export interface RememberDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly config: CachedConfig;
}

export function registerRemember(dependencies: RememberDependencies): void {
  const { commands } = dependencies;
  commands.register(commandIds.remember, async () => {
    const content = await promptForContent(
      dependencies,
      vscode.l10n.t('Remember'),
      vscode.l10n.t('A fact, a preference or a decision, as a full sentence'),
    );
    if (content !== undefined) await rememberAndNotify(dependencies, { content });
  });
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

async function notifyOutcomes(
  dependencies: RememberDependencies,
  input: TypedFact,
  outcomes: readonly RememberOutcome[],
): Promise<void> {
  const refused = outcomes.find(it => it.outcome === 'refused');
  const accepted = outcomes.filter(it => it.outcome !== 'refused');
  const storedIds = accepted.filter(it => it.outcome === 'stored').map(it => it.id);
  const isPersonal = storedIds.length === 1 && findPersonalDataIn(input.content) !== undefined;
  const encrypt = {
    title: vscode.l10n.t('Keep Encrypted…'),
    run: (): unknown =>
      isPersonal
        ? vscode.commands.executeCommand(commandIds.encryptMemory, storedIds[0])
        : vscode.commands.executeCommand(commandIds.keepSensitive, input.content),
  };
  const habits = accepted.flatMap(it => (it.outcome === 'stored' && it.mayHoldEverywhere === true ? [it.id] : []));
  const moveToGlobal = {
    title: vscode.l10n.t('For All My Projects'),
    run: (): unknown => vscode.commands.executeCommand(commandIds.moveToGlobal, habits),
  };
  const isSecret = refused !== undefined && isSecretRefusal(refused.reason);
  const actions = [...(habits.length > 0 ? [moveToGlobal] : []), ...(isPersonal || isSecret ? [encrypt] : [])];
  if (refused === undefined) {
    const message = await describeOutcomes(dependencies, accepted);
    notifyStored(dependencies, storedIds, { message, topic: 'remembered', actions });
    return;
  }
  const refusal = vscode.l10n.t('Not remembered: {0}', localizeText(refused.reason));
  const message = accepted.length === 0 ? refusal : `${refusal} ${await describeOutcomes(dependencies, accepted)}`;
  notifyStored(dependencies, storedIds, { message, severity: 'warning', actions });
}

/** With an undo where anything new was stored. */
function notifyStored(
  { commands, engineHolder }: RememberDependencies,
  ids: readonly string[],
  notice: UserNotification,
): void {
  if (ids.length === 0) commands.notify(commandIds.remember, notice);
  else
    commands.notifyChange(commandIds.remember, engineHolder, notice, {
      name: 'remembered',
      ids,
      steps: [{ do: 'forget', ids }],
    });
}

async function describeOutcomes(
  { engineHolder }: RememberDependencies,
  outcomes: readonly Exclude<RememberOutcome, { outcome: 'refused' }>[],
): Promise<string> {
  const [firstOutcome] = outcomes;
  const [reason] = outcomes.flatMap(it => it.reason ?? []);
  const notes = [...(reason === undefined ? [] : [localizeText(reason)])].map(it => ` ${it}`);
  if (outcomes.length === 1 && firstOutcome !== undefined) {
    const { kind } = await (await engineHolder.engine()).get(firstOutcome.id);
    const { project } = firstOutcome;
    const place = project === undefined ? storeLabel(firstOutcome.store) : vscode.l10n.t('for {0}', project);
    const word = kindLabel(kind).toLowerCase();
    const alreadyKnown =
      firstOutcome.outcome === 'stored'
        ? vscode.l10n.t('Remembered as {0} ({1}).', word, place)
        : vscode.l10n.t('Known already as {0} ({1}); more certain now.', word, place);
    return alreadyKnown + notes.join('');
  }
  const alreadyKnown = outcomes.filter(it => it.outcome === 'reinforced').length;
  const stored = vscode.l10n.t('{0} remembered.', countLabel(outcomes.length - alreadyKnown, 'fact'));
  const repeated = alreadyKnown === 0 ? '' : ` ${vscode.l10n.t('Known already: {0}.', formatInteger(alreadyKnown))}`;
  return stored + repeated + notes.join('');
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
