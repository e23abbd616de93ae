import { showModal } from './messages.js';

interface Confirmation {
  readonly question: string;
  readonly detail: string;
  /** The label of the confirming button. VS Code adds Cancel. */
  readonly button: string;
  /** Sets the icon of the dialog. */
  readonly severity?: 'warning';
}

/** Asks in a modal dialog. @returns whether the person pressed the button */
export function confirmModal({ severity, ...dialog }: Confirmation): Promise<boolean> {
  return showModal(severity ?? 'information', dialog);
}
