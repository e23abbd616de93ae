import { z } from 'zod';
import { readAuditAnchorFile, writeAuditAnchorFile } from '../engine/engine.js';
import { describeStoreReport } from './describeMemory.js';
import { definePersonCommand, flag, option } from './personCommand.js';

const file = z.string().exactOptional();

export const verifyCommand = definePersonCommand({
  name: 'verify',
  description: 'check the files, the search index and the audit log',
  input: z.strictObject({
    seen: option('--seen', flag, 'you have read the notices about damage: do not show them again'),
    writeAnchor: option(
      '--write-anchor <file>',
      file,
      'write a checksum of the audit logs to a file, to keep on another machine',
    ),
    anchor: option('--anchor <file>', file, 'check the audit logs against such a file'),
  }),
  async run(engine, { seen, writeAnchor, anchor }) {
    if (seen === true) await engine.confirmDamage({ alsoOlderCopies: true });
    const stores = await engine.verify(anchor === undefined ? undefined : await readAuditAnchorFile(anchor));
    const ok = stores.every(it => it.problems.length === 0);
    if (writeAnchor !== undefined) await writeAuditAnchorFile(writeAnchor, await engine.auditAnchor());
    const damage = engine.damageNotices.map(String);
    return {
      output: { ok, stores, ...(damage.length > 0 ? { damage } : {}) },
      lines: stores.flatMap(describeStoreReport),
      ending: ok ? 'done' : 'damaged',
    };
  },
});
