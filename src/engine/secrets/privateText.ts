import { findPersonalData } from './personalData.js';
import { findSecret } from './secretScanner.js';

/** Whether a text holds a secret, or personal data of the usual kinds. */
export function isPrivateText(text: string): boolean {
  return findSecret(text) !== undefined || findPersonalData(text) !== undefined;
}
