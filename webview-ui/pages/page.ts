import type { NavigationTarget } from '../../src/protocol.js';

/** One tab of the inspector. */
export interface Page {
  /** Called when the page is shown. @param id of the trace or memory to show @param target where it was navigated to */
  open(id: string | undefined, target?: NavigationTarget): void;
  /** Called when memories changed while the page is shown. */
  refresh(): void;
  /** The current template, rendered at each update while the page is shown. */
  view(): unknown;
}
