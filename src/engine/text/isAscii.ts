/** Whether a text has only ASCII characters, as most have. */
export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
