import type { Memory } from '../../../src/engine/model/memory.js';
import { newMemory } from '../../support/newMemory.js';
import type { NewEdge } from '../../../src/engine/model/edge.js';
import type { HistoryLine, NewMemory, Store, StoreFilter } from '../../../src/engine/store/store.js';
import { closeAfterTest, TestHost } from '../../support/fixtures.js';

/** One way to keep a store. */
export interface StoreBackend {
  /** As the title of its tests ends. */
  readonly name: string;
  /** Makes a place for a store that nothing is in yet. @returns opens that store, each time as another program does */
  newPlace(host: TestHost): Promise<() => Promise<Store>>;
}

/** Declares the tests of one port, for a backend. */
export type Contract = (backend: StoreBackend) => void;

/** An empty store for each test of a suite. */
export class StoreOfTest {
  host!: TestHost;
  store!: Store;
  private open!: () => Promise<Store>;
  private readonly closed = new Set<Store>();
  private memoryNumber = 0;

  constructor(backend: StoreBackend) {
    beforeEach(async () => {
      this.host = new TestHost();
      this.memoryNumber = 0;
      this.open = await backend.newPlace(this.host);
      this.store = await this.openAnother();
    });
  }

  /** Opens the same data once more, as another program does. */
  async openAnother(): Promise<Store> {
    const store = await this.open();
    closeAfterTest(() => this.close(store));
    return store;
  }

  async close(store: Store): Promise<void> {
    if (this.closed.has(store)) return;
    this.closed.add(store);
    await store.close();
  }

  get now(): string {
    return this.host.now().toISOString();
  }

  /** A memory of the shared set that says something, as if made now. */
  memory(content: string, rest: Partial<NewMemory> = {}): NewMemory {
    const at = this.now;
    return newMemory(this.newId(), content, at, { summary: content.slice(0, 80), sequence: 0, ...rest });
  }

  /** Ids of one test ascend, and no two end alike. */
  private newId(): string {
    const number = (++this.memoryNumber).toString(16);
    return `01900000-0000-7000-8000-0000${number.padStart(8, '0')}`;
  }

  /** Stores one memory; time goes on by a second. */
  async keep(content: string, rest: Partial<NewMemory> = {}): Promise<string> {
    return (await this.keepAll([this.memory(content, rest)]))[0]!;
  }

  /** In one write; time goes on by a second. */
  async keepAll(memories: readonly NewMemory[]): Promise<readonly string[]> {
    await this.store.write('test', tx => tx.insertMany(memories));
    this.host.time += 1_000;
    return memories.map(it => it.id);
  }

  async keepTexts(...contents: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const it of contents) ids.push(await this.keep(it));
    return ids;
  }

  async get(id: string): Promise<Memory | undefined> {
    return (await this.store.get([id]))[0];
  }

  /** Contents of the memories that a filter finds, newest first. */
  async list(filter: Partial<StoreFilter> = {}, page = { limit: 100, offset: 0 }): Promise<readonly string[]> {
    return (await this.store.list({ scopeId: '', ...filter }, page)).map(it => it.content);
  }

  async problems(): Promise<readonly string[]> {
    return (await this.store.verify()).problems;
  }
}

export function edge(source: string, target: string, type: NewEdge['type'], strength = 0.8): NewEdge {
  return { source, target, type, strength, reason: `Because of ${strength}.` };
}

export function actionsOf(lines: readonly HistoryLine[]): readonly string[] {
  return lines.map(it => it.action);
}

/** Texts that statements, patterns and JSON read in their own ways. */
export const oddTexts: readonly (readonly [name: string, text: string])[] = [
  ['quotes', `He said 'no', "never" and \`\${not} now\`; -- DROP TABLE memories`],
  ['backslashes', String.raw`C:\Users\new\table and \\server\share, \u0041 and \'`],
  ['wildcards and placeholders', '100 % of a_b* [a-z]? cost $1, $2 or ?1 {} :name @x #y'],
  ['several lines', 'first line\nsecond line\r\n\tthird line\n'],
  ['emoji', 'A family 👨‍👩‍👧‍👦, a flag 🇩🇪, a thumb 👍🏽 and ☕️.'],
  ['German', 'Die Straße führt über die Größe der Äcker: ÄÖÜ äöü ẞß.'],
  ['Chinese', '部署使用 Kubernetes，数据库端口是五四三二。'],
  ['Arabic and combining marks', 'العربية e\u0301 a\u0308 \u200Fend'],
  ['JSON', '{"a": [1, null, "x"], "b": "\\u0000"}'],
  ['a very long word', `begin ${'x'.repeat(5_000)} end`],
  ['a hundred thousand words', 'lorem ipsum dolor sit amet '.repeat(20_000)],
];
