import type { KeywordRule } from '../text/keywordPrefilter.js';

/**
 * A pattern for one kind of secret. The formats are published by the providers (and collected by gitleaks, secretlint
 * and GitHub's secret scanning). Every pattern has a fixed prefix or keyword and bounded repetitions, so that matching
 * stays linear in the length of the text.
 */
export interface SecretRule extends KeywordRule {
  /** The kind of secret, as messages name it. */
  readonly label: string;
  /** Global. The secret itself is the group `secret` where there is one, else the whole match. */
  readonly pattern: RegExp;
  /** Checks the secret itself, if the pattern alone also matches harmless text. */
  readonly validate?: (secret: string) => boolean;
}

/** A secret that is known by the name before or after it. */
export interface NamedSecret {
  readonly label: 'password' | 'API key';
  readonly start: number;
  readonly end: number;
}
