import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { Emitter, type Disposable } from './emitter.js';

export type EngineHolderState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly engine: MemoryEngine }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * The one engine of this window: opened at the first need, opened again for other folders or another embedding model,
 * closed at the end.
 * Knows nothing of VS Code.
 */
export class EngineHolder {
  private readonly stateEmitter = new Emitter<EngineHolderState>();
  private readonly memoryChangeEmitter = new Emitter<void>();
  private readonly modelUseEmitter = new Emitter<void>();
  private currentState: EngineHolderState = { kind: 'closed' };
  private opening: Promise<MemoryEngine> | undefined;
  /** Settles when every engine that was given up is closed. Never rejects. */
  private closing: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  readonly onDidChangeState = this.stateEmitter.event;
  /** After every change of memories, by this window or any other process, and after every opening. */
  readonly onDidChangeMemories = this.memoryChangeEmitter.event;
  /** After every call of a language model, and when one has to wait. */
  readonly onDidUseModel = this.modelUseEmitter.event;

  constructor(private readonly createEngine: () => Promise<MemoryEngine>) {}

  get state(): EngineHolderState {
    return this.currentState;
  }

  /**
   * The engine, for what a person or a model asked for. After a failure the next call tries again.
   * @throws EngineError as openEngine does, and `closed` after the end.
   */
  engine(): Promise<MemoryEngine> {
    if (this.isClosed)
      return Promise.reject(new EngineError('closed', 'The memory is closed. Reload the window to go on.'));
    this.opening ??= this.openEngine();
    return this.opening;
  }

  /**
   * The engine, for what merely decorates the window (CodeLens, hover, tree). Undefined after a failure, until somebody
   * who can be told about it has tried again.
   */
  async engineIfAvailable(): Promise<MemoryEngine | undefined> {
    if (this.isClosed || this.currentState.kind === 'failed') return undefined;
    return this.engine().catch(() => undefined);
  }

  /** Closes the engine, if there is one, and opens it anew: for other folders or another embedding model. */
  async reopen(): Promise<void> {
    if (this.opening === undefined) return;
    this.releaseEngine();
    await this.engineIfAvailable();
  }

  /** Finishes what was asked for and writes what is buffered. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.releaseEngine();
    await this.closing;
    this.stateEmitter.dispose();
    this.memoryChangeEmitter.dispose();
    this.modelUseEmitter.dispose();
  }

  private async openEngine(): Promise<MemoryEngine> {
    await this.closing;
    const thisOpening = this.opening;
    try {
      const engine = await this.createEngine();
      const subscription: Disposable = engine.onDidChange(({ model }) => {
        (model === undefined ? this.memoryChangeEmitter : this.modelUseEmitter).fire();
      });
      if (this.opening === thisOpening) {
        this.setState({ kind: 'open', engine });
        this.memoryChangeEmitter.fire();
      } else {
        subscription.dispose();
      }
      return engine;
    } catch (error) {
      if (this.opening === thisOpening) {
        this.opening = undefined;
        this.setState({ kind: 'failed', error });
      }
      throw error;
    }
  }

  private releaseEngine(): void {
    const released = this.opening;
    this.opening = undefined;
    if (released === undefined) return;
    const previousClosing = this.closing;
    this.closing = Promise.allSettled([previousClosing, released.then(engine => engine.close())]);
    this.setState({ kind: 'closed' });
  }

  private setState(state: EngineHolderState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }
}
