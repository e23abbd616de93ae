import path from 'node:path';
import { readTextFile, replaceTextFile } from '../base/atomicFile.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import { formatMessage } from '../model/engineMessages.js';
import type { EngineHost } from '../model/host.js';
import type { AuditAnchor, StoreReport } from '../model/storeReport.js';
import type { Store } from '../store/store.js';

export function verifyStores(
  { host, stores }: Pick<Context, 'host' | 'stores'>,
  anchor: AuditAnchor | undefined,
): Promise<StoreReport[]> {
  return Promise.all(stores.map(it => verifyAgainstAnchor(host, it.store, anchor)));
}

/** The store's own report, and whether its audit log still holds what a person's anchor says of it. */
async function verifyAgainstAnchor(
  { dataDir }: Pick<EngineHost, 'dataDir'>,
  store: Store,
  anchor: AuditAnchor | undefined,
): Promise<StoreReport> {
  const report = await store.verify();
  const head = anchor?.heads[storeName(dataDir, store)];
  if (anchor === undefined || head === undefined || (await store.hasAuditHead(head))) return report;
  const problem = formatMessage('notAnchored', Number.parseInt(head, 10), anchor.at.slice(0, 10));
  return { ...report, problems: [...report.problems, problem] };
}

/** The heads of the audit logs of all open stores. */
export async function readAuditAnchor({ host, stores }: Pick<Context, 'host' | 'stores'>): Promise<AuditAnchor> {
  const heads = await Promise.all(
    stores.map(async ({ store }) => [storeName(host.dataDir, store), await store.auditHead()] as const),
  );
  return { at: host.now().toISOString(), heads: Object.fromEntries(heads.filter(([, head]) => head !== '')) };
}

function storeName(dataDir: string, { file }: Store): string {
  return path.relative(dataDir, path.dirname(file)).replaceAll('\\', '/');
}

/** @throws EngineError notFound | unsupportedFile */
export async function readAuditAnchorFile(file: string): Promise<AuditAnchor> {
  const { text } = await readTextFile(file);
  if (text === undefined) throw new EngineError('notFound', message`There is no file ${file}.`);
  try {
    const { at, heads } = JSON.parse(text) as Partial<AuditAnchor>;
    if (typeof at === 'string' && typeof heads === 'object') return { at, heads };
  } catch {
    // No JSON.
  }
  throw new EngineError(
    'unsupportedFile',
    message`${file} is no anchor. Write one with: recollect verify --write-anchor FILE`,
  );
}

/** @throws EngineError unsupportedFile */
export async function writeAuditAnchorFile(file: string, anchor: AuditAnchor): Promise<void> {
  await replaceTextFile(file, (await readTextFile(file)).text, `${JSON.stringify(anchor, undefined, 2)}\n`);
}
