import { showModal } from './messages.js';

interface Confirmation {
  readonly question: string;
  readonly detail: string;
  /** The label of the confirming button. VS Code adds Cancel. */
  readonly button: string;
  /** Sets the icon of the dialog. */
  readonly severity?: 'warning';
  /** A second button, which shows more and leaves the question without a yes. */
  readonly more?: { readonly title: string; readonly run: () => unknown };
}

/** Asks in a modal dialog. @returns whether the person pressed the confirming button */
export async function confirmModal({ severity, button, more, ...dialog }: Confirmation): Promise<boolean> {
  const buttons = more === undefined ? [button] : [button, more.title];
  const pressed = await showModal(severity ?? 'information', dialog, ...buttons);
  if (more !== undefined && pressed === more.title) await more.run();
  return pressed === button;
}
