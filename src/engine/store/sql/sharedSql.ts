/** A cell of a row, as each driver gives it. */
type Row = Readonly<Record<string, unknown>>;

/** Values that both drivers bind alike. */
type SharedValue = string | number | null;

/** One connection to either database. */
export interface SharedSql {
  all(sql: string, ...values: readonly SharedValue[]): Promise<readonly Row[]>;
  get(sql: string, ...values: readonly SharedValue[]): Promise<Row | undefined>;
  run(sql: string, ...values: readonly SharedValue[]): Promise<void>;
}

/** SQL that the databases write differently; a query that uses it is written once for both. */
export interface SqlDialect {
  /** The text bound at a place, which counts from 1. */
  readonly text: (place: number) => string;
  /** The whole number bound at a place. */
  readonly integer: (place: number) => string;
  /** The number bound at a place. */
  readonly real: (place: number) => string;
  /** Condition: a text is in the JSON array bound at a place. */
  readonly isIn: (text: string, place: number) => string;
  /** A field of a JSON text, as text; NULL where it has none. */
  readonly field: (json: string, name: string) => string;
  /** Number of rows of a group for which a condition holds. */
  readonly countOf: (condition: string) => string;
  /** A text in the order of its bytes. */
  readonly byBytes: (text: string) => string;
}

export const sqliteDialect: SqlDialect = {
  text: place => `?${place}`,
  integer: place => `?${place}`,
  real: place => `?${place}`,
  isIn: (text, place) => `${text} IN (SELECT value FROM json_each(?${place}))`,
  field: (json, name) => `(${json} ->> '${name}')`,
  countOf: condition => `count(*) FILTER (WHERE ${condition})`,
  byBytes: text => text,
};

/** Each value is cast: a server finds no function of another schema by the type of an argument. */
export const postgresDialect: SqlDialect = {
  text: place => `$${place}::text`,
  integer: place => `$${place}::bigint`,
  real: place => `$${place}::float8`,
  isIn: (text, place) => `${text} IN (SELECT json_array_elements_text($${place}::json))`,
  field: (json, name) => `(${json}::json ->> '${name}')`,
  // A bigint would arrive as text.
  countOf: condition => `count(*) FILTER (WHERE ${condition})::int`,
  byBytes: text => `${text} COLLATE "C"`,
};
