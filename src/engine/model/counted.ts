/** `10,000`: a number as English writes it. */
export const grouped = (count: number): string => count.toLocaleString('en');

/** `1 memory`, `3 memories`: a number with its noun, in English. @param many where it is more than the noun with an s */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export const countedMemories = (count: number): string => counted(count, 'memory', 'memories');
