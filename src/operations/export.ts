import { z } from 'zod';
import { exportFormats } from '../engine/engine.js';
import { definePersonCommand, option, scopeOption, written } from './personCommand.js';
import { countSensitive } from './sensitive.js';

export const exportCommand = definePersonCommand({
  name: 'export',
  description: 'write out every memory, forgotten and replaced ones too',
  input: z.strictObject({
    format: option(
      '--format <format>',
      z.enum(exportFormats).default('jsonl'),
      'jsonl, which an import reads back whole, or markdown to read',
    ),
    scope: scopeOption,
    out: option('--out <file>', z.string().exactOptional(), 'a file instead of stdout'),
  }),
  async run(engine, { format, scope, out }, caller) {
    await caller.write(out, engine.exchange.export(format, scope));
    const encrypted = await engine.sensitive.count();
    return written(
      ...(out === undefined ? [] : [`Written to ${out}.`]),
      ...(encrypted === 0
        ? []
        : [`Not exported: ${countSensitive(encrypted)}. One by one: recollect show ID --reveal --json`]),
    );
  },
});
