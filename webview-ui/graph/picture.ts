import type { EdgeType } from '../../src/engine/model/edge.js';
import type { Gate } from '../../src/engine/model/memory.js';
import type { Direction, GraphLayout, GraphNode } from './layout.js';

const gateColors: Readonly<Record<Gate, string>> = {
  correction: '--vscode-charts-red',
  behavioral: '--orange',
  epistemic: '--vscode-charts-blue',
  relational: '--vscode-charts-green',
  promissory: '--vscode-charts-purple',
};
/** What stands against each other is red and dashed; what replaces is dashed as well. */
const edgeLooks: Readonly<Partial<Record<EdgeType, { readonly color: string; readonly dash: readonly number[] }>>> = {
  contradicts: { color: '--vscode-charts-red', dash: [5, 4] },
  supersedes: { color: '--orange', dash: [5, 4] },
};
const nodeRadius = 7;
/** Around the chosen memory. */
const ring = { gap: 3.5, width: 2 } as const;
/** Up to so many nodes every one has its words where there is room; beyond, only the one that is chosen or pointed at. */
const mostLabels = 40;
/** Pixels on the screen, at any zoom that words can be read at. */
const labelSize = 12;
/** Of a line of words, as a multiple of their size. */
const lineHeight = 1.2;
const labelCharacters = 32;
/** Around everything, for the words of the memories at the edge. */
const rim = { x: 200, y: 80 } as const;
/** What the keys and buttons zoom by. */
export const zoomStep = 1.3;
const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const zooms = { least: 0.15, most: 4 } as const;
/** Where a picture is this small, words shrink with it. */
const wordsShrinkBelow = 0.8;
/** Where nothing may move by itself, the layout runs for so long between two frames, and is drawn when it is done. */
const sliceMs = 8;
/** Of the pointer, before a press becomes a drag; pixels. */
const slack = 4;

export interface PictureEvents {
  readonly onSelect: (id: string) => void;
  readonly onExpand: (id: string) => void;
  readonly shows: (type: EdgeType) => boolean;
  readonly selected: () => string | undefined;
}

/** Draws a layout on a canvas in the theme's colours, and lets it be moved, zoomed and pointed at. */
export class GraphPicture {
  private canvas: HTMLCanvasElement | undefined;
  private view = { x: 0, y: 0, zoom: 1 };
  /** The view follows the layout, until a person moves it. */
  private fits = true;
  private hovered: GraphNode | undefined;
  private held:
    { readonly node: GraphNode | undefined; readonly x: number; readonly y: number; moved: boolean } | undefined;
  private frame: number | undefined;
  private readonly calm = window.matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    private readonly layout: GraphLayout,
    private readonly events: PictureEvents,
  ) {
    // VS Code writes a theme's colours onto the document; a canvas does not notice by itself.
    new MutationObserver(() => {
      this.draw();
    }).observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  }

  /** To be called with the canvas whenever it has been drawn into the page. */
  attach(element: Element | undefined): void {
    if (!(element instanceof HTMLCanvasElement)) return;
    if (element !== this.canvas) {
      this.canvas = element;
      element.addEventListener('pointerdown', this.press);
      element.addEventListener('pointermove', this.move);
      element.addEventListener('pointerup', this.release);
      element.addEventListener('pointerleave', this.leave);
      element.addEventListener('dblclick', this.expand);
      element.addEventListener('keydown', this.key);
      element.addEventListener('wheel', this.wheel, { passive: false });
    }
    // It is not in the page yet when it is first told of.
    requestAnimationFrame(() => {
      this.show();
    });
  }

  /** Lets the layout run until it is still; unseen for a person who wants no motion. */
  run(alpha?: number): void {
    this.layout.warm(alpha);
    this.frame ??= requestAnimationFrame(this.animate);
  }

  zoom(by: number): void {
    this.fits = false;
    this.view.zoom = Math.min(zooms.most, Math.max(zooms.least, this.view.zoom * by));
    this.draw();
  }

  /** Everything in the middle, as large as it fits, until a person looks elsewhere. */
  fit(): void {
    this.fits = true;
    this.show();
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
    const color = themeColors();
    this.drawLinks(context, color);
    this.drawNodes(context, color);
  }

  private show(): void {
    if (this.fits) this.lookAtAll();
    this.draw();
  }

  private lookAtAll(): void {
    const { nodes } = this.layout;
    if (this.canvas === undefined || nodes.length === 0) return;
    const xs = nodes.map(it => it.x ?? 0);
    const ys = nodes.map(it => it.y ?? 0);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const zoom = Math.min(
      this.canvas.clientWidth / (right - left + rim.x),
      this.canvas.clientHeight / (bottom - top + rim.y),
      1.5,
    );
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(zooms.least, zoom) };
  }

  private drawLinks(context: CanvasRenderingContext2D, color: (name: string) => string): void {
    const usual = color('--vscode-foreground');
    for (const { source, target, edge } of this.layout.links) {
      if (!this.events.shows(edge.type)) continue;
      const look = edgeLooks[edge.type];
      context.beginPath();
      context.strokeStyle = look === undefined ? usual : color(look.color);
      context.globalAlpha = 0.25 + 0.5 * edge.strength;
      context.lineWidth = 0.5 + 2 * edge.strength;
      context.setLineDash([...(look?.dash ?? [])]);
      context.moveTo(source.x ?? 0, source.y ?? 0);
      context.lineTo(target.x ?? 0, target.y ?? 0);
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  private drawNodes(context: CanvasRenderingContext2D, color: (name: string) => string): void {
    const { nodes } = this.layout;
    const selected = this.events.selected();
    const words = color('--vscode-foreground');
    const ground = color('--vscode-editor-background');
    const focus = color('--vscode-focusBorder');
    const size = labelSize / Math.max(wordsShrinkBelow, this.view.zoom);
    context.font = `${size}px ${color('--vscode-font-family')}`;
    context.textAlign = 'center';
    for (const node of nodes) {
      const { memory, x = 0, y = 0 } = node;
      context.beginPath();
      context.arc(x, y, radius(node), 0, 2 * Math.PI);
      // The surer, the fuller; what is no longer in use is a ring.
      context.fillStyle = ground;
      context.fill();
      context.globalAlpha = memory.status === 'active' ? 0.35 + 0.65 * (memory.effectiveConfidence / 100) : 0;
      context.fillStyle = color(gateColors[memory.gate]);
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 1;
      context.strokeStyle = color(gateColors[memory.gate]);
      context.stroke();
      if (node.id !== selected) continue;
      // Apart from the circle, because a theme's focus may be as blue as the memory.
      context.beginPath();
      context.arc(x, y, radius(node) + ring.gap, 0, 2 * Math.PI);
      context.lineWidth = ring.width;
      context.strokeStyle = focus;
      context.stroke();
    }
    context.lineWidth = size / 4;
    context.strokeStyle = ground;
    context.fillStyle = words;
    this.drawLabels(context, size * lineHeight);
  }

  /** The chosen one's words first; those of others below or above them, only where they cover no words and no memory. */
  private drawLabels(context: CanvasRenderingContext2D, height: number): void {
    const { nodes } = this.layout;
    const selected = this.events.selected();
    const first = nodes.filter(it => it.id === selected || it === this.hovered);
    const wanted = nodes.length <= mostLabels ? [...first, ...nodes.filter(it => !first.includes(it))] : first;
    const taken: { readonly x: number; readonly y: number; readonly width: number }[] = [];
    for (const node of wanted) {
      const text = node.memory.summary;
      const label = text.length > labelCharacters ? `${text.slice(0, labelCharacters)}…` : text;
      const { x = 0, y: middle = 0 } = node;
      const { width } = context.measureText(label);
      const isFree = (y: number): boolean =>
        taken.every(it => Math.abs(it.y - y) >= height || Math.abs(it.x - x) >= (it.width + width) / 2) &&
        nodes.every(it => it === node || !reaches(it, { x, y: y - height / 3, width, height }));
      const [below, above] = [middle + radius(node) + height, middle - radius(node) - height / 2];
      const y = [below, above].find(isFree) ?? (first.includes(node) ? below : undefined);
      if (y === undefined) continue;
      taken.push({ x, y, width });
      context.strokeText(label, x, y);
      context.fillText(label, x, y);
    }
  }

  private readonly animate = (): void => {
    const isCalm = this.calm.matches || document.body.classList.contains('vscode-reduce-motion');
    const end = performance.now() + sliceMs;
    let moves = this.layout.step();
    while (moves && isCalm && performance.now() < end) moves = this.layout.step();
    if (!moves || !isCalm || this.held !== undefined) this.show();
    this.frame = moves ? requestAnimationFrame(this.animate) : undefined;
  };

  /** A point of the canvas in the layout's own measure. */
  private place({ offsetX, offsetY }: { readonly offsetX: number; readonly offsetY: number }): {
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
    const { x, y } = this.place(event);
    return this.layout.nodes.findLast(it => Math.hypot((it.x ?? 0) - x, (it.y ?? 0) - y) <= radius(it) + 3);
  }

  private readonly press = (event: PointerEvent): void => {
    this.canvas?.setPointerCapture(event.pointerId);
    this.held = { node: this.nodeAt(event), x: event.offsetX, y: event.offsetY, moved: false };
  };

  private readonly move = (event: PointerEvent): void => {
    const { held } = this;
    if (held === undefined) {
      const over = this.nodeAt(event);
      if (over === this.hovered) return;
      this.hovered = over;
      if (this.canvas !== undefined) this.canvas.title = over?.memory.content ?? '';
      this.draw();
      return;
    }
    if (!held.moved && Math.hypot(event.offsetX - held.x, event.offsetY - held.y) < slack) return;
    held.moved = true;
    if (held.node === undefined) {
      this.fits = false;
      this.view.x -= event.movementX / this.view.zoom;
      this.view.y -= event.movementY / this.view.zoom;
      this.draw();
    } else {
      const { x, y } = this.place(event);
      held.node.fx = x;
      held.node.fy = y;
      this.run(0.3);
    }
  };

  private readonly release = (): void => {
    const { held } = this;
    this.held = undefined;
    if (held?.node === undefined) return;
    held.node.fx = null;
    held.node.fy = null;
    if (!held.moved) this.events.onSelect(held.node.id);
  };

  private readonly leave = (): void => {
    this.hovered = undefined;
    this.draw();
  };

  private readonly expand = (event: MouseEvent): void => {
    const node = this.nodeAt(event);
    if (node !== undefined) this.events.onExpand(node.id);
  };

  private readonly key = (event: KeyboardEvent): void => {
    const direction = directions[event.key];
    const selected = this.events.selected();
    if (direction !== undefined) {
      const next = this.layout.next(selected, direction);
      if (next !== undefined) this.events.onSelect(next.id);
    } else if (event.key === 'Enter' && selected !== undefined) this.events.onExpand(selected);
    else if (event.key === '+' || event.key === '=') this.zoom(zoomStep);
    else if (event.key === '-') this.zoom(1 / zoomStep);
    else if (event.key === '0') this.fit();
    else return;
    event.preventDefault();
  };

  private readonly wheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.fits = false;
    const before = this.place(event);
    this.view.zoom = Math.min(zooms.most, Math.max(zooms.least, this.view.zoom * Math.exp(-event.deltaY / 400)));
    const after = this.place(event);
    // What is under the pointer stays there.
    this.view.x += before.x - after.x;
    this.view.y += before.y - after.y;
    this.draw();
  };
}

/** The more central, the larger. */
function radius({ memory }: GraphNode): number {
  return nodeRadius * (1 + memory.centrality);
}

/** The theme's colours by the names of their properties; each is looked up once, because that takes time. */
function themeColors(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return name => {
    const color = known.get(name) ?? style.getPropertyValue(name).trim();
    known.set(name, color);
    return color;
  };
}

/** Whether a memory's circle lies under words that are centred at a point. */
function reaches(
  node: GraphNode,
  words: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): boolean {
  const apart = { x: Math.abs((node.x ?? 0) - words.x), y: Math.abs((node.y ?? 0) - words.y) };
  return apart.x < words.width / 2 + radius(node) && apart.y < words.height / 2 + radius(node);
}
