import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createOpenApiDocument } from '../../../src/http/openApi.js';
import { routes } from '../../../src/http/routes.js';
import type { Fields } from '../../../src/operations/tool.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Fields }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

describe('the OpenAPI document', () => {
  const document = createOpenApiDocument('1.2.3');
  const paths = document.paths as Paths;

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    // A copy: the validator resolves references in place.
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.deepEqual([valid, errors, validator.version], [true, undefined, '3.1']);
  });

  it('has every route once, with its errors and an id of its own', () => {
    const operations = Object.entries(paths).flatMap(([path, its]) =>
      Object.entries(its).map(([method, it]) => ({ name: `${method.toUpperCase()} ${path}`, ...it })),
    );
    assert.deepEqual(
      operations.map(it => it.name).sort(),
      [...routes.map(it => `${it.method} ${it.path}`), 'GET /openapi.json', 'POST /mcp'].sort(),
    );
    assert.equal(new Set(operations.map(it => it.operationId)).size, operations.length);
    for (const it of routes.map(({ path, method }) => paths[path]![method.toLowerCase()]!))
      for (const status of ['200', '401', '403', '413', '422']) assert.ok(status in it.responses, it.operationId);
  });

  it('takes inputs from the schemas of the tools, with the project and other programs’ names', () => {
    const query = paths['/memory/query']!.post!.requestBody!.content['application/json']!.schema;
    const properties = Object.keys(query.properties as Fields);
    for (const it of ['query', 'alternatives', 'limit', 'scopeId', 'project', 'top_k', 'filters'])
      assert.ok(properties.includes(it), it);
    assert.deepEqual([query.type, query.required], ['object', ['query']]);
    const list = paths['/memory']!.get!.parameters!.filter(it => it.in === 'query').map(it => it.name);
    for (const it of ['gates', 'tags', 'offset', 'project']) assert.ok(list.includes(it), it);
    assert.deepEqual(
      paths['/memory/{id}']!.get!.parameters!.map(it => it.name),
      ['Recollect-Client', 'id', 'project'],
    );
  });
});
