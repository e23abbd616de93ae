import * as vscode from 'vscode';
import type { RememberOutcome } from '../../engine/model/change.js';
import type { Anchor } from '../../engine/model/memory.js';
import type { RememberInput } from '../../engine/model/remember.js';
import { commandIds } from '../contributions.js';
import { declarationAround, declarationNamed, linesOf, rangeText, type Declaration } from '../editor/declarations.js';
import { codeHash } from '../../engine/base/codeHash.js';
import { translatedText } from '../engineWords.js';
import type { LiveConfig } from '../host.js';
import type { MemorySession } from '../session.js';
import { contradictionWord, counted, countWord, kindWord, storeWord } from '../words.js';
import type { Commands } from './registry.js';

export interface RememberParts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly config: LiveConfig;
}

export function registerRemember(parts: RememberParts): void {
  const { commands } = parts;
  commands.register(commandIds.remember, async () => {
    const content = await ask(
      parts,
      vscode.l10n.t('Remember'),
      vscode.l10n.t('A fact, a preference or a decision, as a full sentence'),
    );
    if (content !== undefined) await remember(parts, { content });
  });
  commands.register(commandIds.rememberSelection, () => rememberSelection(parts));
  commands.register(commandIds.rememberSymbol, (uri, name, line) => rememberSymbol(parts, uri, name, line));
}

async function rememberSelection(parts: RememberParts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) {
    vscode.window.setStatusBarMessage(vscode.l10n.t('Select the text to remember first.'), 4_000);
    return;
  }
  const { document, selection } = editor;
  const around = await declarationAround(document, selection);
  const place = placeOf(document, selection);
  const anchor: Anchor = around === undefined ? place : { ...place, symbol: around.name };
  await remember(parts, { content: document.getText(selection), whole: true, ...anchor });
}

async function rememberSymbol(parts: RememberParts, uri: unknown, name: unknown, line: unknown): Promise<void> {
  if (typeof uri !== 'string' || typeof name !== 'string' || typeof line !== 'number') return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const content = await ask(
    parts,
    vscode.l10n.t('Remember about {0}', name),
    vscode.l10n.t('What should be known about it, as a full sentence'),
  );
  if (content === undefined) return;
  // Looked up only now: the code may have moved while the person was typing.
  const declaration = await declarationNamed(document, name, line);
  const anchor: Anchor =
    declaration === undefined
      ? { uri, range: { startLine: line, endLine: line + 1 }, symbol: name }
      : anchorOf(document, declaration);
  await remember(parts, { content, ...anchor });
}

/** Asks for a text that can be remembered. */
function ask({ config }: RememberParts, title: string, placeHolder: string): Thenable<string | undefined> {
  const { maxCharacters } = config.get().remember;
  return vscode.window
    .showInputBox({
      title,
      placeHolder,
      ignoreFocusOut: true,
      validateInput: text => {
        // The engine decides in the end; this says at once what is certain.
        if (text !== '' && text.trim() === '') return vscode.l10n.t('Write the fact as a sentence.');
        if (text.length > maxCharacters)
          return vscode.l10n.t('A memory holds at most {0} characters.', countWord(maxCharacters));
        return undefined;
      },
    })
    .then(text => (text === undefined || text.trim() === '' ? undefined : text));
}

async function remember(parts: RememberParts, input: Omit<RememberInput, 'source' | 'lane'>): Promise<void> {
  const { commands, session } = parts;
  const engine = await session.engine();
  const outcomes = await engine.remember({ ...input, source: 'explicit', lane: 'confirmed' });
  const refused = outcomes.find(it => it.outcome === 'refused');
  const kept = outcomes.filter(it => it.outcome !== 'refused');
  const stored = kept.filter(it => it.outcome === 'stored').map(it => it.id);
  const undo = async (): Promise<void> => {
    for (const id of stored) await (await session.engine()).forget(id);
  };
  const actions = stored.length > 0 ? [{ title: vscode.l10n.t('Undo'), run: undo }] : [];
  if (refused === undefined) {
    commands.tell(commandIds.remember, { message: await said(parts, kept), topic: 'remembered', actions });
    return;
  }
  const not = vscode.l10n.t('Not remembered: {0}', translatedText(refused.reason));
  const message = kept.length === 0 ? not : `${not} ${await said(parts, kept)}`;
  commands.tell(commandIds.remember, { message, severity: 'warning', actions });
}

async function said(
  { session }: RememberParts,
  kept: readonly Exclude<RememberOutcome, { outcome: 'refused' }>[],
): Promise<string> {
  const [only] = kept;
  const contradicts = kept.flatMap(it => it.contradicts ?? []);
  const conflict = contradicts.length === 0 ? '' : ` ${contradictionWord(contradicts)}`;
  if (kept.length === 1 && only !== undefined) {
    const { kind } = await (await session.engine()).get(only.id);
    const [word, place] = [kindWord(kind).toLowerCase(), storeWord(only.store)];
    const known =
      only.outcome === 'stored'
        ? vscode.l10n.t('Remembered as {0} ({1}).', word, place)
        : vscode.l10n.t('Known already as {0} ({1}); more certain now.', word, place);
    return known + conflict;
  }
  const known = kept.filter(it => it.outcome === 'reinforced').length;
  const stored = vscode.l10n.t('{0} remembered.', counted(kept.length - known, 'fact'));
  const repeated = known === 0 ? '' : ` ${vscode.l10n.t('Known already: {0}.', countWord(known))}`;
  return stored + repeated + conflict;
}

function anchorOf(document: vscode.TextDocument, declaration: Declaration): Anchor {
  return { ...placeOf(document, declaration.range), symbol: declaration.name };
}

function placeOf(document: vscode.TextDocument, of: vscode.Range): Anchor {
  const range = linesOf(of);
  return { uri: document.uri.toString(), range, anchorHash: codeHash(rangeText(document, range)) };
}
