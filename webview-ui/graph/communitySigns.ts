import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolTriangle,
  type SymbolType,
} from 'd3-shape';

/** CSS custom properties. style.css has a class `community-N` for each. */
const colors = [
  '--vscode-charts-blue',
  '--orange',
  '--vscode-charts-green',
  '--vscode-charts-purple',
  '--vscode-charts-yellow',
  '--vscode-charts-red',
] as const;
/** One fewer than the colors, so that thirty communities differ in one or the other. */
const shapes: readonly SymbolType[] = [symbolCircle, symbolTriangle, symbolSquare, symbolDiamond, symbolCross];

/** How a memory is drawn: by the color and the shape of its community. */
export interface CommunitySign {
  readonly color: string;
  readonly colorClass: string;
  readonly shape: SymbolType;
}

/** Of a memory that is in no community. */
const plainSign: CommunitySign = { color: '--vscode-foreground', colorClass: 'community-none', shape: symbolCircle };

/** @param index of the community; undefined for a memory that is in none */
export function communitySign(index: number | undefined): CommunitySign {
  if (index === undefined) return plainSign;
  const color = index % colors.length;
  return { color: colors[color]!, colorClass: `community-${color}`, shape: shapes[index % shapes.length]! };
}

/** The path of a shape with the area of a circle of this radius, around the origin. */
export function shapePath(shape: SymbolType, radius: number): string {
  return symbol(shape, Math.PI * radius ** 2)() ?? '';
}
