import { svg } from 'lit';
import { html } from 'lit';
import type { RankPart } from '../../src/engine/model/trace.js';
import { partNames } from './partNames.js';

/** Units across; a bar is drawn in them and stretched to its place. */
const across = 1_000;

/**
 * A candidate's rank as a bar: one segment per part, as wide as its share of the longest bar.
 * @param scale the rank whose bar is as wide as its place
 */
export function rankBar(parts: readonly RankPart[], scale: number, label: string): unknown {
  let from = 0;
  const segments = parts.map(({ name, value }) => {
    const width = scale > 0 ? (value / scale) * across : 0;
    const segment = svg`<rect class="part-${name}" x=${from} y="0" width=${width} height="10"><title>${partNames()[name]}: ${value.toFixed(3)}</title></rect>`;
    from += width;
    return segment;
  });
  return html`<svg
    class="rank-bar"
    viewBox="0 0 ${across} 10"
    preserveAspectRatio="none"
    role="img"
    aria-label=${label}
  >
    ${segments}
  </svg>`;
}
