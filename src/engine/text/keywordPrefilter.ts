/** A rule that is only tried on texts that contain one of its keywords. */
export interface KeywordRule {
  /**
   * Lower-case literals, at least one of which occurs in every text that the rule's pattern matches. A rule without
   * keywords is always tried: its pattern starts at `^`, or most texts would pass.
   */
  readonly keywords?: readonly string[];
}

/** False if the rule's pattern matches nothing in a text. `foldedText` is the text after {@link foldCase}. */
export function mayMatch(rule: KeywordRule, foldedText: string): boolean {
  return rule.keywords?.some(it => foldedText.includes(it)) ?? true;
}

/** The text in lower case, with every letter that a pattern with the flags `iu` takes for an ASCII letter as that letter. */
export function foldCase(text: string): string {
  return text.toLowerCase().replace(/ſ/g, 's');
}
