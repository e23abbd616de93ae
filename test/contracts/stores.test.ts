import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { rowsOf, type Row } from './kit/database.js';
import { matchesGolden, shapeOf } from './kit/golden.js';
import { scenario, type Scenario } from './kit/scenario.js';

const stores = ['global', 'project'] as const;

/** SQL without its comments and its layout. */
function normalised(sql: string): string {
  return sql
    .replace(/--[^\n]*/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/\s*([(),])\s*/gu, '$1')
    .trim();
}

/** A statement with each column of a table on a line of its own. */
function laidOut(sql: string): string {
  let depth = 0;
  return sql.replace(/[(),]/gu, it => {
    depth += it === '(' ? 1 : it === ')' ? -1 : 0;
    return it === ',' && depth === 1 ? ',\n    ' : it;
  });
}

describe('the database files', function () {
  let built: Scenario;
  const rows = async (query: string): Promise<Row[]> =>
    (await Promise.all(stores.map(it => rowsOf(built.shell.file(it), query)))).flat();
  before(async () => {
    built = await scenario();
  });

  it('keep the tables, the columns, the indexes and the triggers of both stores', async () => {
    const schemas = await Promise.all(
      stores.map(async it => {
        const found = await rowsOf(
          built.shell.file(it),
          'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type DESC, name',
        );
        return found.map(({ type, name, tbl_name: table, sql }) =>
          [type, name, `on ${String(table)}`, typeof sql === 'string' ? laidOut(normalised(sql)) : 'automatic'].join(
            ' | ',
          ),
        );
      }),
    );
    assert.deepEqual(schemas[0], schemas[1]);
    matchesGolden('store/schema.txt', schemas[0]!.join('\n'));
  });

  it('keep the name, the type, the default and the constraint of each column', async () => {
    const columns = await rowsOf(
      built.shell.file('global'),
      `SELECT t.name AS tableName, c.name, c.type, c."notnull" AS required, c.dflt_value AS fallback, c.pk
       FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'memory_terms_%'
       ORDER BY t.name, c.cid`,
    );
    const lines = columns.map(
      ({ tableName, name, type, required, fallback, pk }) =>
        `${String(tableName)}.${String(name)} ${String(type)}${required === 1 ? ' required' : ''}${fallback === null ? '' : ` default ${JSON.stringify(fallback)}`}${pk === 0 ? '' : ` key ${String(pk)}`}`,
    );
    matchesGolden('store/columns.txt', lines.join('\n'));
  });

  it('keep their version, their application id and the keys of the meta table', async () => {
    const pragmas = await rows('SELECT user_version, application_id FROM pragma_user_version, pragma_application_id');
    const modes = await rows('PRAGMA journal_mode');
    // The times of the models' use are written in the background, and are perhaps missing at the end.
    const keys = await rows("SELECT DISTINCT key FROM meta WHERE key NOT LIKE 'modelUsed:%' ORDER BY key");
    const models = await rows(
      'SELECT id, length(vector) AS bytes FROM models JOIN vectors ON model = number GROUP BY 1, 2',
    );
    matchesGolden('store/version.json', { pragmas, modes, keys, models });
  });

  it('keep the kinds of the records and the fields of their bodies', async () => {
    const bodies: Record<string, unknown[]> = {};
    const found = await rows('SELECT kind, id, body FROM records ORDER BY kind, at, id');
    for (const { kind, body } of found) (bodies[kind as string] ??= []).push(JSON.parse(body as string));
    // In a record of a kind the keys may be ids or hashes of their own.
    const mask = built.mask.copy();
    const shapes = Object.entries(bodies).map(([kind, of]): [string, string[]] => [
      kind,
      shapeOf(of.map(it => mask.value(it))).split('\n'),
    ]);
    const states = found
      .filter(it => it.kind === 'state')
      .map(it => (it.id as string).replace(/[\w-]{43}/u, '<hash>').replace(/^followed:.*\//u, 'followed:<folder>/'));
    matchesGolden('store/records.json', { bodies: Object.fromEntries(shapes), states: [...new Set(states)].sort() });
  });

  it('keep the actions of the audit log, the types of the edges and the words of the columns', async () => {
    const audit: Record<string, string> = {};
    const details: Record<string, unknown[]> = {};
    for (const { action, detail } of await rows('SELECT action, detail FROM audit ORDER BY action')) {
      (details[action as string] ??= []).push(JSON.parse(detail as string));
    }
    for (const [action, of] of Object.entries(details)) audit[action] = shapeOf(of).replaceAll('\n', '; ');
    const words: Record<string, unknown> = {};
    for (const column of ['gate', 'kind', 'lane', 'decay_class', 'status', 'archive_reason', 'source', 'scope_id']) {
      const values = await rows(`SELECT DISTINCT ${column} AS value FROM memories`);
      words[column] = [...new Set(values.map(it => it.value))].sort();
    }
    const edges = await rows(
      'SELECT type, strength, reason, settled_at IS NULL AS open FROM edges ORDER BY type, reason',
    );
    const provenance = await rows('SELECT provenance FROM memories');
    const trace = await rows('SELECT trace FROM traces');
    matchesGolden('store/content.json', {
      audit,
      words,
      edges: built.mask.copy().value(edges),
      provenance: shapeOf(provenance.map(it => JSON.parse(it.provenance as string) as unknown)).split('\n'),
      trace: shapeOf(trace.map(it => JSON.parse(it.trace as string) as unknown)).split('\n'),
      actors: (await rows('SELECT DISTINCT actor FROM audit')).map(it => it.actor),
    });
  });

  it('keep the chain of hashes of the audit log', async () => {
    for (const it of stores) {
      const found = await rowsOf(built.shell.file(it), 'SELECT seq, hash FROM audit ORDER BY seq');
      const head = await rowsOf(built.shell.file(it), "SELECT value FROM meta WHERE key = 'auditHead'");
      assert.deepEqual(
        found.map(({ seq }) => seq),
        found.map((_, i) => i + 1),
      );
      assert.equal(head[0]!.value, `${String(found.at(-1)!.seq)}:${String(found.at(-1)!.hash)}`);
    }
  });

  it('keep their places in the data folder', () => {
    const files = readdirSync(built.shell.dataDir, { recursive: true, withFileTypes: true })
      .filter(it => it.isFile())
      .map(it => built.mask.string(`${it.parentPath}/${it.name}`));
    matchesGolden('store/files.txt', [...new Set(files)].sort().join('\n'));
  });
});

describe('an export', function () {
  it('keeps the lines of version 2, field by field', async () => {
    const { shell, mask } = await scenario();
    const { out } = await shell.run('export --format jsonl');
    const lines = out.trimEnd().split('\n');
    matchesGolden('export.json', mask.copy().value(lines.map(it => JSON.parse(it) as unknown)));
  });

  it('keeps the Markdown that people read', async () => {
    const { shell, mask } = await scenario();
    matchesGolden('export.md', mask.copy().string((await shell.run('export --format markdown')).out));
  });

  it('keeps to the scope that it is asked for', async () => {
    const { shell, mask } = await scenario();
    const { out } = await shell.run('export --scope global-only');
    const contents = out
      .trimEnd()
      .split('\n')
      .map(it => (JSON.parse(it) as { content?: string }).content ?? 'no memory');
    matchesGolden('export-global.json', mask.copy().value(contents));
  });
});
