import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import type { Window } from './window.js';

const axeSource = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The document of the webview in the active editor. */
export async function webviewFrame(window: Window): Promise<Frame> {
  const outer = await window.page.locator('iframe.webview.ready').elementHandle();
  const inner = await (await outer.contentFrame())?.waitForSelector('iframe#active-frame', { state: 'attached' });
  const frame = await inner?.contentFrame();
  if (frame === null || frame === undefined) throw new Error('No webview shows.');
  return frame;
}

/** The violations that axe finds in the webview, of any impact, one line each. */
export async function accessibilityProblems(window: Window): Promise<readonly string[]> {
  const frame = await webviewFrame(window);
  // Evaluated through the debugger, because the page's policy allows no other script.
  await frame.evaluate(axeSource);
  const { violations } = await frame.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.flatMap(it =>
    it.nodes.map(node => `${it.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  );
}
