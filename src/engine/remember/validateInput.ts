import { parseCalendarDate } from '../base/calendarDate.js';
import { EngineError } from '../base/errors.js';
import { LocalizableMessage, message } from '../base/localizableMessage.js';
import type { Config } from '../model/config.js';
import { defaultPriority } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { messageTemplates } from '../model/engineMessages.js';
import { findSecret } from '../secrets/secretScanner.js';
import { validateSetName } from '../text/setName.js';
import { validateText } from '../text/validateText.js';

/** As long as a URI may be; nothing else in the provenance is longer. In UTF-16 units. */
const maxFieldLength = 2_000;
const textFields = [
  'scopeId',
  'session',
  'uri',
  'symbol',
  'anchorHash',
  'branch',
  'commit',
  'turn',
  'on',
  'said',
  'reason',
  'file',
  'author',
] as const;

/**
 * Checks everything about a text but the text itself, and returns the tags as they are kept: trimmed, lower case, each
 * once.
 * @throws EngineError invalidInput
 */
export function validateInput(input: RememberInput, limits: Config['remember']): readonly string[] {
  rejectPermanent(input);
  if (input.at !== undefined && parseCalendarDate(input.at) === undefined) {
    throw new EngineError(
      'invalidInput',
      message`at must be a date such as 2026-03-01T12:00:00Z; it was "${input.at}".`,
    );
  }
  const { priority = defaultPriority } = input;
  if (!Number.isInteger(priority) || priority < 1 || priority > 10) {
    throw new EngineError('invalidInput', message`priority must be a whole number from 1 to 10; it was ${priority}.`);
  }
  for (const name of textFields) {
    const value = input[name];
    if (value !== undefined && value !== '') validateField(name, value, maxFieldLength);
  }
  validateSetName(input.scopeId ?? '');
  return validateTags(input.tags ?? [], limits);
}

function validateTags(tags: readonly string[], limits: Config['remember']): string[] {
  const normalizedTags = [...new Set(tags.map(it => it.trim().toLowerCase()).filter(it => it !== ''))];
  if (normalizedTags.length > limits.maxTags) {
    throw new EngineError(
      'invalidInput',
      message`${normalizedTags.length} tags are too many; give at most ${limits.maxTags}.`,
    );
  }
  for (const [index, tag] of normalizedTags.entries())
    validateField(message`Tag ${index + 1} of ${normalizedTags.length}`, tag, limits.maxTagCharacters);
  return normalizedTags;
}

/** Whether a value may be stored with a memory's text: plain, not empty, without a secret. */
export function isStorableField(value: string, maxCharacters: number = maxFieldLength): boolean {
  return value.length <= maxCharacters && validateText(value, maxCharacters).ok && findSecret(value) === undefined;
}

function validateField(name: string | LocalizableMessage, value: string, maxCharacters: number): void {
  if (value.length > maxCharacters || !validateText(value, maxCharacters).ok) {
    throw new EngineError('invalidInput', message`${name} must be plain text of at most ${maxCharacters} characters.`);
  }
  const secret = findSecret(value);
  if (secret !== undefined)
    throw new EngineError(
      'invalidInput',
      message`${name}: ${new LocalizableMessage(messageTemplates.secret, [secret.label])}`,
    );
}

function rejectPermanent(input: RememberInput): void {
  if (input.decayClass === 'permanent' && input.lane !== 'confirmed') {
    throw new EngineError(
      'invalidInput',
      'Only a person can make a memory permanent. Leave the decay class out, or pin it by hand.',
    );
  }
}
