/** A block is a multiple of this: one that is given back fits most of what comes next. */
const blockBytes = 16_384;
/** Blocks that nothing is in, kept for what comes next. */
const spareAtMost = 8;
/** Values written down at once: less than a millisecond of it. */
const atOnce = 4;

/** What is on a shelf, as it was put there or as the bytes of its text. */
type Kept<Value> = { readonly value: Value } | { readonly block: Buffer; readonly length: number };

/**
 * Keeps values that are seldom asked for as bytes of their text, outside V8's heap, in blocks that are used again: objects
 * that live for seconds or minutes are moved twice, and then collected in the long pauses of the old generation. They are
 * written down when the caller has to wait for something else.
 */
export class Shelf<Value extends object> {
  private readonly spare: Buffer[] = [];
  /** What is not written down yet, the first ones first. */
  private readonly waiting = new Set<Shelved<Value>>();

  constructor(private readonly write: (value: Value) => string) {}

  put(value: Value): Shelved<Value> {
    const shelved = new Shelved(this, value);
    this.waiting.add(shelved);
    return shelved;
  }

  /** Writes down a few of what was put there since; the others stay as they are until the next call. */
  writeDown(): void {
    let left = atOnce;
    for (const it of this.waiting) {
      if (left-- === 0) return;
      this.waiting.delete(it);
      it.writeDown();
    }
  }

  textOf(kept: Kept<Value>): string {
    return 'value' in kept ? this.write(kept.value) : kept.block.toString('utf8', 0, kept.length);
  }

  bytesOf(value: Value): Kept<Value> {
    const text = this.write(value);
    const bytes = Buffer.byteLength(text);
    const fitting = this.spare.findIndex(it => it.length >= bytes);
    const block =
      fitting < 0
        ? Buffer.allocUnsafeSlow(Math.ceil(bytes / blockBytes) * blockBytes)
        : this.spare.splice(fitting, 1)[0]!;
    return { block, length: block.write(text) };
  }

  /** Forgets what was on the shelf, and takes its block back. */
  giveBack(shelved: Shelved<Value>, kept: Kept<Value>): void {
    this.waiting.delete(shelved);
    if ('block' in kept && this.spare.length < spareAtMost) this.spare.push(kept.block);
  }
}

/** A value on a shelf, until it is taken away. */
export class Shelved<Value extends object> {
  private kept: Kept<Value> | undefined;

  constructor(
    private readonly shelf: Shelf<Value>,
    value: Value,
  ) {
    this.kept = { value };
  }

  /** As it was put there; undefined once it is written down or taken away. */
  get value(): Value | undefined {
    return this.kept !== undefined && 'value' in this.kept ? this.kept.value : undefined;
  }

  /** Empty once it was taken away. */
  get text(): string {
    return this.kept === undefined ? '' : this.shelf.textOf(this.kept);
  }

  writeDown(): void {
    if (this.value !== undefined) this.kept = this.shelf.bytesOf(this.value);
  }

  takeAway(): void {
    if (this.kept !== undefined) this.shelf.giveBack(this, this.kept);
    this.kept = undefined;
  }
}
