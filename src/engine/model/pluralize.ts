/** `10,000`: a number as English writes it. */
export const formatNumber = (count: number): string => count.toLocaleString('en');

/** `1 memory`, `3 memories`: a number with its noun, in English. @param plural where it is more than the noun with an s */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

export const formatMemoryCount = (count: number): string => pluralize(count, 'memory', 'memories');
