import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LocalizableMessage } from '../../base/localizableMessage.js';
import { readRegularText, replaceFile } from '../../base/regularFile.js';

/** Notices that a person has not confirmed yet. */
const noticesFile = (folder: string): string => path.join(folder, 'damage.json');
/** Older ones are dropped. */
const maxNotices = 20;

/** Notices of damage to the store in a folder, the newest last, until a person has seen it. */
export async function readDamageNotices(folder: string): Promise<LocalizableMessage[]> {
  try {
    const notices = JSON.parse(await readRegularText(noticesFile(folder))) as readonly LocalizableMessage[];
    return notices.map(revive);
  } catch {
    return [];
  }
}

export async function addDamageNotice(folder: string, notice: LocalizableMessage): Promise<void> {
  // The same again on the same day is said once.
  const others = (await readDamageNotices(folder)).filter(it => JSON.stringify(it) !== JSON.stringify(notice));
  const notices = [...others, notice].slice(-maxNotices);
  await replaceFile(noticesFile(folder), JSON.stringify(notices));
}

export function removeDamageNotices(folder: string): Promise<void> {
  return rm(noticesFile(folder), { force: true });
}

function revive({ pattern, args }: LocalizableMessage): LocalizableMessage {
  return new LocalizableMessage(
    pattern,
    args.map(it => (typeof it === 'object' ? revive(it) : it)),
  );
}
