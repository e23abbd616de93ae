import { EngineError } from '../engine/base/errors.js';
import { message } from '../engine/base/localizableMessage.js';
import type { Alert } from '../engine/model/maintenance.js';
import { Emitter } from './emitter.js';
import type { EngineHolder } from './engineHolder.js';

/** An alert, or that the memory could not be opened. */
export type WindowAlert = Pick<Alert, 'store' | 'text'> & { readonly kind: Alert['kind'] | 'notOpen' };

/** Between two looks after changes: one counts all memories. */
const minPauseMs = 30_000;

/**
 * The alerts of the open memory. It looks when the memory is opened, and after changes and answers, at most twice a minute;
 * it opens nothing. Must not import `vscode`.
 */
export class AlertWatch {
  private readonly emitter = new Emitter<void>();
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private current: readonly WindowAlert[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastLookAtMs = -Infinity;

  /** Fires when there may be other alerts. */
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly engineHolder: Pick<
      EngineHolder,
      'state' | 'onDidChangeState' | 'onDidChangeMemories' | 'onDidAnswer'
    >,
    private readonly pauseMs = minPauseMs,
  ) {
    const lookSoon = (): void => {
      this.lookSoon();
    };
    this.subscriptions = [
      this.emitter,
      engineHolder.onDidChangeState(() => void this.look()),
      engineHolder.onDidChangeMemories(lookSoon),
      engineHolder.onDidAnswer(lookSoon),
    ];
  }

  get alerts(): readonly WindowAlert[] {
    return this.current;
  }

  /** Looks now. A look that fails leaves the alerts as they were. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.lastLookAtMs = performance.now();
    const { state } = this.engineHolder;
    try {
      const found =
        state.kind === 'open'
          ? await state.engine.maintenance.alerts()
          : state.kind === 'failed'
            ? [notOpenAlert(state.error)]
            : [];
      // Another engine may have come meanwhile, whose look is under way.
      if (state !== this.engineHolder.state) return;
      this.current = found;
      this.emitter.fire();
    } catch {
      return;
    }
  }

  /** A person has seen the alerts. */
  async confirm(): Promise<void> {
    const { state } = this.engineHolder;
    if (state.kind !== 'open') return;
    await state.engine.maintenance.confirmAlerts();
    await this.look();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const it of this.subscriptions) it.dispose();
  }

  private lookSoon(): void {
    if (this.timer !== undefined) return;
    const waitMs = Math.max(0, this.lastLookAtMs + this.pauseMs - performance.now());
    this.timer = setTimeout(() => void this.look(), waitMs);
    this.timer.unref();
  }
}

function notOpenAlert(error: unknown): WindowAlert {
  const text = EngineError.is(error) ? error.localizable : message`The memory could not be opened. The log says why.`;
  return { kind: 'notOpen', text };
}
