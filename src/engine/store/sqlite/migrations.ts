/**
 * The store's schema, as numbered steps: step n brings a file from version n-1 to n (`PRAGMA user_version`).
 * Append only: a released step never changes, because files made by it exist.
 */
export const sqliteMigrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  INSERT INTO meta VALUES ('revision', '0'), ('auditHead', '');

  -- One counter per scopeId ('' = none): rises by one at each write; strength reads it.
  CREATE TABLE sequences (scope_id TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE memories (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    gate TEXT NOT NULL,
    kind TEXT NOT NULL,
    lane TEXT NOT NULL,
    decay_class TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 100),
    priority INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    reinforcement_count INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    useful_count INTEGER NOT NULL,
    feedback INTEGER NOT NULL,
    tags TEXT NOT NULL,
    sensitive INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- Why it is archived: 'forgotten' (by a person; recall leaves it alone) or what a machine thought.
    archive_reason TEXT,
    scope_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    due_at TEXT,
    expires_at TEXT,
    retention_score REAL,
    scoring_version INTEGER,
    content_hash TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT,
    uri TEXT,
    -- The rest of the provenance, as JSON.
    provenance TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    reinforced_at TEXT NOT NULL,
    accessed_at TEXT,
    archived_at TEXT
  );
  -- The same fact has one row, whatever two processes do at once.
  CREATE UNIQUE INDEX memories_by_fact ON memories (scope_id, content_hash);
  CREATE INDEX memories_by_handle ON memories (substr(id, -8));
  CREATE INDEX memories_by_gate ON memories (status, gate, kind, created_at);
  CREATE INDEX memories_by_decay_class ON memories (status, decay_class, kind, created_at);
  CREATE INDEX memories_by_session ON memories (session, sequence) WHERE session IS NOT NULL;
  CREATE INDEX memories_by_uri ON memories (uri) WHERE uri IS NOT NULL;

  -- Our own terms (text/terms.ts), already split and stemmed, so the tokenizer only cuts at spaces.
  CREATE VIRTUAL TABLE memory_terms USING fts5(
    terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
  );

  -- Append only; every entry holds the hash of the one before it (security/audit.ts).
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    memory_id TEXT,
    actor TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL
  );
  CREATE INDEX audit_by_memory ON audit (memory_id, seq) WHERE memory_id IS NOT NULL;

  CREATE TABLE traces (id TEXT PRIMARY KEY, at TEXT NOT NULL, trace TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  -- The revision at which a memory was last written: what a process that looks again has not seen yet.
  ALTER TABLE memories ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX memories_by_change ON memories (change);
  -- Rows that are gone, and since which revision.
  CREATE TABLE removed (row INTEGER PRIMARY KEY, change INTEGER NOT NULL);

  -- Embeddings, int8, of each model that is or was in use: spaces never mix.
  CREATE TABLE models (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
  CREATE TABLE vectors (
    model INTEGER NOT NULL, row INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, row)
  ) WITHOUT ROWID;
  `,
  `
  -- How memories hang together (model/edge.ts). One row for both directions of a type that holds both ways: the later
  -- memory is its source.
  CREATE TABLE edges (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    type TEXT NOT NULL,
    strength REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
    -- A sentence for people: why it was made.
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- Since when a person has settled what a contradiction means.
    settled_at TEXT,
    PRIMARY KEY (source, target, type)
  ) WITHOUT ROWID;
  CREATE INDEX edges_by_target ON edges (target);
  CREATE INDEX edges_unsettled ON edges (created_at) WHERE type = 'contradicts' AND settled_at IS NULL;
  -- Edges that point here; what centrality is made of.
  ALTER TABLE memories ADD COLUMN in_degree INTEGER NOT NULL DEFAULT 0;

  -- Small things that are kept beside the memories, as JSON: goals, maintenance runs, proposals, cursors.
  CREATE TABLE records (
    kind TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  CREATE INDEX records_by_time ON records (kind, at);

  CREATE INDEX memories_due ON memories (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;
  `,
  `
  -- Counting by sort reads this alone. The status comes last: before the gate, SQLite would take this for a page of a
  -- gate, and sort it.
  CREATE INDEX memories_by_sort ON memories (scope_id, decay_class, gate, kind, status);
  -- The newest of a set, without sorting all of it.
  CREATE INDEX memories_by_time ON memories (scope_id, status, created_at);
  `,
  `
  -- Search aids by memory, as JSON lists: what a later search may ask or type in other words. No content.
  CREATE TABLE aids (row INTEGER PRIMARY KEY, questions TEXT NOT NULL, keywords TEXT NOT NULL);
  CREATE TRIGGER aids_end AFTER DELETE ON memories BEGIN DELETE FROM aids WHERE row = old.row; END;
  -- Which end of an edge no longer holds ('source', 'target', or 'none': both do), who said so ('model', 'person') and
  -- when. Without a mark the older end of an open contradiction is outdated, by a rule.
  ALTER TABLE edges ADD COLUMN outdated TEXT;
  ALTER TABLE edges ADD COLUMN marked_by TEXT;
  ALTER TABLE edges ADD COLUMN marked_at TEXT;
  `,
];
