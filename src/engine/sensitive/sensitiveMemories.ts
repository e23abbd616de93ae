import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { newUuid } from '../base/uuid.js';
import type { CallTracker } from '../store/callTracker.js';
import { storeForWrite, type Context } from '../context.js';
import { sumDeletions, type DeletionResult } from '../model/deletionResult.js';
import { formatMessage } from '../model/engineMessages.js';
import { isReferenceTo, normalizeReference, shortId } from '../model/memory.js';
import type { RevealedMemory, SensitiveInput, SensitiveMemory } from '../model/sensitive.js';
import { findPersonalData } from '../secrets/personalData.js';
import { findSecret } from '../secrets/secretScanner.js';
import type { Store, StoreRecord } from '../store/store.js';
import { decryptText, encryptText, type EncryptedText } from './encryptedText.js';
import { parseSensitiveKeys, type SensitiveKey } from './keyRing.js';

/** Body of a record of kind `sensitive`. */
interface SensitiveRecord extends EncryptedText {
  readonly label: string;
  readonly client: string;
}

interface LocatedRecord {
  readonly store: Store;
  readonly record: StoreRecord<SensitiveRecord>;
}

const maxLabelLength = 80;
const maxListed = 10_000;

/**
 * Texts that a person keeps although they hold a secret: encrypted with a key that the host holds, each with the person's
 * consent. They are records and no memories, so that no search, list, answer, publication, sync or export can reach them.
 * Only surfaces on which a person acts may call anything but `count`. Part of the façade.
 */
export class SensitiveMemories {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** How many there are in the open stores: all that a model may learn. */
  count(): Promise<number> {
    return this.calls.run(async () => (await this.all()).length);
  }

  /** Newest first; needs no key. */
  list(): Promise<SensitiveMemory[]> {
    return this.calls.run(async () => {
      const kept = await this.all();
      // A keyring may ask the person, or not answer: it is opened for what it is needed for.
      if (kept.length === 0) return [];
      const keys = await this.keys();
      return kept
        .map(it => summarize(it, keys))
        .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
    });
  }

  /** Names of the keys at hand; the first one encrypts. */
  keyNames(): Promise<string[]> {
    return this.calls.run(async () => (await this.keys()).map(it => it.name));
  }

  /**
   * Keeps a text as it was given. For a person's explicit consent to this text only.
   * @throws EngineError invalidInput | notAllowed (no key is available), and errors of Store.write
   */
  keep(input: SensitiveInput): Promise<SensitiveMemory> {
    return this.calls.change(async onWritten => {
      const kept = await this.write(input, storeForWrite(this.ctx, input.store ?? 'project', undefined));
      onWritten(kept.store, [kept.record.id]);
      return summarize(kept, await this.keys());
    });
  }

  /** The text of one. For a person who asked for this one. @throws EngineError notFound | ambiguousId | notAllowed | storeDamaged */
  reveal(reference: string): Promise<RevealedMemory> {
    return this.calls.run(async () => {
      const found = await this.find(reference);
      const keys = await this.keys();
      const { id, body } = found.record;
      const key = keys.find(it => it.name === body.key);
      if (key === undefined) throw missingKeyError(id, body.key);
      const content = decryptText(body, id, key);
      this.ctx.usage.addAccess({ via: 'reveal', memories: [{ id }], isByPerson: true });
      return { ...summarize(found, keys), content };
    });
  }

  /** The ids of some, by full or short ids. @throws EngineError notFound | ambiguousId */
  resolve(references: readonly string[]): Promise<readonly string[]> {
    return this.calls.run(async () => {
      const ids: string[] = [];
      for (const it of references) ids.push((await this.find(it)).record.id);
      return [...new Set(ids)];
    });
  }

  /**
   * Withdraws the consent: deletes the texts from their stores, from the free pages, and from every checkpoint and backup.
   * @param references full or short ids
   * @throws EngineError notFound | ambiguousId (nothing is deleted then) | storeReadOnly | storeFull | storeBusy
   */
  withdraw(references: readonly string[]): Promise<DeletionResult> {
    return this.calls.change(async onWritten => {
      const found: LocatedRecord[] = [];
      for (const it of references) found.push(await this.find(it));
      const { client } = this.ctx.host;
      const results: DeletionResult[] = [];
      for (const store of new Set(found.map(it => it.store))) {
        const ids = [...new Set(found.filter(it => it.store === store).map(it => it.record.id))];
        results.push(await store.hardDeletion.purge(client, ids));
        await this.calls.followDeletion(store);
        onWritten(store, ids);
      }
      return sumDeletions(results);
    });
  }

  private async write({ content, label }: SensitiveInput, store: Store): Promise<LocatedRecord> {
    const { maxCharacters } = this.ctx.host.config().remember;
    if (content.trim() === '') throw new EngineError('invalidInput', formatMessage('nothingToRemember'));
    if (content.length > maxCharacters)
      throw new EngineError('invalidInput', formatMessage('tooLong', content.length, maxCharacters));
    const [key] = await this.keys();
    if (key === undefined) throw noKeyError();
    const { client } = this.ctx.host;
    const now = this.ctx.host.now();
    const id = newUuid(now);
    const body: SensitiveRecord = { ...encryptText(content, id, key), label: toLabel(label, content), client };
    await store.write(client, async tx => {
      await tx.putRecord('sensitive', id, body);
      await tx.log('consent', { sensitive: id, key: key.name });
      await tx.announce();
    });
    return { store, record: { id, at: now.toISOString(), body } };
  }

  private async all(): Promise<LocatedRecord[]> {
    const located: LocatedRecord[] = [];
    for (const { store } of this.ctx.stores) {
      for (const record of await store.records<SensitiveRecord>('sensitive', maxListed))
        located.push({ store, record });
    }
    return located;
  }

  private async find(reference: string): Promise<LocatedRecord> {
    const wanted = normalizeReference(reference);
    const found = (await this.all()).filter(({ record }) => isReferenceTo(record, reference));
    if (found.length === 1) return found[0]!;
    if (found.length === 0)
      throw new EngineError('notFound', message`There is no sensitive memory ${JSON.stringify(wanted.slice(0, 40))}.`);
    const ids = found.map(it => it.record.id).join(', ');
    throw new EngineError('ambiguousId', message`Several sensitive memories have this id: ${ids}. Give the full id.`);
  }

  private async keys(): Promise<SensitiveKey[]> {
    return parseSensitiveKeys((await this.ctx.host.secret?.('sensitiveKeys')) ?? '');
  }
}

function summarize({ store, record }: LocatedRecord, keys: readonly SensitiveKey[]): SensitiveMemory {
  const { id, at, body } = record;
  const { label, key, client } = body;
  return { id, store: store.kind, createdAt: at, label, key, isReadable: keys.some(it => it.name === key), client };
}

/** @throws EngineError invalidInput for a label that would show what is encrypted */
function toLabel(given: string | undefined, content: string): string {
  const label = given?.replaceAll(/[\s\p{C}]+/gu, ' ').trim() ?? '';
  if (label === '') return findSecret(content)?.label ?? findPersonalData(content)?.label ?? 'sensitive text';
  if (label.length > maxLabelLength)
    throw new EngineError('invalidInput', message`A label has at most ${maxLabelLength} characters.`);
  if (findSecret(label) !== undefined || content.trim() === label)
    throw new EngineError('invalidInput', 'The label is not encrypted: name the text without its secret.');
  return label;
}

function noKeyError(): EngineError {
  return new EngineError(
    'notAllowed',
    'There is no key for sensitive memories here. On the command line create one with recollect key create; VS Code offers to create one when you keep a sensitive memory there.',
  );
}

function missingKeyError(id: string, key: string): EngineError {
  return new EngineError(
    'notAllowed',
    message`The key ${key} of the sensitive memory #${shortId({ id })} is not here. Bring it from where it was kept: print it there with recollect key export, or copy it in VS Code with "Copy the Key of Sensitive Memories…"; take it in here with recollect key import, or in VS Code with "Bring a Key for Sensitive Memories…".`,
  );
}
