import type { Start } from '../src/protocol.js';
import type { Connection } from './connection.js';
import type { Format } from './format.js';
import type { State } from './state.js';

/** What every page is given. */
export interface App {
  readonly connection: Connection;
  readonly words: Start['words'];
  readonly format: Format;
  readonly state: State;
  /** Whether any memory is in use; asked by a page that has nothing to show. */
  readonly remembers: Asked<boolean>;
  /** Changes what is shown, keeps it for the next time, and draws. */
  set(change: Partial<State>): void;
  /** Draws soon; many calls are one drawing. */
  update(): void;
  /** Tells a screen reader what happened. */
  announce(sentence: string): void;
}

/** One value that is asked for: the newest question wins, and the last answer stays until the next one is there. */
export class Asked<T> {
  value: T | undefined;
  /** A sentence for a person. */
  failure: string | undefined;
  loading = false;
  private asked = 0;

  constructor(private readonly update: () => void) {}

  async ask(question: Promise<T>): Promise<void> {
    const mine = ++this.asked;
    this.loading = true;
    this.update();
    try {
      const value = await question;
      if (mine !== this.asked) return;
      this.value = value;
      this.failure = undefined;
    } catch (error) {
      if (mine !== this.asked) return;
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.loading = false;
    this.update();
  }

  /** Gives up what was asked for and what is known. */
  forget(): void {
    this.asked++;
    this.value = undefined;
    this.failure = undefined;
    this.loading = false;
  }
}
