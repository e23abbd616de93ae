/** How long a person waits without a sign that something happens. */
export const slowAfterMs = 1_000;

/** Says while any request takes longer than that. */
export class SlowRequests {
  private slow = 0;
  /** Called when `isAny` has changed. */
  onChange: () => void = () => undefined;

  get isAny(): boolean {
    return this.slow > 0;
  }

  watch(request: Promise<unknown>): void {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.count(1);
    }, slowAfterMs);
    const end = (): void => {
      clearTimeout(timer);
      if (isSlow) this.count(-1);
    };
    request.then(end, end);
  }

  private count(change: 1 | -1): void {
    const wasAny = this.isAny;
    this.slow += change;
    if (this.isAny !== wasAny) this.onChange();
  }
}
