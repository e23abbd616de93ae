import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { Signal, type Disposable } from './signal.js';

export type SessionState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly engine: MemoryEngine }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * The one engine of this window: opened at the first need, opened again for other folders or another embedding model,
 * closed at the end.
 * Knows nothing of VS Code.
 */
export class MemorySession {
  private readonly states = new Signal<SessionState>();
  private readonly changes = new Signal<void>();
  private readonly modelUses = new Signal<void>();
  private current: SessionState = { kind: 'closed' };
  private opening: Promise<MemoryEngine> | undefined;
  /** Settles when every engine that was given up is closed. Never rejects. */
  private closing: Promise<unknown> = Promise.resolve();
  private ended = false;

  readonly onDidChangeState = this.states.event;
  /** After every change of memories, by this window or any other process, and after every opening. */
  readonly onDidChangeMemories = this.changes.event;
  /** After every call of a language model, and when one has to wait. */
  readonly onDidUseModel = this.modelUses.event;

  constructor(private readonly open: () => Promise<MemoryEngine>) {}

  get state(): SessionState {
    return this.current;
  }

  /**
   * The engine, for what a person or a model asked for. After a failure the next call tries again.
   * @throws EngineError as openEngine does, and `closed` after the end.
   */
  engine(): Promise<MemoryEngine> {
    if (this.ended)
      return Promise.reject(new EngineError('closed', 'The memory is closed. Reload the window to go on.'));
    this.opening ??= this.start();
    return this.opening;
  }

  /**
   * The engine, for what merely decorates the window (CodeLens, hover, tree). Undefined after a failure, until somebody
   * who can be told about it has tried again.
   */
  async engineForDisplay(): Promise<MemoryEngine | undefined> {
    if (this.ended || this.current.kind === 'failed') return undefined;
    return this.engine().catch(() => undefined);
  }

  /** Closes the engine, if there is one, and opens it anew: for other folders or another embedding model. */
  async reopen(): Promise<void> {
    if (this.opening === undefined) return;
    this.giveUp();
    await this.engineForDisplay();
  }

  /** Finishes what was asked for and writes what is buffered. */
  async close(): Promise<void> {
    this.ended = true;
    this.giveUp();
    await this.closing;
    this.states.dispose();
    this.changes.dispose();
    this.modelUses.dispose();
  }

  private async start(): Promise<MemoryEngine> {
    await this.closing;
    const mine = this.opening;
    try {
      const engine = await this.open();
      const subscription: Disposable = engine.onDidChange(({ model }) => {
        (model === undefined ? this.changes : this.modelUses).fire();
      });
      if (this.opening === mine) {
        this.setState({ kind: 'open', engine });
        this.changes.fire();
      } else {
        subscription.dispose();
      }
      return engine;
    } catch (error) {
      if (this.opening === mine) {
        this.opening = undefined;
        this.setState({ kind: 'failed', error });
      }
      throw error;
    }
  }

  private giveUp(): void {
    const given = this.opening;
    this.opening = undefined;
    if (given === undefined) return;
    const before = this.closing;
    this.closing = Promise.allSettled([before, given.then(engine => engine.close())]);
    this.setState({ kind: 'closed' });
  }

  private setState(state: SessionState): void {
    this.current = state;
    this.states.fire(state);
  }
}
