export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object: no array, no primitive, not null. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Parses a text that holds one JSON object; undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    return asJsonObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
