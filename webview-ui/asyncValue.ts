/** A value that is loaded. The latest load wins, and the previous value stays until it completes. */
export class AsyncValue<T> {
  value: T | undefined;
  /** A sentence for the user; undefined after a successful load. */
  failure: string | undefined;
  loading = false;
  private latestRequestId = 0;

  constructor(private readonly onChange: () => void) {}

  async load(request: Promise<T>): Promise<void> {
    const requestId = ++this.latestRequestId;
    this.loading = true;
    this.onChange();
    try {
      const value = await request;
      if (requestId !== this.latestRequestId) return;
      this.value = value;
      this.failure = undefined;
    } catch (error) {
      if (requestId !== this.latestRequestId) return;
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.loading = false;
    this.onChange();
  }

  /** Discards the value and any load in progress. */
  clear(): void {
    this.latestRequestId++;
    this.value = undefined;
    this.failure = undefined;
    this.loading = false;
  }
}
