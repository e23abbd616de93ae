/** A value that is loaded. The latest load wins, and the previous value stays until it completes. */
export class AsyncValue<T> {
  value: T | undefined;
  /** A sentence for the user; undefined after a successful load. */
  failure: string | undefined;
  loading = false;
  private latestRequestId = 0;

  constructor(private readonly onChange: () => void) {}

  /** @returns whether the value is that of this request: false after a failure, and where a later load took its place */
  async load(request: Promise<T>): Promise<boolean> {
    const requestId = ++this.latestRequestId;
    this.loading = true;
    this.onChange();
    try {
      const value = await request;
      if (requestId !== this.latestRequestId) return false;
      this.value = value;
      this.failure = undefined;
    } catch (error) {
      if (requestId !== this.latestRequestId) return false;
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.loading = false;
    this.onChange();
    return this.failure === undefined;
  }

  /** Discards the value and any load in progress. */
  clear(): void {
    this.latestRequestId++;
    this.value = undefined;
    this.failure = undefined;
    this.loading = false;
  }
}
