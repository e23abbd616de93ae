import * as vscode from 'vscode';
import type { LocalizableMessage } from '../../engine/base/localizableMessage.js';
import { parseMessage } from '../../engine/model/engineMessages.js';
import type { RankingFeature } from '../../engine/model/rankingFeature.js';

/** Localizes a message of the engine. Its patterns are in the l10n bundle. A string is returned unchanged. */
export function localize(message: string | LocalizableMessage): string {
  if (typeof message === 'string') return message;
  const { pattern, args } = message;
  return vscode.l10n.t(
    pattern,
    ...args.map(it => (typeof it === 'number' ? it.toLocaleString(vscode.env.language) : localize(it))),
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
export function featureDescriptions(): Readonly<Record<RankingFeature | 'date', string>> {
  return {
    words: vscode.l10n.t(
      'BM25 of the words of the call that it has, its own counting twice as much as its search aids',
    ),
    wordsShare: vscode.l10n.t('the same, relative to the best memory'),
    wordsOfText: vscode.l10n.t('BM25 of the words of the question in its own text'),
    queryText: vscode.l10n.t('cosine of its embedding with the question'),
    alternativeText: vscode.l10n.t('cosine of its embedding with the closest alternative'),
    queryAid: vscode.l10n.t('words in common of the question and its closest own question'),
    alternativeAid: vscode.l10n.t('words in common of an alternative and its closest own question'),
    queryQuestion: vscode.l10n.t('cosine of its closest own question with the question'),
    alternativeQuestion: vscode.l10n.t('cosine of its closest own question with the closest alternative'),
    covered: vscode.l10n.t('share of the words of the question that it has'),
    queryTextToBest: vscode.l10n.t('how far it is behind the closest to the question'),
    bestMeaning: vscode.l10n.t('the best of its cosines'),
    age: vscode.l10n.t('how many of the others are older'),
    queryLength: vscode.l10n.t('length of the question'),
    logWords: vscode.l10n.t('logarithm of the BM25'),
    coveredIdf: vscode.l10n.t('share of the words of the question that it has, rare words counting more'),
    coveredIdfOfText: vscode.l10n.t('the same, in its own text'),
    coveredIdfWeighted: vscode.l10n.t('the same, of all words of the call'),
    meanMeaning: vscode.l10n.t('the mean of its cosines'),
    meaningToBest: vscode.l10n.t('how far it is behind the closest in meaning'),
    meaningToThird: vscode.l10n.t('how far it is before or behind the third closest in meaning'),
    wordsToThird: vscode.l10n.t('how far it is before or behind the third best by words'),
    wordsOfPossible: vscode.l10n.t('BM25 relative to the highest possible one'),
    date: vscode.l10n.t('it was made at the time that the question names'),
  };
}
