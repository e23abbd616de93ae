/** A resource that can be closed once it is no longer needed. */
interface Closable {
  close(): Promise<void>;
}

/**
 * At most one open resource: opened on the first use, again after it was released, and never before its predecessor is
 * closed. After a failure to open, the next use tries again.
 */
export class Reopenable<T extends Closable> {
  private opening: Promise<T> | undefined;
  /** Settles when every released resource is closed. Never rejects. */
  private closing: Promise<unknown> = Promise.resolve();

  /** The resource that is open or opening. */
  get current(): Promise<T> | undefined {
    return this.opening;
  }

  /** @param open receives whether its result is still wanted: it may have been released meanwhile */
  get(open: (isWanted: () => boolean) => Promise<T>): Promise<T> {
    if (this.opening !== undefined) return this.opening;
    const opening: Promise<T> = this.closing.then(() => open(() => this.opening === opening));
    this.opening = opening;
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  /** Closes the resource in the background. @returns whether there was one */
  release(): boolean {
    const released = this.opening;
    this.opening = undefined;
    if (released === undefined) return false;
    this.closing = Promise.allSettled([this.closing, released.then(it => it.close())]);
    return true;
  }

  /** Releases the resource and waits until every released one is closed. */
  async close(): Promise<void> {
    this.release();
    await this.closing;
  }
}
