/** One value that is asked for: the newest question wins, and the last answer stays until the next one is there. */
export class AsyncValue<T> {
  value: T | undefined;
  /** A sentence for a person. */
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

  /** Gives up what was asked for and what is known. */
  clear(): void {
    this.latestRequestId++;
    this.value = undefined;
    this.failure = undefined;
    this.loading = false;
  }
}
