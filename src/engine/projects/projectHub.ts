import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { projectName, type Context } from '../context.js';
import type { MoveResult, Moves } from '../lifecycle/moves.js';
import { Sequencer } from '../base/sequencer.js';
import { globalPlace, type MemoryPlace, type PlaceInput, type PlacePage } from '../model/project.js';
import { AnswerCache } from '../recall/answerCache.js';
import { listPlace } from '../recall/listPlace.js';
import { countProjectMemories, readProjectRecords } from '../store/projectRecords.js';
import type { Store } from '../store/store.js';

/**
 * The memories of every project on this machine, for a person alone: read without a trace of it, and copied or moved by
 * their word. At most one store that the session does not use is kept open, for the next keystroke of a search.
 */
export class ProjectHub {
  private kept: { readonly place: string; readonly store: Promise<Store> } | undefined;
  /** One call at a time, so that no store is closed that another call uses. */
  private readonly queue = new Sequencer();

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parts: {
      readonly moves: Moves;
      /** Opens the store of a project. */
      readonly openStore: (key: string) => Promise<Store>;
    },
  ) {}

  /** The projects of the session, the global memory, then the other projects by name. */
  places(): Promise<MemoryPlace[]> {
    return this.calls.run(async () => {
      const global = await this.findOpen(globalPlace)!.groups('');
      const places: MemoryPlace[] = [
        {
          id: globalPlace,
          name: '',
          folders: [],
          memories: global.filter(it => it.status === 'active').reduce((sum, it) => sum + it.count, 0),
          isOpen: true,
        },
      ];
      for (const { key, name, folders } of await readProjectRecords(this.ctx.host.dataDir)) {
        places.push({
          id: key,
          name,
          folders: folders.map(it => it.path),
          memories: await countProjectMemories(this.ctx.host.dataDir, key, 'shared active'),
          isOpen: this.findOpen(key) !== undefined,
        });
      }
      const order = (it: MemoryPlace): number => (it.id === globalPlace ? 1 : it.isOpen ? 0 : 2);
      return places.sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name));
    });
  }

  /** The place of a memory of this session; undefined where there is none with this id. */
  placeOf(id: string): Promise<Pick<MemoryPlace, 'id' | 'name'> | undefined> {
    return this.calls.run(async () => {
      for (const { store, key } of this.openStores()) {
        if ((await store.get([id])).length === 0) continue;
        if (key === undefined) return { id: globalPlace, name: '' };
        const record = (await readProjectRecords(this.ctx.host.dataDir)).find(it => it.key === key);
        return { id: key, name: record?.name ?? '' };
      }
      return undefined;
    });
  }

  /** The names of the open projects that memories are in, by their ids; one that is global has none. */
  projectNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.calls.run(async () => {
      const names = new Map<string, string>();
      for (const { store } of this.openStores()) {
        const name = projectName(this.ctx, store);
        if (name === undefined) continue;
        for (const { id } of await store.get(ids)) names.set(id, name);
      }
      return names;
    });
  }

  /**
   * Memories of a place outside isolated sets. For a query those that probably answer it, best first, then those that contain
   * it, because the last word is rarely complete.
   * @param place undefined = all that this session reads
   * @throws EngineError notFound | notAllowed, and what opening a store throws
   */
  memories(place: string | undefined, input: PlaceInput): Promise<PlacePage> {
    return this.run(async () => {
      const open = place === undefined ? this.openStores() : [{ store: await this.openPlace(place), folders: [] }];
      const ctx: Context = { ...this.ctx, stores: open, cache: new AnswerCache() };
      return listPlace(ctx, input);
    });
  }

  /**
   * Moves or copies memories from one place to another one; a copy has an id of its own.
   * @throws EngineError notFound | notAllowed | invalidInput (nothing is moved then), and errors of Store.write
   */
  async transfer(
    ids: readonly string[],
    { from, to, copies }: { readonly from: string; readonly to: string; readonly copies: boolean },
  ): Promise<MoveResult> {
    if (from === to) throw new EngineError('invalidInput', 'They are there already. Choose another place.');
    return this.run(() =>
      this.withPlaces([from, to], ([source, target]) =>
        this.parts.moves.transfer(ids, { source: source!, target: target!, copies }),
      ),
    );
  }

  /** Takes back what `transfer` copied to a place. */
  removeCopies(ids: readonly string[], place: string): Promise<void> {
    return this.run(() =>
      this.withPlaces([place], ([store]) =>
        this.calls.change(async onWritten => {
          await store!.write(this.ctx.host.client, async tx => {
            for (const { id } of await tx.getMany(ids)) await tx.delete(id, 'purge');
          });
          onWritten(store!, ids);
        }),
      ),
    );
  }

  /** Closes the store that is kept open. */
  close(): Promise<void> {
    return this.queue.run(() => this.closeKept());
  }

  private run<T>(work: () => Promise<T>): Promise<T> {
    return this.calls.run(() => this.queue.run(work));
  }

  private async closeKept(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    await kept?.store.then(
      it => it.close(),
      () => undefined,
    );
  }

  /** Runs work on stores of which those that the session does not use are closed afterwards. */
  private async withPlaces<T>(places: readonly string[], work: (stores: readonly Store[]) => Promise<T>): Promise<T> {
    const opened: Store[] = [];
    try {
      const stores: Store[] = [];
      for (const place of places) {
        const known = this.findOpen(place) ?? (this.kept?.place === place ? await this.kept.store : undefined);
        const store = known ?? (await this.openOther(place));
        if (known === undefined) opened.push(store);
        stores.push(store);
      }
      return await work(stores);
    } finally {
      for (const it of opened) await it.close();
    }
  }

  private async openPlace(place: string): Promise<Store> {
    const open = this.findOpen(place);
    if (open !== undefined) return open;
    if (this.kept?.place !== place) {
      await this.closeKept();
      this.kept = { place, store: this.openOther(place) };
    }
    const { kept } = this;
    try {
      return await kept.store;
    } catch (error) {
      if (this.kept === kept) this.kept = undefined;
      throw error;
    }
  }

  /** The stores of the session. */
  private openStores(): Context['stores'] {
    this.requirePerson();
    return this.ctx.stores;
  }

  /** A store of the session. */
  private findOpen(place: string): Store | undefined {
    this.requirePerson();
    if (place === globalPlace) return this.ctx.globalStore;
    return this.ctx.stores.find(it => it.key === place)?.store;
  }

  /** @throws EngineError notAllowed */
  private requirePerson(): void {
    if (this.ctx.host.onlyStore !== undefined)
      throw new EngineError('notAllowed', 'Only the user may look into the memories of other projects.');
  }

  /** Only what is there: opening a store that is not would make one. */
  private async openOther(place: string): Promise<Store> {
    const records = await readProjectRecords(this.ctx.host.dataDir);
    if (records.some(it => it.key === place)) return this.parts.openStore(place);
    throw new EngineError('notFound', message`There is no project ${place}. List them: recollect project list.`);
  }
}
