import { instructionOf } from './instructionSql.js';

/**
 * The schema of one store on a PostgreSQL server, as numbered steps: step n brings it from version n-1 to n (`meta.version`).
 * Append only: a released step never changes, because stores made by it exist. Each store has a schema of its own, which its
 * login owns; names are found by the search path. Columns that the SQLite store has too have the same names and values.
 */
export const postgresMigrations: readonly string[] = [
  `
  CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
  INSERT INTO meta VALUES ('revision', '0'), ('auditHead', '');

  -- One counter per scopeId ('' = none): rises by one at each write.
  CREATE TABLE sequences (scope_id text PRIMARY KEY, value integer NOT NULL);

  CREATE TABLE memories (
    -- In the order of writing.
    row integer PRIMARY KEY,
    id text NOT NULL UNIQUE,
    content text NOT NULL,
    summary text NOT NULL,
    gate text NOT NULL,
    kind text NOT NULL,
    lane text NOT NULL,
    decay_class text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 100),
    priority integer NOT NULL,
    pinned integer NOT NULL,
    reinforcement_count integer NOT NULL,
    access_count integer NOT NULL,
    useful_count integer NOT NULL,
    feedback integer NOT NULL,
    -- A JSON list, as text.
    tags text NOT NULL,
    sensitive integer NOT NULL,
    status text NOT NULL,
    archive_reason text,
    scope_id text NOT NULL,
    sequence integer NOT NULL,
    due_at text,
    expires_at text,
    retention_score double precision,
    scoring_version integer,
    content_hash text NOT NULL,
    source text NOT NULL,
    session text,
    uri text,
    -- The rest of the provenance, as JSON text.
    provenance text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    reinforced_at text COLLATE "C" NOT NULL,
    accessed_at text COLLATE "C",
    archived_at text COLLATE "C",
    -- Edges that point here, from memories of the same set.
    in_degree integer NOT NULL DEFAULT 0,
    -- The revision at which it was last written.
    change integer NOT NULL,
    -- Our own terms (text/analyzer.ts) of content and tags, with their positions.
    terms tsvector NOT NULL,
    -- Keys of its topics (contradiction/statement.ts).
    topics text[] NOT NULL
  );
  -- The same fact has one row, whatever two processes do at once.
  CREATE UNIQUE INDEX memories_by_fact ON memories (scope_id, content_hash);
  CREATE INDEX memories_by_handle ON memories (right(id, 8));
  CREATE INDEX memories_by_time ON memories (scope_id, status, created_at DESC, id DESC);
  CREATE INDEX memories_by_sort ON memories (scope_id, decay_class, gate, kind, status);
  CREATE INDEX memories_by_session ON memories (session, row) WHERE session IS NOT NULL;
  CREATE INDEX memories_by_uri ON memories (uri) WHERE uri IS NOT NULL;
  CREATE INDEX memories_by_change ON memories (change);
  CREATE INDEX memories_due ON memories (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX memories_by_terms ON memories USING gin (terms);
  CREATE INDEX memories_by_topic ON memories USING gin (topics);
  CREATE INDEX memories_instructing ON memories (scope_id, row) WHERE ${instructionOf('content')};

  -- Search aids, as JSON lists, and the terms of both.
  CREATE TABLE aids (
    id text PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    questions text NOT NULL,
    keywords text NOT NULL,
    terms tsvector NOT NULL
  );
  CREATE INDEX aids_by_terms ON aids USING gin (terms);

  -- How many memories have a term without stop words, in their own words and in their search aids: what makes a term rare.
  CREATE TABLE lexemes (term text COLLATE "C" PRIMARY KEY, memories integer NOT NULL, aids integer NOT NULL);
  -- One row: memories, and the terms of all of them together.
  CREATE TABLE totals (memories integer NOT NULL, terms double precision NOT NULL);
  INSERT INTO totals VALUES (0, 0);

  -- Embeddings, int8, of each model that is or was in use: spaces never mix.
  CREATE TABLE models (id text PRIMARY KEY, dimensions integer NOT NULL, used_at text);
  CREATE TABLE vectors (
    model text NOT NULL,
    id text NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    vector bytea NOT NULL,
    PRIMARY KEY (id, model)
  );

  -- How memories hang together (model/edge.ts).
  CREATE TABLE edges (
    source text NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    target text NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    type text NOT NULL,
    strength double precision NOT NULL CHECK (strength BETWEEN 0 AND 1),
    reason text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    settled_at text,
    outdated text,
    marked_by text,
    marked_at text,
    PRIMARY KEY (source, target, type)
  );
  CREATE INDEX edges_by_target ON edges (target);
  CREATE INDEX edges_unsettled ON edges (created_at) WHERE type = 'contradicts' AND settled_at IS NULL;

  CREATE TABLE records (
    kind text NOT NULL, id text NOT NULL, at text COLLATE "C" NOT NULL, body text NOT NULL, PRIMARY KEY (kind, id)
  );
  CREATE INDEX records_by_time ON records (kind, at);

  -- Append only; every entry holds the hash of the one before it (store/audit.ts).
  CREATE TABLE audit (
    seq integer PRIMARY KEY,
    at text COLLATE "C" NOT NULL,
    action text NOT NULL,
    memory_id text,
    actor text NOT NULL,
    detail text NOT NULL,
    hash text NOT NULL
  );
  CREATE INDEX audit_by_memory ON audit (memory_id, seq) WHERE memory_id IS NOT NULL;

  CREATE TABLE traces (id text PRIMARY KEY, at text COLLATE "C" NOT NULL, trace text NOT NULL);
  CREATE INDEX traces_by_time ON traces (at);

  -- Copies of some of these tables, each in tables of its own (postgresCheckpoints.ts).
  CREATE TABLE checkpoints (
    id text PRIMARY KEY,
    at text COLLATE "C" NOT NULL,
    origin text NOT NULL,
    reason text NOT NULL,
    -- Of this schema.
    version integer NOT NULL,
    memories integer NOT NULL
  );

  CREATE TABLE leases (task text PRIMARY KEY, holder text NOT NULL, expires_at double precision NOT NULL);
  `,
  `
  -- Nothing compares by topics any more.
  DROP INDEX memories_by_topic;
  ALTER TABLE memories DROP COLUMN topics;
  `,
  `
  -- The terms that only the words kept with a memory have (its provenance), of those that have any. Counted in lexemes.aids.
  CREATE TABLE said (id text PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE, terms tsvector NOT NULL);
  CREATE INDEX said_by_terms ON said USING gin (terms);
  `,
];
