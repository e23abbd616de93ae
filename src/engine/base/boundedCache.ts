/** Values by key, the least recently used given up first once there are too many or they weigh too much. */
export class BoundedCache<Value> {
  /** In the order of use, the latest last. */
  private readonly entries = new Map<string, { readonly value: Value; readonly weight: number }>();
  private weight = 0;

  /**
   * Both at least 1; what alone weighs more than `maxWeight` is not kept.
   * @param onGivenUp is told each value that is no longer kept
   */
  constructor(
    private readonly maxEntries: number,
    private readonly maxWeight: number,
    private readonly onGivenUp: (value: Value) => void = () => undefined,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.maxWeight) {
      this.onGivenUp(value);
      return;
    }
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries && this.weight <= this.maxWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.weight -= entry.weight;
    this.onGivenUp(entry.value);
  }
}
