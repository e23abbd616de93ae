import type { MemoryEngine } from '../engine/engine.js';
import type { EngineHolder, EngineHolderState } from './engineHolder.js';

/** Between two looks whether a server can be used again. */
const defaultIntervalMs = 15_000;

/**
 * Opens the memory again once the server of a project's store can be used, which it could not when the memory was opened. Asks only
 * as long as that lasts. Must not import `vscode`.
 */
export class ServerReturnWatch {
  private readonly subscription: { dispose(): void };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly engineHolder: Pick<EngineHolder, 'state' | 'onDidChangeState' | 'reopen'>,
    private readonly intervalMs = defaultIntervalMs,
  ) {
    this.subscription = engineHolder.onDidChangeState(state => {
      this.watch(state);
    });
  }

  /** @returns whether the server can be used; the memory is opened again then */
  async look(engine: MemoryEngine): Promise<boolean> {
    const canBeUsed = await engine.team.store.checkServer().then(
      () => true,
      () => false,
    );
    const { state } = this.engineHolder;
    if (canBeUsed && state.kind === 'open' && state.engine === engine) await this.engineHolder.reopen();
    return canBeUsed;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private watch(state: EngineHolderState): void {
    clearTimeout(this.timer);
    if (state.kind !== 'open' || state.engine.team.store.notices.length === 0) return;
    this.timer = setTimeout(() => {
      void this.look(state.engine).then(canBeUsed => {
        if (!canBeUsed && this.engineHolder.state === state) this.watch(state);
      });
    }, this.intervalMs).unref();
  }
}
