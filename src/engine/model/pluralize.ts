/** Formats a number in English: `10,000`. */
export const formatNumber = (count: number): string => count.toLocaleString('en');

/**
 * Formats a count with its noun in English: `1 memory`, `3 memories`.
 * @param plural default: the singular with an s
 */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

export const formatMemoryCount = (count: number): string => pluralize(count, 'memory', 'memories');
