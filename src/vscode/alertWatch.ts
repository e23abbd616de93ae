import { EngineError } from '../engine/base/errors.js';
import { message } from '../engine/base/localizableMessage.js';
import type { Alert } from '../engine/model/maintenance.js';
import { Emitter } from './emitter.js';
import type { EngineHolder, EngineHolderState } from './engineHolder.js';

/** An alert, or that the memory could not be opened. */
export type WindowAlert = Pick<Alert, 'store' | 'text'> & { readonly kind: Alert['kind'] | 'notOpen' };

/** Between two looks at the stores after changes: one counts all memories. */
const minPauseMs = 30_000;

/**
 * The alerts of the open memory. It looks at the stores when the memory is opened, and after changes at most twice a minute;
 * what concerns this program alone it takes at once, after answers and calls of models too. It opens nothing. Must not import
 * `vscode`.
 */
export class AlertWatch {
  private readonly emitter = new Emitter<void>();
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private storeAlerts: readonly WindowAlert[] = [];
  private programAlerts: readonly WindowAlert[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastLookAtMs = -Infinity;

  /** Fires when there may be other alerts. */
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly engineHolder: Pick<
      EngineHolder,
      'state' | 'onDidChangeState' | 'onDidChangeMemories' | 'onDidAnswer' | 'onDidUseModel'
    >,
    private readonly pauseMs = minPauseMs,
  ) {
    const lookAtProgram = (): void => {
      this.lookAtProgram();
    };
    this.subscriptions = [
      this.emitter,
      engineHolder.onDidChangeState(() => void this.look()),
      engineHolder.onDidChangeMemories(() => {
        this.lookAtProgram();
        this.lookSoon();
      }),
      engineHolder.onDidAnswer(lookAtProgram),
      engineHolder.onDidUseModel(lookAtProgram),
    ];
  }

  get alerts(): readonly WindowAlert[] {
    return [...this.storeAlerts, ...this.programAlerts];
  }

  /** Looks now. A look that fails leaves the alerts as they were. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.lastLookAtMs = performance.now();
    const { state } = this.engineHolder;
    try {
      const found = state.kind === 'open' ? await state.engine.maintenance.storeAlerts() : [];
      // Another engine may have come meanwhile, whose look is under way.
      if (state !== this.engineHolder.state) return;
      this.storeAlerts = found;
      this.programAlerts = programAlertsOf(state);
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

  /** Fires only where these are others: it looks after each answer. */
  private lookAtProgram(): void {
    const found = programAlertsOf(this.engineHolder.state);
    const describe = (alerts: readonly WindowAlert[]): string => JSON.stringify(alerts.map(it => [it.kind, it.text]));
    if (describe(found) === describe(this.programAlerts)) return;
    this.programAlerts = found;
    this.emitter.fire();
  }

  private lookSoon(): void {
    if (this.timer !== undefined) return;
    const waitMs = Math.max(0, this.lastLookAtMs + this.pauseMs - performance.now());
    this.timer = setTimeout(() => void this.look(), waitMs);
    this.timer.unref();
  }
}

function programAlertsOf(state: EngineHolderState): readonly WindowAlert[] {
  if (state.kind === 'open') return state.engine.maintenance.programAlerts();
  return state.kind === 'failed' ? [notOpenAlert(state.error)] : [];
}

function notOpenAlert(error: unknown): WindowAlert {
  const text = EngineError.is(error) ? error.localizable : message`The memory could not be opened. The log says why.`;
  return { kind: 'notOpen', text };
}
