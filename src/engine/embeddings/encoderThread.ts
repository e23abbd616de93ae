import type { OnnxWork } from './embeddingWorker.js';
import type { EmbeddingInput } from './embedder.js';
import type { ModelFolder } from './modelFolder.js';
import { OnnxThread } from './onnxThread.js';

/** Inputs that wait for the thread, most urgent first. */
const urgency: readonly EmbeddingInput[] = ['query', 'passage', 'backlog'];
/** After so many failures in a row of a model that never ran, it is taken for one that cannot run here. */
const failuresToGiveUp = 2;

interface WaitingTurn {
  readonly inputType: EmbeddingInput;
  readonly start: () => void;
}

/**
 * The worker thread of the encoder, which all engines of a process share. Batches run one at a time: a question never waits for
 * more than the batch that is running.
 */
export class EncoderThread {
  private readonly waiting: WaitingTurn[] = [];
  private isBusy = false;
  private hasRun = false;
  private failures = 0;

  constructor(private readonly thread: OnnxThread) {}

  get isLoaded(): boolean {
    return this.thread.isLoaded;
  }

  /** Whether the model does not run on this machine. */
  get isUnusable(): boolean {
    return !this.hasRun && this.failures >= failuresToGiveUp;
  }

  /** Begins to load the model. */
  load(): void {
    this.thread.run({ texts: [] }).catch(() => undefined);
  }

  /**
   * Runs batches in order.
   * @param isDropped whether no one waits for the result any more: batches that have not started are left out
   * @returns the numbers of each batch
   * @throws the error of OnnxThread for the first batch that fails
   */
  async run(
    batches: readonly OnnxWork[],
    inputType: EmbeddingInput,
    isDropped: () => boolean,
  ): Promise<readonly Float32Array[]> {
    const results: Float32Array[] = [];
    for (const batch of batches) {
      await this.waitForTurn(inputType);
      try {
        if (isDropped()) break;
        results.push(await this.thread.run(batch));
        this.hasRun = true;
      } catch (error) {
        this.failures++;
        throw error;
      } finally {
        this.endTurn();
      }
    }
    return results;
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private async waitForTurn(inputType: EmbeddingInput): Promise<void> {
    if (this.isBusy) await new Promise<void>(start => this.waiting.push({ inputType, start }));
    this.isBusy = true;
  }

  /** The turn passes to the next one at once, so that nothing comes in between. */
  private endTurn(): void {
    const next = urgency.map(it => this.waiting.find(turn => turn.inputType === it)).find(it => it !== undefined);
    if (next === undefined) {
      this.isBusy = false;
      return;
    }
    this.waiting.splice(this.waiting.indexOf(next), 1);
    next.start();
  }
}

interface SharedThread {
  readonly thread: EncoderThread;
  users: number;
}

/** By the model's folder: one, except in tests. */
const sharedThreads = new Map<string, SharedThread>();

/** A share in the thread of a model. */
export interface EncoderLease {
  readonly thread: EncoderThread;
  /** Ends the thread with the last share. */
  release(): Promise<void>;
}

/** The thread of a model's folder, which nothing is loaded in yet if no engine of this process has used it. */
export function leaseEncoderThread(
  modelFolder: ModelFolder,
  bundleDir: string,
  { toError, idleMs }: { readonly toError: (problem: string) => Error; readonly idleMs?: number | undefined },
): EncoderLease {
  const { folder } = modelFolder;
  // One by one: the int8 weights are applied with one scale for all activations of a batch, so that a text would have another
  // vector in other company (cosine 0.986), and eight together take no less time than one after the other.
  const shared = sharedThreads.get(folder) ?? {
    thread: new EncoderThread(new OnnxThread({ ...modelFolder, batchSize: 1 }, bundleDir, toError, idleMs)),
    users: 0,
  };
  sharedThreads.set(folder, shared);
  shared.users++;
  let isReleased = false;
  return {
    thread: shared.thread,
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      if (--shared.users > 0) return;
      sharedThreads.delete(folder);
      await shared.thread.close();
    },
  };
}
