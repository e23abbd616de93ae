/** Runs jobs one after another, in the order in which they were added; a failing job does not stop the next. */
export class Sequencer {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.last.then(job, job);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all jobs added so far have run. */
  async idle(): Promise<void> {
    await this.last;
  }
}
