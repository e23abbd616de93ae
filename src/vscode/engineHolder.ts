import { EngineError } from '../engine/base/errors.js';
import { Reopenable } from '../engine/base/reopenable.js';
import type { MemoryEngine } from '../engine/engine.js';
import { Emitter } from './emitter.js';

export type EngineHolderState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly engine: MemoryEngine }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Owns the one engine of this window: opens it on first use, reopens it for other folders or another embedding model,
 * and closes it. Must not import `vscode`.
 */
export class EngineHolder {
  private readonly stateEmitter = new Emitter<EngineHolderState>();
  private readonly memoryChangeEmitter = new Emitter<void>();
  private readonly modelUseEmitter = new Emitter<void>();
  private readonly answerEmitter = new Emitter<void>();
  private currentState: EngineHolderState = { kind: 'closed' };
  private readonly lifetime = new Reopenable<MemoryEngine>();
  private isClosed = false;

  readonly onDidChangeState = this.stateEmitter.event;
  /** Fires after each change of memories, by this window or another process, and after each opening. */
  readonly onDidChangeMemories = this.memoryChangeEmitter.event;
  /** Fires after each call of a language model or an embedding endpoint, and when one has to wait. */
  readonly onDidUseModel = this.modelUseEmitter.event;

  /** Fires after each answer from memory that this window gave to a chat. */
  readonly onDidAnswer = this.answerEmitter.event;

  constructor(private readonly createEngine: () => Promise<MemoryEngine>) {}

  get state(): EngineHolderState {
    return this.currentState;
  }

  /**
   * The engine, for requests of the user or a model. After a failure the next call tries again.
   * @throws EngineError as openEngine does, and `closed` after close()
   */
  engine(): Promise<MemoryEngine> {
    if (this.isClosed)
      return Promise.reject(new EngineError('closed', 'The memory is closed. Reload the window to go on.'));
    return this.lifetime.get(isWanted => this.openEngine(isWanted));
  }

  /**
   * The engine, for what merely decorates the window (CodeLens, hover, tree). Undefined after a failure, until a call
   * of engine(), whose caller can report an error, has succeeded.
   */
  async engineIfAvailable(): Promise<MemoryEngine | undefined> {
    if (this.isClosed || this.currentState.kind === 'failed') return undefined;
    return this.engine().catch(() => undefined);
  }

  /** Says that a chat was answered from memory; the newest trace says with what. */
  reportAnswer(): void {
    this.answerEmitter.fire();
  }

  /** Closes the engine and opens it again; does nothing when it was never opened. */
  async reopen(): Promise<void> {
    if (this.releaseEngine()) await this.engineIfAvailable();
  }

  /** Waits for calls in progress and flushes buffered writes. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.releaseEngine();
    await this.lifetime.close();
    this.stateEmitter.dispose();
    this.memoryChangeEmitter.dispose();
    this.modelUseEmitter.dispose();
    this.answerEmitter.dispose();
  }

  private async openEngine(isWanted: () => boolean): Promise<MemoryEngine> {
    try {
      const engine = await this.createEngine();
      if (!isWanted()) return engine;
      engine.onDidChange(({ model, isEndpointUse, isAway }) => {
        if (isAway === true) {
          // Opened again, it has everything but what is on that server, and repairs a file that is gone. A failure is in the state.
          if (isWanted()) void this.reopen();
          return;
        }
        (model === undefined && isEndpointUse === undefined ? this.memoryChangeEmitter : this.modelUseEmitter).fire();
      });
      this.setState({ kind: 'open', engine });
      this.memoryChangeEmitter.fire();
      return engine;
    } catch (error) {
      if (isWanted()) this.setState({ kind: 'failed', error });
      throw error;
    }
  }

  private releaseEngine(): boolean {
    const isReleased = this.lifetime.release();
    if (isReleased) this.setState({ kind: 'closed' });
    return isReleased;
  }

  private setState(state: EngineHolderState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }
}
