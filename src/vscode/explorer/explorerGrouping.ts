export const explorerGroupings = ['gate', 'decayClass', 'temperature'] as const;
export type ExplorerGrouping = (typeof explorerGroupings)[number];

/** Returns the default for any other value. */
export function parseExplorerGrouping(value: unknown): ExplorerGrouping {
  return explorerGroupings.find(it => it === value) ?? 'gate';
}
