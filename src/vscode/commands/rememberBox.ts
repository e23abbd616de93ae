import * as vscode from 'vscode';
import { isSecretRefusal } from '../../engine/model/engineMessages.js';
import { localizeText } from '../l10n/engineMessages.js';

export interface RememberQuestion {
  readonly title: string;
  readonly placeHolder: string;
  /** Shown at first, to be edited; remembered whole. */
  readonly text?: string;
}

export interface RememberAnswer {
  readonly text: string;
  readonly keep: 'asMemory' | 'encrypted';
}

/** A text that is not remembered yet, and why where it was refused, as a sentence of the engine. */
interface Draft {
  readonly text: string;
  readonly refusal?: string;
}

/**
 * The box that asks for the text of a memory. A text that would be refused stays in it, with the reason. One that was typed or sent is
 * kept until it is remembered, and shown when the box opens again, selected: typing replaces it.
 */
export class RememberBox {
  /** By the question. In memory alone: it may hold a secret. */
  private readonly drafts = new Map<string, Draft>();

  /** @param findRefusal returns why a text cannot be remembered, as a sentence of the engine; undefined where it may be */
  constructor(private readonly findRefusal: (text: string, isWhole: boolean) => string | undefined) {}

  /** @returns undefined where the person left, or typed nothing */
  ask(question: RememberQuestion): Promise<RememberAnswer | undefined> {
    const draft = this.drafts.get(keyOf(question));
    const first = draft?.text ?? question.text ?? '';
    const refusalOf = (text: string): string | undefined =>
      text.trim() === '' ? undefined : this.findRefusal(text, question.text !== undefined);
    const box = vscode.window.createInputBox();
    const shown = toOneLine(first);
    Object.assign(box, {
      title: question.title,
      placeholder: question.placeHolder,
      ignoreFocusOut: true,
      value: shown,
      ...(draft === undefined ? {} : { valueSelection: [0, shown.length] }),
    });
    const typed = (): string => (box.value === shown ? first : box.value);
    let refusal = draft?.refusal ?? refusalOf(first);
    showRefusal(box, refusal);
    return new Promise(resolve => {
      let isOpen = true;
      const answer = (keep?: RememberAnswer['keep']): void => {
        if (!isOpen) return;
        isOpen = false;
        // The text that the box was opened with needs no keeping.
        if (keep !== undefined || ![question.text ?? '', ''].includes(typed()))
          this.keepDraft(question, typed(), refusal);
        else this.discard(question);
        resolve(keep === undefined ? undefined : { text: typed(), keep });
        box.dispose();
      };
      box.onDidChangeValue(() => {
        refusal = refusalOf(typed());
        showRefusal(box, refusal);
      });
      box.onDidAccept(() => {
        if (refusal !== undefined) return;
        if (box.value === '') answer();
        else if (box.value.trim() === '') showProblem(box, vscode.l10n.t('Write the fact as a sentence.'));
        else answer('asMemory');
      });
      box.onDidTriggerButton(() => {
        answer('encrypted');
      });
      box.onDidHide(() => {
        answer();
      });
      box.show();
    });
  }

  /** Keeps a text for the next opening. @param refusal why the engine refused it, where it did */
  keepDraft(question: RememberQuestion, text: string, refusal?: string): void {
    this.drafts.set(keyOf(question), { text, ...(refusal === undefined ? {} : { refusal }) });
  }

  /** The text is remembered, or kept encrypted. */
  discard(question: RememberQuestion): void {
    this.drafts.delete(keyOf(question));
  }
}

/** Another text to edit is another question. */
function keyOf({ title, text = '' }: RememberQuestion): string {
  return `${title}\n${text}`;
}

/** A box has one line. */
function toOneLine(text: string): string {
  const lines = text.split('\n').map(it => it.trim());
  return lines.filter(it => it !== '').join(' ');
}

function showRefusal(box: vscode.InputBox, refusal: string | undefined): void {
  const isSecret = refusal !== undefined && isSecretRefusal(refusal);
  box.buttons = isSecret ? [{ iconPath: new vscode.ThemeIcon('lock'), tooltip: vscode.l10n.t('Keep Encrypted…') }] : [];
  if (refusal === undefined) {
    box.validationMessage = undefined;
    return;
  }
  const reason = localizeText(refusal);
  showProblem(box, isSecret ? `${reason} ${vscode.l10n.t('Or press the lock to keep it encrypted.')}` : reason);
}

function showProblem(box: vscode.InputBox, message: string): void {
  box.validationMessage = { message, severity: vscode.InputBoxValidationSeverity.Warning };
}
