/**
 * Whether a key belongs to the composition of a text, as Enter does that takes over what an input method offers. Safari sends
 * the key that ends a composition after its end, as key 229.
 */
export function isComposing(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else says it.
  return event.isComposing || event.keyCode === 229;
}

/** What Enter and the space bar press. */
const pressable = 'button, vscode-button, vscode-checkbox';

/** Whether a key that is held down would press a button again. */
export function isRepeatedPress({ key, repeat, target }: KeyboardEvent): boolean {
  return repeat && (key === 'Enter' || key === ' ') && target instanceof Element && target.matches(pressable);
}
