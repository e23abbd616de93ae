import * as vscode from 'vscode';
import type { LocalizableMessage } from '../../engine/base/localizableMessage.js';
import { parseMessage } from '../../engine/model/engineMessages.js';
import type { FeatureName } from '../../engine/model/trace.js';

/** Localizes a message of the engine. Its patterns are in the l10n bundle. */
export function localize({ pattern, args }: LocalizableMessage): string {
  return vscode.l10n.t(
    pattern,
    ...args.map(it => {
      if (typeof it === 'number') return it.toLocaleString(vscode.env.language);
      return typeof it === 'string' ? it : localize(it);
    }),
  );
}

/**
 * Localizes a message of the engine that is stored as text: the reason of an edge or a refusal, what a recall lacked,
 * or a problem of a store. A text that a model or another version has written is returned unchanged.
 */
export function localizeText(text: string): string {
  const parsedMessage = parseMessage(text);
  return parsedMessage === undefined ? text : localize(parsedMessage);
}

/** One sentence per feature of the search. */
export function featureDescriptions(): Readonly<Record<FeatureName, string>> {
  return {
    words: vscode.l10n.t('BM25 of the words it shares with the question, relative to the best memory'),
    meaning: vscode.l10n.t(
      'cosine of its embedding with the question; of one that has none yet, what its words suggest',
    ),
    wordMeaning: vscode.l10n.t('each word of the question has one close in meaning in it, rare words counting more'),
    speaker: vscode.l10n.t('it was said by somebody the question names'),
    neighbours: vscode.l10n.t('words of the turns just before and after it match'),
    session: vscode.l10n.t('its whole conversation matches, relative to the best one'),
    answers: vscode.l10n.t("it follows another speaker's question that matches"),
    feedback: vscode.l10n.t('it resembles the best matches of a first pass'),
    date: vscode.l10n.t('it was made at the time that the question names'),
    instruction: vscode.l10n.t('it is a standing instruction, and few memories are'),
    preference: vscode.l10n.t('it states a preference close to the question'),
    when: vscode.l10n.t('the question asks when, and it names a time'),
    howMuch: vscode.l10n.t('the question asks how much, and it holds a number'),
    name: vscode.l10n.t('the question asks for a name, and it holds names'),
    asks: vscode.l10n.t('it ends with a question itself'),
    long: vscode.l10n.t('it is long, so that chance matches are likely'),
  };
}
