import type { Frame, Page } from 'playwright-core';
import type { Figures } from './report.js';

/** What a window drew while something was done in it. */
export interface FrameTimings {
  /** Milliseconds from one frame to the next, the shortest first. */
  readonly frames: readonly number[];
  /** Milliseconds of the longest piece of script or layout that kept the window from drawing; 0 where none took 50. */
  readonly longestTask: number;
}

/** Watches the frames of a window or of a webview in it while `work` is done. */
export async function measureFrames(target: Page | Frame, work: () => Promise<unknown>): Promise<FrameTimings> {
  await target.evaluate(`(() => {
    const seen = window.recollectSeen = { frames: [], longestTask: 0 };
    seen.observer = new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) seen.longestTask = Math.max(seen.longestTask, duration);
    });
    seen.observer.observe({ type: 'longtask' });
    let last;
    const next = now => {
      if (last !== undefined) seen.frames.push(now - last);
      last = now;
      seen.request = requestAnimationFrame(next);
    };
    seen.request = requestAnimationFrame(next);
  })()`);
  await work();
  const { frames, longestTask } = await target.evaluate<FrameTimings>(`(() => {
    const { frames, longestTask, observer, request } = window.recollectSeen;
    observer.disconnect();
    cancelAnimationFrame(request);
    return { frames, longestTask };
  })()`);
  return { frames: [...frames].sort((a, b) => a - b), longestTask };
}

/** The figures of what was drawn, by the name of what was done. */
export function frameFigures(name: string, { frames, longestTask }: FrameTimings): Figures {
  return {
    [`${name}, frame p50, ms`]: quantile(frames, 0.5),
    [`${name}, frame p95, ms`]: quantile(frames, 0.95),
    [`${name}, longest frame, ms`]: frames.at(-1) ?? 0,
    [`${name}, longest task, ms`]: longestTask,
  };
}

/** @param sorted ascending */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
