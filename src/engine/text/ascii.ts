/** Whether there is nothing in a text but ASCII, as in most: what is done for other scripts can be left out. */
export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
