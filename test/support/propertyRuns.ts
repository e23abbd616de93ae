/** Runs of a property: `RECOLLECT_PROPERTY_RUNS` for a long search, else what a test run has time for. */
export function propertyRuns(count: number): number {
  return Number(process.env.RECOLLECT_PROPERTY_RUNS ?? count);
}
