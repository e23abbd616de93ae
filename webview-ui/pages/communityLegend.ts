import * as l10n from '@vscode/l10n';
import { html, nothing, svg } from 'lit';
import type { Formatter } from '../formatter.js';
import type { Community } from '../graph/communities.js';
import { communitySign, shapePath } from '../graph/communitySigns.js';

/** Of a circle; the other shapes have the same area. Half of the drawing is 8. */
const signRadius = 4.5;

interface CommunityLegend {
  readonly communities: readonly Community[];
  readonly chosen: Community | undefined;
  /** Memories that are in no community. */
  readonly loneCount: number;
  readonly onChoose: (community: Community) => void;
}

/** The communities of a graph, as buttons that choose them. */
export function communityLegend(
  formatter: Formatter,
  { communities, chosen, loneCount, onChoose }: CommunityLegend,
): unknown {
  return html`<ul class="legend communities" aria-label=${l10n.t('Groups')}>
    ${communities.map(
      it =>
        html`<li>
          <button
            class="community"
            aria-pressed=${it === chosen}
            @click=${() => {
              onChoose(it);
            }}
          >
            ${renderSign(it.index)}${it.name} <span class="count">${formatter.number(it.members.length)}</span>
          </button>
        </li>`,
    )}
    ${
      loneCount === 0
        ? nothing
        : html`<li class="community">
            ${renderSign(undefined)}${l10n.t('in no group')}
            <span class="count">${formatter.number(loneCount)}</span>
          </li>`
    }
  </ul>`;
}

/** The color and shape of a community. @param index undefined for what is in none */
export function renderSign(index: number | undefined): unknown {
  const { shape, colorClass } = communitySign(index);
  return html`<svg class="sign ${colorClass}" viewBox="-8 -8 16 16" aria-hidden="true">
    ${svg`<path d=${shapePath(shape, signRadius)}></path>`}
  </svg>`;
}
