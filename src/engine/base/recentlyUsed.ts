/** The values used lately, cheap to keep: those of two spans of time, `span` new ones each; the older span goes whole. */
export class RecentlyUsed<Key, Value> {
  private recent = new Map<Key, Value>();
  private older = new Map<Key, Value>();

  constructor(private readonly span: number) {}

  get(key: Key): Value | undefined {
    const recent = this.recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.recent.size >= this.span) [this.older, this.recent] = [this.recent, new Map<Key, Value>()];
    this.recent.set(key, value);
  }

  delete(key: Key): void {
    this.recent.delete(key);
    this.older.delete(key);
  }

  clear(): void {
    this.recent.clear();
    this.older.clear();
  }
}
