/**
 * Reads what clients and models send in place of what a tool's schema asks for: `null` and empty strings for options that
 * are not used, numbers and lists as strings, one value for a list, keys of the client's own. Everything follows from the
 * JSON Schema, nothing from the name of a field. What cannot be read stays as it is, for the validation to report.
 */

/** The part of JSON Schema, draft 7, that the inputs of tools use. */
interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

export interface LenientInput {
  readonly input: unknown;
  /** Notes about what was left out or cut, in whole sentences for the model; empty for most calls. */
  readonly notes: readonly string[];
  /** Names of the keys that the schema does not have. */
  readonly unknownKeys: readonly string[];
}

/** @param jsonSchema of an object, as `inputSchema` makes it */
export function readLenientInput(jsonSchema: object, rawInput: unknown): LenientInput {
  const reader = new LenientReader();
  const input = reader.read(jsonSchema, rawInput ?? {}, 'input');
  const unknownKeys = [...reader.unknownKeys];
  return { input, unknownKeys, notes: [...reader.cuts, ...ignoredKeysNote(unknownKeys)] };
}

function ignoredKeysNote(unknownKeys: readonly string[]): string[] {
  return unknownKeys.length === 0 ? [] : [`Not an option of this tool, and ignored: ${unknownKeys.join(', ')}.`];
}

/** More would bury the answer; a longer name is no name. */
const maxUnknownKeys = 5;
const maxKeyLength = 40;

class LenientReader {
  readonly unknownKeys = new Set<string>();
  readonly cuts = new Set<string>();

  read(schema: Schema, value: unknown, name: string): unknown {
    if (schema.type === undefined) return value;
    switch (schema.type) {
      case 'object':
        return this.readObject(schema, value);
      case 'array':
        return this.readArray(schema, value, name);
      case 'string':
        return this.readString(schema, value, name);
      case 'integer':
      case 'number':
        return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
          ? Number(value)
          : value;
      case 'boolean':
        return readBoolean(value);
    }
  }

  private readObject(schema: Schema, value: unknown): unknown {
    const object = typeof value === 'string' ? objectFromText(schema, value) : value;
    if (!isObject(object)) return value;
    const { properties = {}, required = [] } = schema;
    const entries = Object.entries(object).flatMap(([key, rawValue]): [string, unknown][] => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property === undefined) {
        if (schema.additionalProperties !== false) return [[key, rawValue]];
        this.noteUnknownKey(key, rawValue);
        return [];
      }
      if (required.includes(key)) return [[key, this.read(property, rawValue, key)]];
      if (isUnused(rawValue)) return [];
      const read = this.read(property, rawValue, key);
      return isTooEmpty(property, read) ? [] : [[key, read]];
    });
    return Object.fromEntries(entries);
  }

  private readArray({ items = {}, maxItems = Infinity }: Schema, value: unknown, name: string): unknown {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : listFromValue(items, value);
    const used = list?.filter(it => !isUnused(it));
    if (used !== undefined && used.length > maxItems)
      this.cuts.add(`Of ${used.length} ${name} the first ${maxItems} were taken; more are not possible.`);
    return used?.slice(0, maxItems).map(it => this.readItem(items, it, name)) ?? value;
  }

  /** One item's word for an option that has no such word is left out: it must not cost the other items. */
  private readItem(items: Schema, value: unknown, name: string): unknown {
    const read = this.read(items, value, name);
    const { properties = {}, required = [] } = items;
    if (!isObject(read)) return read;
    const isKept = ([key, word]: [string, unknown]): boolean => {
      const words = Object.hasOwn(properties, key) ? properties[key]?.enum : undefined;
      if (words === undefined || required.includes(key) || words.includes(word)) return true;
      this.cuts.add(`The ${key} may be ${words.join(', ')}; another one was left out.`);
      return false;
    };
    return Object.fromEntries(Object.entries(read).filter(isKept));
  }

  private readString(schema: Schema, value: unknown, name: string): unknown {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') return value;
    if (schema.enum !== undefined) {
      const word = text.trim().toLowerCase();
      return schema.enum.find(it => typeof it === 'string' && it.toLowerCase() === word) ?? text;
    }
    const { maxLength = Infinity } = schema;
    if (text.trim().length <= maxLength) return text;
    this.cuts.add(`The ${name} was longer than ${maxLength} characters; what follows them was left out.`);
    // Not inside a pair of surrogates.
    return text
      .trim()
      .slice(0, maxLength)
      .replace(/[\uD800-\uDBFF]$/u, '');
  }

  /** Keys that start with an underscore are the protocol's or the client's, and no mistake of the model. */
  private noteUnknownKey(key: string, value: unknown): void {
    if (key.startsWith('_') || isUnused(value) || this.unknownKeys.size >= maxUnknownKeys) return;
    this.unknownKeys.add(key.slice(0, maxKeyLength));
  }
}

function objectFromText({ properties = {}, required = [] }: Schema, text: string): unknown {
  const parsed = parseJson(text);
  if (isObject(parsed)) return parsed;
  // A text for an object that needs nothing but a text.
  const [only, ...others] = required;
  const isText = only !== undefined && others.length === 0 && properties[only]?.type === 'string';
  return isText && text.trim() !== '' ? { [only]: text } : undefined;
}

/** A list written as JSON, several words of a fixed set with commas between them, or one value. */
function listFromValue(items: Schema, value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return [value];
  const parsed = parseJson(value);
  if (Array.isArray(parsed)) return parsed as readonly unknown[];
  return items.enum === undefined ? [value] : value.split(',').map(it => it.trim());
}

function readBoolean(value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return word === 'true' ? true : word === 'false' ? false : value;
}

const isUnused = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const isTooEmpty = ({ minItems = 0 }: Schema, value: unknown): boolean =>
  Array.isArray(value) && value.length === 0 && minItems > 0;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for what is no JSON of an object or a list. */
function parseJson(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
