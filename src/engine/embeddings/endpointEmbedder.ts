import { createHash } from 'node:crypto';
import { raceAbort, throwIfAborted } from '../base/cancellation.js';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { toUnitVector } from '../base/unitVector.js';
import type { Config } from '../model/config.js';
import type { EmbeddingUse, EndpointStatus } from '../model/embeddingStatus.js';
import type { EngineHost } from '../model/host.js';
import type { Embedder, EmbeddingInput, EmbeddingModel, UnavailableReason } from './embedder.js';
import { calibrateThresholds, calibrationPairs } from './endpointCalibration.js';
import type { EndpointAddress } from './endpointAddress.js';
import {
  isMeasurementOf,
  parseEmbeddingUse,
  parseEndpointState,
  withConsent,
  withMeasuredModel,
  type EndpointRecords,
  type MeasuredModel,
} from './endpointRecords.js';
import { requestEmbeddings } from './endpointRequest.js';

/** How long an endpoint may take, and how long it is left alone after a failure. */
export interface EndpointPatience {
  /** By what waits: a question, a memory that is being written, or none of them. */
  readonly timeoutMs: Readonly<Record<EmbeddingInput, number>>;
  /** Pause after the first failure; it doubles with each further one. */
  readonly initialBackoffMs: number;
  /** Longest pause, also if the server asks for a longer one. */
  readonly maxBackoffMs: number;
}

const defaultPatience: EndpointPatience = {
  // A local server that loads its model first takes longer; words answer meanwhile.
  timeoutMs: { query: 4_000, passage: 10_000, backlog: 60_000 },
  initialBackoffMs: 5_000,
  maxBackoffMs: 300_000,
};

/** Texts and characters per request: what the smallest of the services take at once. */
const maxBatchTexts = 32;
const maxBatchCharacters = 32_000;
/** The rest of a longer text is not sent: about 500 tokens, which is what small models read at most. */
const maxTextCharacters = 2_000;
/** Too many rather than too few, where the endpoint does not count them. */
const charactersPerToken = 3;

interface Wait {
  readonly problem: LocalizableMessage;
  /** By `performance.now()`: the clock of the machine may be set. */
  readonly endsAt: number;
  readonly until: Date;
  /** The daily limit that was reached; undefined for a failure. */
  readonly dailyTokens: number | undefined;
}

export interface EndpointEmbedderOptions {
  readonly host: EngineHost;
  readonly address: EndpointAddress;
  /** As when the engine was opened. */
  readonly settings: Config['embeddingEndpoint'];
  readonly records: EndpointRecords;
  /** Whether a text holds a secret or personal data, and must stay here. */
  readonly isPrivate: (text: string) => boolean;
  readonly patience?: EndpointPatience;
}

/**
 * Has texts embedded by a server with OpenAI's embeddings API. Sends nothing before a person has allowed the address, unless
 * it is on this machine; after a failure it sends nothing for a while, and fails at once, so that words answer.
 */
export class EndpointEmbedder implements Embedder {
  readonly runsInSearchWorker = false;
  /** Called after each request, and when sending stops. */
  onDidChange: () => void = () => undefined;
  private measured: MeasuredModel | undefined;
  private hasConsent = false;
  private wait: Wait | undefined;
  private failuresInARow = 0;
  private preparation: Promise<void> | undefined;
  /** Measuring goes on where its caller no longer waits. */
  private readonly measurements = new Set<Promise<void>>();
  /** Ends every request. */
  private readonly closing = new AbortController();
  /** Tokens that are counted and not yet recorded, and the writes that do it. */
  private unrecordedTokens = 0;
  private readonly recordings = new Set<Promise<void>>();
  private readonly patience: EndpointPatience;

  constructor(private readonly options: EndpointEmbedderOptions) {
    this.patience = options.patience ?? defaultPatience;
  }

  /** Undefined before the first use of the model has shown its dimensions and thresholds. */
  get model(): EmbeddingModel | undefined {
    const { measured } = this;
    if (measured === undefined) return undefined;
    const { dimensions, thresholds, model: name } = measured;
    return { id: spaceIdOf(measured), name, dimensions, thresholds };
  }

  /** Decision that a person has to make before texts are sent; undefined once made. */
  get consentNotice(): LocalizableMessage | undefined {
    if (this.isAllowed) return undefined;
    const { origin } = this.options.address;
    return message`No text is sent to ${origin} before you allow it: recollect models endpoint, or "Recollect: Embedding Endpoint…" in VS Code. Until then words alone find memories.`;
  }

  get unavailableReason(): UnavailableReason | undefined {
    if (!this.isAllowed) return 'endpointUnasked';
    const wait = this.activeWait();
    if (wait?.dailyTokens !== undefined) return 'endpointBudget';
    return wait !== undefined || this.measured === undefined ? 'endpointFails' : undefined;
  }

  get retryDelayMs(): number | undefined {
    if (!this.isAllowed) return undefined;
    const wait = this.activeWait();
    return wait === undefined ? 0 : Math.max(0, wait.endsAt - performance.now());
  }

  /** Reads what is known of the model, and measures it if that is not known; a question does not wait for the latter. */
  async prepare(inputType: EmbeddingInput, signal?: AbortSignal): Promise<void> {
    if (this.measured !== undefined && this.isAllowed) return;
    await this.readState();
    if (this.measured !== undefined || inputType === 'query' || this.unavailableReason === 'endpointUnasked') return;
    if (this.activeWait() !== undefined) return;
    this.preparation ??= this.measure(inputType).finally(() => {
      this.preparation = undefined;
    });
    await raceAbort(this.preparation, signal);
  }

  async embed(texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfAborted(signal);
    // A person may have taken the consent back in another program.
    if (!this.options.address.isLoopback) await this.readState();
    const { measured } = this;
    if (!this.isAllowed) throw this.unavailableError(message`you have not allowed to send texts there yet`);
    if (measured === undefined) throw this.unavailableError(message`it was not measured yet`);
    const prefix = prefixesOf(measured.model)[inputType === 'query' ? 'query' : 'passage'];
    const vectors: Float32Array[] = texts.map(() => new Float32Array(measured.dimensions));
    for (const batch of packTexts(texts, it => this.options.isPrivate(it))) {
      const found = await this.send(batch, { prefix, inputType, signal });
      for (const [i, { position }] of batch.entries()) if (found[i] !== undefined) vectors[position] = found[i];
    }
    return vectors;
  }

  /** Ends its requests and waits for what they record. */
  async close(): Promise<void> {
    this.onDidChange = () => undefined;
    this.closing.abort();
    await Promise.allSettled(this.measurements);
    await Promise.allSettled(this.recordings);
  }

  /** A person's word on the address of the settings. */
  async setAllowed(isAllowed: boolean): Promise<void> {
    const consent = { url: this.options.address.url, isAllowed };
    await this.options.records.updateState(before => withConsent(parseEndpointState(before), consent), consent);
    this.hasConsent = isAllowed;
    this.wait = undefined;
    this.onDidChange();
  }

  /**
   * Measures the model again with the built-in texts, whatever is known of it, for a person who asked for it.
   * @throws EngineError embedderUnavailable
   */
  async check(signal?: AbortSignal): Promise<EmbeddingModel> {
    await this.readState();
    if (!this.isAllowed) throw this.unavailableError(message`you have not allowed to send texts there yet`);
    this.wait = undefined;
    await this.measure('backlog', signal);
    const wait = this.activeWait();
    if (wait !== undefined) throw this.unavailableError(wait.problem);
    return this.model!;
  }

  async status(): Promise<EndpointStatus> {
    await this.readState();
    const { address, settings, host } = this.options;
    const wait = this.activeWait();
    const { failure, ...today } = await this.today();
    return {
      url: address.url,
      model: settings.model,
      isLoopback: address.isLoopback,
      isAllowed: this.isAllowed,
      dimensions: this.measured?.dimensions,
      today,
      dailyTokens: host.config().embeddingEndpoint.dailyTokens,
      lastFailure: failure?.url === address.url ? failure : undefined,
      waits: wait && { problem: wait.problem, until: wait.until, isOverBudget: wait.dailyTokens !== undefined },
    };
  }

  private get isAllowed(): boolean {
    return this.options.address.isLoopback || this.hasConsent;
  }

  private async readState(): Promise<void> {
    const { address, records } = this.options;
    const { allowed, models } = parseEndpointState(await records.readState());
    this.hasConsent = allowed.includes(address.url);
    this.measured ??= models.find(it => isMeasurementOf(it, this.wanted));
  }

  private get wanted(): Pick<MeasuredModel, 'url' | 'model' | 'requestedDimensions'> {
    const { address, settings } = this.options;
    return { url: address.url, model: settings.model, requestedDimensions: settings.dimensions };
  }

  /** Learns dimensions and thresholds from the calibration pairs; a failure is a wait. @throws EngineError aborted */
  private measure(inputType: EmbeddingInput, signal?: AbortSignal): Promise<void> {
    const measurement = this.measureNow(inputType, signal).finally(() => this.measurements.delete(measurement));
    this.measurements.add(measurement);
    return measurement;
  }

  private async measureNow(inputType: EmbeddingInput, signal: AbortSignal | undefined): Promise<void> {
    const prefixes = prefixesOf(this.options.settings.model);
    const embedPart = async (texts: readonly string[], prefix: string): Promise<Float32Array[]> => {
      const batch = texts.map((text, position) => ({ position, text }));
      return (await this.send(batch, { prefix, inputType, signal, isMeasuring: true })) as Float32Array[];
    };
    try {
      const memories = await embedPart(
        calibrationPairs.map(it => it.memory),
        prefixes.passage,
      );
      const paraphrases = await embedPart(
        calibrationPairs.map(it => it.paraphrase),
        prefixes.query,
      );
      const thresholds = calibrateThresholds(memories, paraphrases);
      if (thresholds === undefined) {
        this.pause(message`it takes what means the same for what does not: choose another model`);
        return;
      }
      const dimensions = memories[0]!.length;
      const measured: MeasuredModel = { ...this.wanted, dimensions, thresholds };
      await this.options.records.updateState(before => withMeasuredModel(parseEndpointState(before), measured));
      this.measured = measured;
      this.onDidChange();
    } catch (error) {
      // The wait says why.
      if (!EngineError.is(error, 'embedderUnavailable')) throw error;
    }
  }

  /**
   * The unit vectors of a batch; undefined for a text that the endpoint does not take.
   * @throws EngineError embedderUnavailable | aborted
   */
  private async send(batch: readonly BatchText[], request: BatchRequest): Promise<(Float32Array | undefined)[]> {
    const { host, address, settings } = this.options;
    const texts = batch.map(it => request.prefix + it.text);
    const estimatedTokens = texts.reduce((sum, it) => sum + Math.ceil(it.length / charactersPerToken), 0);
    await this.assertReady(estimatedTokens);
    const key = await host.secret?.('embeddingApiKey', address.origin);
    if (key !== undefined && !/^[\x21-\x7e]+$/u.test(key))
      throw this.pause(message`the key has characters that no key has: set another one`);
    const reply = await requestEmbeddings({
      url: address.url,
      model: settings.model,
      dimensions: settings.dimensions,
      key: key === '' ? undefined : key,
      texts,
      timeoutMs: this.patience.timeoutMs[request.inputType],
      signal: AbortSignal.any([this.closing.signal, ...(request.signal === undefined ? [] : [request.signal])]),
    });
    const isSuccess = reply.kind === 'vectors';
    this.count({ tokens: isSuccess ? (reply.tokens ?? estimatedTokens) : 0, isSuccess });
    switch (reply.kind) {
      case 'vectors':
        return this.checkedVectors(reply.vectors, request.isMeasuring === true);
      case 'rejected':
        if (request.isMeasuring === true) throw this.pause(reply.problem);
        return this.sendHalves(batch, request);
      case 'retry':
        throw this.pause(reply.problem, reply.afterMs);
      case 'refused':
        throw this.pause(reply.problem, this.patience.maxBackoffMs);
      case 'aborted':
        throw new EngineError('aborted', 'The embedding was canceled.');
    }
  }

  /** One text that the endpoint does not take must not keep the others from a vector. */
  private async sendHalves(batch: readonly BatchText[], request: BatchRequest): Promise<(Float32Array | undefined)[]> {
    if (batch.length === 1) {
      this.options.host.log.warn('The embedding endpoint does not take one of the texts; it is found by words alone.');
      return [undefined];
    }
    const middle = batch.length >> 1;
    return [...(await this.send(batch.slice(0, middle), request)), ...(await this.send(batch.slice(middle), request))];
  }

  private checkedVectors(vectors: readonly Float32Array[], isMeasuring: boolean): Float32Array[] {
    const found = vectors[0]!.length;
    const { dimensions } = this.options.settings;
    const expected = isMeasuring ? dimensions : this.measured!.dimensions;
    if (expected !== 0 && found !== expected)
      throw this.pause(
        message`it gives vectors of ${found} numbers instead of ${expected}: run recollect models endpoint, or correct the setting recollect.embeddingEndpoint.dimensions`,
        this.patience.maxBackoffMs,
      );
    this.failuresInARow = 0;
    this.wait = undefined;
    return vectors.map(toUnitVector);
  }

  /** @throws EngineError embedderUnavailable while it is left alone, and over the day's budget */
  private async assertReady(tokens: number): Promise<void> {
    const wait = this.activeWait();
    if (wait !== undefined) throw this.unavailableError(wait.problem);
    const { dailyTokens } = this.options.host.config().embeddingEndpoint;
    if ((await this.today()).tokens + this.unrecordedTokens + tokens <= dailyTokens) return;
    const now = this.options.host.now();
    const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
    const problem = message`the ${dailyTokens} tokens of the day are used up; the setting recollect.embeddingEndpoint.dailyTokens has more`;
    throw this.setWait(problem, midnight - now.getTime(), dailyTokens);
  }

  private pause(problem: LocalizableMessage, afterMs?: number): EngineError {
    const { initialBackoffMs, maxBackoffMs } = this.patience;
    const { address, host } = this.options;
    this.failuresInARow++;
    const failure = { url: address.url, at: host.now().toISOString(), problem: String(problem) };
    this.record(use => ({ ...use, failure }));
    const backoffMs = initialBackoffMs * 2 ** Math.min(20, this.failuresInARow - 1);
    return this.setWait(problem, Math.min(maxBackoffMs, afterMs ?? backoffMs), undefined);
  }

  private setWait(problem: LocalizableMessage, ms: number, dailyTokens: number | undefined): EngineError {
    const until = new Date(this.options.host.now().getTime() + ms);
    this.wait = { problem, endsAt: performance.now() + ms, until, dailyTokens };
    this.onDidChange();
    return this.unavailableError(problem);
  }

  private activeWait(): Wait | undefined {
    const { wait } = this;
    if (wait === undefined || performance.now() >= wait.endsAt) return undefined;
    const { dailyTokens } = this.options.host.config().embeddingEndpoint;
    return wait.dailyTokens === undefined || wait.dailyTokens === dailyTokens ? wait : undefined;
  }

  private async today(): Promise<EmbeddingUse> {
    const day = this.options.host.now().toISOString().slice(0, 10);
    return parseEmbeddingUse(await this.options.records.readUse(day), day);
  }

  private count({ tokens, isSuccess }: { readonly tokens: number; readonly isSuccess: boolean }): void {
    this.unrecordedTokens += tokens;
    this.record(
      use => ({
        ...use,
        calls: use.calls + 1,
        tokens: use.tokens + tokens,
        failure: isSuccess ? undefined : use.failure,
      }),
      tokens,
    );
  }

  /** Records use without making a request wait: no recall depends on a write. */
  private record(change: (use: EmbeddingUse) => EmbeddingUse, tokens = 0): void {
    const day = this.options.host.now().toISOString().slice(0, 10);
    const recording = this.options.records
      .updateUse(day, record => change(parseEmbeddingUse(record, day)))
      .then(
        () => {
          this.unrecordedTokens -= tokens;
          this.onDidChange();
        },
        (error: unknown) => {
          // It stays counted here.
          this.options.host.log.error('What the embedding endpoint used could not be noted.', error);
        },
      )
      .finally(() => this.recordings.delete(recording));
    this.recordings.add(recording);
  }

  private unavailableError(problem: LocalizableMessage): EngineError {
    const { origin } = this.options.address;
    return new EngineError(
      'embedderUnavailable',
      message`The embedding endpoint ${origin} gives no vectors: ${problem}. Search goes on by words alone.`,
    );
  }
}

interface BatchText {
  /** In the call of `embed`. */
  readonly position: number;
  readonly text: string;
}

interface BatchRequest {
  readonly prefix: string;
  readonly inputType: EmbeddingInput;
  readonly signal: AbortSignal | undefined;
  readonly isMeasuring?: boolean;
}

/** The texts that may be sent, in batches; empty and private ones are left out, and keep a zero vector. */
function packTexts(texts: readonly string[], isPrivate: (text: string) => boolean): BatchText[][] {
  const batches: BatchText[][] = [];
  let characters = Infinity;
  for (const [position, given] of texts.entries()) {
    const text = given.slice(0, maxTextCharacters).trim();
    // The whole of it: what the end of a secret is cut from is one still.
    if (text === '' || isPrivate(given)) continue;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === maxBatchTexts || characters + text.length > maxBatchCharacters) {
      batches.push([{ position, text }]);
      characters = text.length;
    } else {
      batch.push({ position, text });
      characters += text.length;
    }
  }
  return batches;
}

/** Prefixes that well-known models want before a text, as their model cards say. */
const prefixRules: readonly (readonly [RegExp, { readonly query: string; readonly passage: string }])[] = [
  [/nomic-embed/iu, { query: 'search_query: ', passage: 'search_document: ' }],
  [/\be5-/iu, { query: 'query: ', passage: 'passage: ' }],
  [
    /mxbai-embed-large|\bbge-(?:small|base|large)-en/iu,
    { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  ],
];

function prefixesOf(model: string): { readonly query: string; readonly passage: string } {
  return prefixRules.find(([pattern]) => pattern.test(model))?.[1] ?? { query: '', passage: '' };
}

/** Of the same server, model and length, texts are comparable; thresholds do not affect vectors. */
function spaceIdOf({ url, model, dimensions }: MeasuredModel): string {
  const space = JSON.stringify([url, model, dimensions, prefixesOf(model)]);
  return `${model}@${createHash('sha256').update(space).digest('hex').slice(0, 8)}`;
}
