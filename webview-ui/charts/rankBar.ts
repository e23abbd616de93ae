import { svg } from 'lit';
import { html } from 'lit';
import type { RankPart } from '../../src/engine/model/trace.js';
import { rankPartLabels } from './rankPartLabels.js';

/** Width of the view box, which is stretched to the width of the element. */
const barUnits = 1_000;

/**
 * A candidate's rank as a stacked bar, with a segment per part.
 * @param maxRank the rank of a bar with full width
 */
export function rankBar(parts: readonly RankPart[], maxRank: number, label: string): unknown {
  let startX = 0;
  const segments = parts.map(({ name, value }) => {
    const width = maxRank > 0 ? (value / maxRank) * barUnits : 0;
    const segment = svg`<rect class="part-${name}" x=${startX} y="0" width=${width} height="10"><title>${rankPartLabels()[name]}: ${value.toFixed(3)}</title></rect>`;
    startX += width;
    return segment;
  });
  return html`<svg
    class="rank-bar"
    viewBox="0 0 ${barUnits} 10"
    preserveAspectRatio="none"
    role="img"
    aria-label=${label}
  >
    ${segments}
  </svg>`;
}
