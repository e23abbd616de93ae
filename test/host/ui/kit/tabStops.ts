import type { Window } from './window.js';
import { webviewFrame } from './accessibility.js';

/** Exceeds the number of elements of any page. */
const maxStops = 150;

/** The tab stops of a webview; each is named by the beginning of its element's HTML. */
export interface TabStops {
  /** In the order reached. */
  readonly reached: readonly string[];
  /** Interactive elements that Tab never reaches. */
  readonly missed: readonly string[];
  /** Elements that look the same with and without the focus. */
  readonly unseen: readonly string[];
}

/** Runs in the webview: finds the focused element, also inside custom elements, and its styles. */
const tools = `(() => {
  const within = root => [...root.querySelectorAll('*')].flatMap(it => [it, ...(it.shadowRoot ? within(it.shadowRoot) : [])]);
  const takesInput = it => it.tabIndex >= 0 && !it.disabled && it.checkVisibility({ visibilityProperty: true })
    && it.matches('a[href], button, input, select, textarea, summary, [tabindex]');
  // From the one that has the focus outwards, as far as its custom element; and the row that a list says it is at.
  const focused = () => {
    const chain = [];
    for (let it = document.activeElement; it && it !== document.body; it = it.shadowRoot?.activeElement) chain.unshift(it);
    const around = chain.flatMap(it => (it.parentElement && chain.length > 1 ? [it, it.parentElement] : [it]));
    const row = chain[0]?.getRootNode().getElementById(chain[0].getAttribute('aria-activedescendant') ?? '');
    return row ? [...around, row] : around;
  };
  const looks = its => JSON.stringify(its.map(it => {
    const { outline, border, boxShadow, background, fill, stroke } = getComputedStyle(it);
    return [outline, border, boxShadow, background, fill, stroke];
  }));
  const nameOf = it => (it.getRootNode().host ?? it).outerHTML.replace(/\\s+/gu, ' ').slice(0, 120);
  const reached = new Set();
  const names = [];
  const unseen = [];
  let last;
  window.tabStops = {
    /** Notes where the focus is. @returns whether it is a place where it has not been */
    look() {
      const now = focused();
      if (last && looks(last.its) === last.looks && last.its[0] !== now[0]) unseen.push(nameOf(last.its[0]));
      last = undefined;
      if (!document.hasFocus() || now.length === 0 || reached.has(now[0])) return false;
      for (const it of now) reached.add(it);
      names.push(nameOf(now[0]));
      last = { its: now, looks: looks(now) };
      return true;
    },
    result() {
      const isReached = it => reached.has(it) || within(it.shadowRoot ?? it).some(inner => reached.has(inner))
        || (it.getRootNode().host !== undefined && reached.has(it.getRootNode().host));
      return { reached: names, missed: within(document).filter(it => takesInput(it) && !isReached(it)).map(nameOf), unseen };
    },
  };
})()`;

/** Presses Tab through the webview that shows, from where its focus is until it comes out of it or around. */
export async function walkByTab(window: Window): Promise<TabStops> {
  const frame = await webviewFrame(window);
  await frame.evaluate(tools);
  for (let i = 0; i < maxStops && (await frame.evaluate<boolean>('window.tabStops.look()')); i++) {
    await window.page.keyboard.press('Tab');
  }
  return frame.evaluate<TabStops>('window.tabStops.result()');
}
