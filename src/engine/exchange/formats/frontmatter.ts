import { parseDocument } from 'yaml';
import { asJsonObject, type JsonObject } from '../../base/json.js';

/** The fields of a YAML frontmatter; `problem` where it is no YAML. Never throws. */
export function parseFrontmatter(yaml: string): { readonly fields: JsonObject } | { readonly problem: string } {
  try {
    const document = parseDocument(yaml, { logLevel: 'silent' });
    const error = document.errors[0];
    if (error !== undefined) return { problem: error.message.split('\n', 1)[0]! };
    return { fields: asJsonObject(document.toJS()) ?? {} };
  } catch (error) {
    // An alias without an anchor is found only when the values are read.
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
