import { message } from '../base/localizableMessage.js';

/** Sentences that the command line shows in English and VS Code in the language of its reader. */
export const sharedMessages = {
  nothingRemembered: message`Nothing is remembered about this.`,
  nothingRequested: message`No assistant and no member of a team wants anything decided.`,
  nothingMisplaced: message`Nothing that is kept for all projects looks like it belongs to one.`,
  noPlanToReview: message`No plan is overdue or has faded.`,
  noChangedImport: message`No imported file has changed.`,
  modelUnusable: message`The language model answered, but not as it was asked to. Choose another one.`,
  gitKeepsHistory: message`The history of git keeps what was committed.`,
} as const;
