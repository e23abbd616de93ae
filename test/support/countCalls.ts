import { Session } from 'node:inspector/promises';

/** How often the function of a name is called in this process while `work` runs, as V8 counts it. */
export async function countCalls(functionName: string, work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ranges = result.flatMap(it => it.functions.filter(named => named.functionName === functionName));
    // A bundle has a getter of the same name, which is shorter.
    const [longest] = ranges.flatMap(it => it.ranges).sort((a, b) => lengthOf(b) - lengthOf(a));
    return longest?.count ?? 0;
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function lengthOf({ startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number }): number {
  return endOffset - startOffset;
}
