/** Two at a time, for a process is slow to begin. The results are in the order of the items. */
export async function pairwise<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all([worker(), worker()]);
  return results;
}
