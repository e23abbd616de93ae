/** Topics: needs you, new this week, rules, facts and so on. `lasting`: how long memories last. */
export const explorerGroupings = ['topic', 'lasting'] as const;
export type ExplorerGrouping = (typeof explorerGroupings)[number];

/** Returns the default for any other value. */
export function parseExplorerGrouping(value: unknown): ExplorerGrouping {
  return explorerGroupings.find(it => it === value) ?? 'topic';
}

/** Which grouping takes the place of a value of the former setting `explorer.groupBy`. */
export function groupingOfFormerSetting(value: unknown): ExplorerGrouping {
  return value === 'decayClass' ? 'lasting' : 'topic';
}
