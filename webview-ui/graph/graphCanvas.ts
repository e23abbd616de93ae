import type { EdgeType } from '../../src/engine/model/edge.js';
import type { CommunitySign } from './communitySigns.js';
import type { ArrowDirection, GraphLayout, GraphNode } from './graphLayout.js';

const edgeStyles: Readonly<Partial<Record<EdgeType, { readonly color: string; readonly dash: readonly number[] }>>> = {
  contradicts: { color: '--vscode-charts-red', dash: [5, 4] },
  supersedes: { color: '--orange', dash: [5, 4] },
};
const nodeRadius = 7;
/** Around the selected node; pixels. */
const selectionRing = { gap: 5, width: 2 } as const;
/** Of a memory that is not emphasized, and of its links. */
const dimmedOpacity = 0.15;
/** With more emphasized nodes, only the selected and the hovered one are labeled. */
const maxLabels = 40;
/** Pixels on the screen, at zooms of at least `minFullLabelZoom`. */
const labelSize = 12;
/** As a multiple of the font size. */
const lineHeight = 1.2;
const maxLabelLength = 32;
/** Room for the labels of the outermost nodes. */
const fitPadding = { x: 200, y: 80 } as const;
/** Factor of one press of a zoom key or button. */
export const zoomStep = 1.3;
const arrowDirections: Readonly<Record<string, ArrowDirection>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const zoomRange = { min: 0.15, max: 4 } as const;
/** At smaller zooms, labels shrink with the graph. */
const minFullLabelZoom = 0.8;
/** With reduced motion, how long the layout runs per frame. It is drawn once it is stable. */
const layoutSliceMs = 8;
/** Movement that turns a press into a drag; pixels. */
const dragThreshold = 4;

export interface GraphCanvasCallbacks {
  readonly onSelect: (id: string) => void;
  readonly onExpand: (id: string) => void;
  readonly isEdgeTypeVisible: (type: EdgeType) => boolean;
  readonly selectedId: () => string | undefined;
  readonly signOf: (id: string) => CommunitySign;
  /** The ids of the memories that are searched for or in the chosen community; undefined while all count the same. */
  readonly emphasizedIds: () => ReadonlySet<string> | undefined;
}

/** Draws a layout on a canvas in the theme's colors, with panning, zooming, hovering, dragging and keyboard control. */
export class GraphCanvas {
  private canvas: HTMLCanvasElement | undefined;
  private view = { x: 0, y: 0, zoom: 1 };
  /** Whether the view follows the layout: until the user pans or zooms. */
  private isAutoFit = true;
  private hovered: GraphNode | undefined;
  private drag:
    { readonly node: GraphNode | undefined; readonly x: number; readonly y: number; moved: boolean } | undefined;
  private animationFrame: number | undefined;
  private readonly reducedMotionQuery = window.matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    private readonly layout: GraphLayout,
    private readonly callbacks: GraphCanvasCallbacks,
  ) {
    // VS Code sets a theme's colors on the document element; a canvas does not redraw by itself.
    new MutationObserver(() => {
      this.draw();
    }).observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  }

  /** The `ref` callback of the canvas element, called after each render. */
  attach(element: Element | undefined): void {
    if (!(element instanceof HTMLCanvasElement)) return;
    if (element !== this.canvas) {
      this.canvas = element;
      element.addEventListener('pointerdown', this.onPointerDown);
      element.addEventListener('pointermove', this.onPointerMove);
      element.addEventListener('pointerup', this.onPointerUp);
      element.addEventListener('pointerleave', this.onPointerLeave);
      element.addEventListener('dblclick', this.onDoubleClick);
      element.addEventListener('keydown', this.onKeyDown);
      element.addEventListener('wheel', this.onWheel, { passive: false });
    }
    // At the first call the element is not in the document yet.
    requestAnimationFrame(() => {
      this.fitAndDraw();
    });
  }

  /** Runs the layout until it is stable, without animation when the user prefers reduced motion. */
  startLayout(alpha?: number): void {
    this.layout.reheat(alpha);
    this.animationFrame ??= requestAnimationFrame(this.animate);
  }

  zoom(factor: number): void {
    this.isAutoFit = false;
    this.view.zoom = Math.min(zoomRange.max, Math.max(zoomRange.min, this.view.zoom * factor));
    this.draw();
  }

  /** Centers and zooms to show all nodes, until the user pans or zooms. */
  fitToView(): void {
    this.isAutoFit = true;
    this.fitAndDraw();
  }

  /** Moves a node to the middle, and zooms in until its label can be read. */
  center(id: string): void {
    const node = this.layout.node(id);
    if (node === undefined) return;
    this.isAutoFit = false;
    this.view = { x: node.x ?? 0, y: node.y ?? 0, zoom: Math.max(minFullLabelZoom, this.view.zoom) };
    this.draw();
  }

  draw(): void {
    const { canvas } = this;
    const context = canvas?.getContext('2d');
    if (canvas === undefined || context === null || context === undefined || !canvas.isConnected) return;
    const ratio = window.devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(width / 2, height / 2);
    context.scale(this.view.zoom, this.view.zoom);
    context.translate(-this.view.x, -this.view.y);
    const color = createThemeColorLookup();
    this.drawLinks(context, color);
    this.drawNodes(context, color);
  }

  private fitAndDraw(): void {
    if (this.isAutoFit) this.fitView();
    this.draw();
  }

  private fitView(): void {
    const { nodes } = this.layout;
    if (this.canvas === undefined || nodes.length === 0) return;
    const xs = nodes.map(it => it.x ?? 0);
    const ys = nodes.map(it => it.y ?? 0);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const zoom = Math.min(
      this.canvas.clientWidth / (right - left + fitPadding.x),
      this.canvas.clientHeight / (bottom - top + fitPadding.y),
      1.5,
    );
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(zoomRange.min, zoom) };
  }

  private drawLinks(context: CanvasRenderingContext2D, color: (name: string) => string): void {
    const defaultColor = color('--vscode-foreground');
    const emphasizedIds = this.callbacks.emphasizedIds();
    for (const { source, target, edge } of this.layout.links) {
      if (!this.callbacks.isEdgeTypeVisible(edge.type)) continue;
      const edgeStyle = edgeStyles[edge.type];
      context.beginPath();
      context.strokeStyle = edgeStyle === undefined ? defaultColor : color(edgeStyle.color);
      const isDimmed = emphasizedIds?.has(source.id) === false || emphasizedIds?.has(target.id) === false;
      context.globalAlpha = (0.25 + 0.5 * edge.strength) * (isDimmed ? dimmedOpacity : 1);
      context.lineWidth = 0.5 + 2 * edge.strength;
      context.setLineDash([...(edgeStyle?.dash ?? [])]);
      context.moveTo(source.x ?? 0, source.y ?? 0);
      context.lineTo(target.x ?? 0, target.y ?? 0);
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  private drawNodes(context: CanvasRenderingContext2D, color: (name: string) => string): void {
    const { nodes } = this.layout;
    const selected = this.callbacks.selectedId();
    const emphasizedIds = this.callbacks.emphasizedIds();
    const textColor = color('--vscode-foreground');
    const backgroundColor = color('--vscode-editor-background');
    const focusColor = color('--vscode-focusBorder');
    const size = labelSize / Math.max(minFullLabelZoom, this.view.zoom);
    context.font = `${size}px ${color('--vscode-font-family')}`;
    context.textAlign = 'center';
    const isDimmed = (node: GraphNode): boolean => emphasizedIds?.has(node.id) === false;
    // Nothing dimmed covers what is emphasized.
    for (const node of [...nodes.filter(isDimmed), ...nodes.filter(it => !isDimmed(it))]) {
      const { memory, x = 0, y = 0 } = node;
      const { color: colorName, shape } = this.callbacks.signOf(node.id);
      const opacity = isDimmed(node) ? dimmedOpacity : 1;
      context.save();
      context.translate(x, y);
      context.beginPath();
      shape.draw(context, Math.PI * nodeRadiusOf(node) ** 2);
      // Opacity shows the confidence; a memory that is not active is an outline.
      context.fillStyle = backgroundColor;
      context.fill();
      context.globalAlpha =
        memory.status === 'active' ? opacity * (0.35 + 0.65 * (memory.effectiveConfidence / 100)) : 0;
      context.fillStyle = color(colorName);
      context.fill();
      context.globalAlpha = opacity;
      context.lineWidth = 1;
      context.strokeStyle = color(colorName);
      context.stroke();
      context.restore();
      if (node.id !== selected) continue;
      // With a gap, because a theme's focus color may be that of the node.
      context.beginPath();
      context.arc(x, y, nodeRadiusOf(node) + selectionRing.gap, 0, 2 * Math.PI);
      context.lineWidth = selectionRing.width;
      context.strokeStyle = focusColor;
      context.stroke();
    }
    context.lineWidth = size / 4;
    context.strokeStyle = backgroundColor;
    context.fillStyle = textColor;
    this.drawLabels(context, size * lineHeight);
  }

  /** Labels the selected and hovered nodes first, emphasized ones only where the label overlaps no other label or emphasized node. */
  private drawLabels(context: CanvasRenderingContext2D, height: number): void {
    const { nodes } = this.layout;
    const selected = this.callbacks.selectedId();
    const emphasizedIds = this.callbacks.emphasizedIds();
    const priorityNodes = nodes.filter(it => it.id === selected || it === this.hovered);
    const emphasizedNodes = nodes.filter(it => emphasizedIds?.has(it.id) !== false);
    const otherNodes = emphasizedNodes.filter(it => !priorityNodes.includes(it));
    const labeledNodes = otherNodes.length <= maxLabels ? [...priorityNodes, ...otherNodes] : priorityNodes;
    const placedLabels: { readonly x: number; readonly y: number; readonly width: number }[] = [];
    for (const node of labeledNodes) {
      const text = node.memory.summary;
      const label = text.length > maxLabelLength ? `${text.slice(0, maxLabelLength)}…` : text;
      const { x = 0, y: middle = 0 } = node;
      const { width } = context.measureText(label);
      const isFree = (y: number): boolean =>
        placedLabels.every(it => Math.abs(it.y - y) >= height || Math.abs(it.x - x) >= (it.width + width) / 2) &&
        emphasizedNodes.every(it => it === node || !overlapsLabel(it, { x, y: y - height / 3, width, height }));
      const extent = nodeRadiusOf(node) + (node.id === selected ? selectionRing.gap : 0);
      const [below, above] = [middle + extent + height, middle - extent - height / 2];
      const y = [below, above].find(isFree) ?? (priorityNodes.includes(node) ? below : undefined);
      if (y === undefined) continue;
      placedLabels.push({ x, y, width });
      context.strokeText(label, x, y);
      context.fillText(label, x, y);
    }
  }

  private readonly animate = (): void => {
    const isReducedMotion = this.reducedMotionQuery.matches || document.body.classList.contains('vscode-reduce-motion');
    const end = performance.now() + layoutSliceMs;
    let isMoving = this.layout.tick();
    while (isMoving && isReducedMotion && performance.now() < end) isMoving = this.layout.tick();
    if (!isMoving || !isReducedMotion || this.drag !== undefined) this.fitAndDraw();
    this.animationFrame = isMoving ? requestAnimationFrame(this.animate) : undefined;
  };

  /** Converts a point of the canvas to coordinates of the layout. */
  private toLayoutPoint({ offsetX, offsetY }: { readonly offsetX: number; readonly offsetY: number }): {
    x: number;
    y: number;
  } {
    const { clientWidth = 0, clientHeight = 0 } = this.canvas ?? {};
    return {
      x: (offsetX - clientWidth / 2) / this.view.zoom + this.view.x,
      y: (offsetY - clientHeight / 2) / this.view.zoom + this.view.y,
    };
  }

  private nodeAt(event: MouseEvent): GraphNode | undefined {
    const { x, y } = this.toLayoutPoint(event);
    return this.layout.nodes.findLast(it => Math.hypot((it.x ?? 0) - x, (it.y ?? 0) - y) <= nodeRadiusOf(it) + 3);
  }

  private readonly onPointerDown = (event: PointerEvent): void => {
    this.canvas?.setPointerCapture(event.pointerId);
    this.drag = { node: this.nodeAt(event), x: event.offsetX, y: event.offsetY, moved: false };
  };

  private readonly onPointerMove = (event: PointerEvent): void => {
    const { drag } = this;
    if (drag === undefined) {
      const hoveredNode = this.nodeAt(event);
      if (hoveredNode === this.hovered) return;
      this.hovered = hoveredNode;
      if (this.canvas !== undefined) this.canvas.title = hoveredNode?.memory.content ?? '';
      this.draw();
      return;
    }
    if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < dragThreshold) return;
    drag.moved = true;
    if (drag.node === undefined) {
      this.isAutoFit = false;
      this.view.x -= event.movementX / this.view.zoom;
      this.view.y -= event.movementY / this.view.zoom;
      this.draw();
    } else {
      const { x, y } = this.toLayoutPoint(event);
      drag.node.fx = x;
      drag.node.fy = y;
      this.startLayout(0.3);
    }
  };

  private readonly onPointerUp = (): void => {
    const { drag } = this;
    this.drag = undefined;
    if (drag?.node === undefined) return;
    drag.node.fx = null;
    drag.node.fy = null;
    if (!drag.moved) this.callbacks.onSelect(drag.node.id);
  };

  private readonly onPointerLeave = (): void => {
    this.hovered = undefined;
    this.draw();
  };

  private readonly onDoubleClick = (event: MouseEvent): void => {
    const node = this.nodeAt(event);
    if (node !== undefined) this.callbacks.onExpand(node.id);
  };

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    const direction = arrowDirections[event.key];
    const selected = this.callbacks.selectedId();
    if (direction !== undefined) {
      const next = this.layout.nodeInDirection(selected, direction);
      if (next !== undefined) this.callbacks.onSelect(next.id);
    } else if (event.key === 'Enter' && selected !== undefined) {
      if (!event.repeat) this.callbacks.onExpand(selected);
    } else if (event.key === '+' || event.key === '=') this.zoom(zoomStep);
    else if (event.key === '-') this.zoom(1 / zoomStep);
    else if (event.key === '0') this.fitToView();
    else return;
    event.preventDefault();
  };

  private readonly onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.isAutoFit = false;
    const before = this.toLayoutPoint(event);
    this.view.zoom = Math.min(zoomRange.max, Math.max(zoomRange.min, this.view.zoom * Math.exp(-event.deltaY / 400)));
    const after = this.toLayoutPoint(event);
    // The point under the pointer stays there.
    this.view.x += before.x - after.x;
    this.view.y += before.y - after.y;
    this.draw();
  };
}

function nodeRadiusOf({ memory }: GraphNode): number {
  return nodeRadius * (1 + memory.centrality);
}

/** Looks up CSS custom properties of the theme. Cached, because a lookup is slow. */
function createThemeColorLookup(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  const colorCache = new Map<string, string>();
  return name => {
    const color = colorCache.get(name) ?? style.getPropertyValue(name).trim();
    colorCache.set(name, color);
    return color;
  };
}

/** Whether a node's circle overlaps a label, given by its center. */
function overlapsLabel(
  node: GraphNode,
  label: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): boolean {
  const distance = { x: Math.abs((node.x ?? 0) - label.x), y: Math.abs((node.y ?? 0) - label.y) };
  return distance.x < label.width / 2 + nodeRadiusOf(node) && distance.y < label.height / 2 + nodeRadiusOf(node);
}
