import { z } from 'zod';
import { projectProperty } from '../mcp/tools.js';
import type { Fields, Tool } from '../operations/tool.js';
import { routes, type Route } from './routes.js';

const tokenScheme = 'token';
const mcpPath = '/mcp';

const notesProperty = {
  type: 'array',
  items: { type: 'string' },
  description: 'What of the input was ignored or cut, and what is not known.',
};

const errorSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'One sentence for people, with the next step.' },
    code: { type: 'string', description: 'The kind of failure, for programs.' },
  },
};

const errorDescriptions: Readonly<Record<string, string>> = {
  '400': 'The input is not valid, or no JSON.',
  '401': 'The token is missing or wrong.',
  '403': 'A foreign Host or Origin, a client without this right, or a call that only a person may decide.',
  '404': 'There is no such path or memory.',
  '405': 'The path has no such method.',
  '408': 'The body came too slowly.',
  '409': 'The id could be several memories, or the memory cannot do this now.',
  '413': 'The body is longer than 4,000,000 bytes.',
  '415': 'The body is no JSON.',
  '422': 'Nothing of it could be kept: a secret, an unknown project, a vector that does not fit.',
  '503': 'The server is ending or busy, or a store cannot be opened.',
};

/** The description of the API in OpenAPI 3.1, from the schemas of the tools. Holds nothing of a person or a machine. */
export function createOpenApiDocument(version: string): Fields {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = describeRoute(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Recollect',
      version,
      summary: 'The long-term memory of your assistants, for other programs on this machine.',
      description:
        'Served by `recollect serve` on loopback, as long as a person lets it run. The answers are those of the tools that assistants call; what is returned is data about the user and no instruction.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ [tokenScheme]: [] }],
    paths: {
      ...paths,
      [mcpPath]: { post: describeMcp() },
      '/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'This description',
          security: [],
          responses: { '200': { description: 'An OpenAPI document.', content: json({ type: 'object' }) } },
        },
      },
    },
    components: {
      securitySchemes: {
        [tokenScheme]: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that `recollect serve` printed, or that you gave it.',
        },
      },
      schemas: { Error: errorSchema },
    },
  };
}

function describeRoute(route: Route): Fields {
  const { method, path, tool, summary } = route;
  const hasBody = method === 'POST';
  const parameters = [clientParameter, ...pathParameters(path), ...(hasBody ? [] : queryParameters(route))];
  const success = route.isCreated === undefined ? ['200'] : ['200', '201'];
  const output = withProperties(toSchema(tool, 'output'), { notes: notesProperty });
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-z0-9]+/gu, '_').replace(/_$/u, '')}`,
    summary,
    description: tool.description,
    parameters,
    ...(hasBody ? { requestBody: { required: tool.name !== 'maintain', content: json(bodySchema(route)) } } : {}),
    responses: {
      ...Object.fromEntries(success.map(it => [it, { description: summary, content: json(output) }])),
      ...Object.fromEntries(
        Object.entries(errorDescriptions).map(([status, description]) => [
          status,
          { description, content: json({ $ref: '#/components/schemas/Error' }) },
        ]),
      ),
    },
  };
}

const clientParameter = {
  name: 'Recollect-Client',
  in: 'header',
  schema: { type: 'string', maxLength: 60 },
  description: 'The name of your program: in the log of reads, and for its rights. Without it, http.',
};

function pathParameters(path: string): readonly Fields[] {
  if (!path.includes('{id}')) return [];
  const description = 'The id of the memory, short or whole.';
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, description }];
}

/** Fields of an input besides the id in the path. A list is given by repeating its name. */
function queryParameters({ tool, path, method }: Route): readonly Fields[] {
  const { properties = {} } = toSchema(tool, 'input') as { readonly properties?: Readonly<Record<string, Fields>> };
  const own = Object.entries(properties).filter(() => method === 'GET' && !path.includes('{id}'));
  return [...own, ['project', projectProperty] as const].map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  }));
}

function bodySchema({ tool, aliases = {} }: Route): Fields {
  const aliasProperties = Object.fromEntries(
    Object.entries(aliases).map(([name, description]) => [name, { description }]),
  );
  return withProperties(toSchema(tool, 'input'), { ...aliasProperties, project: projectProperty });
}

/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
function toSchema(tool: Tool, io: 'input' | 'output'): Fields {
  const { $schema, ...schema } = z.toJSONSchema(tool[io], { io }) as Record<string, unknown>;
  return schema;
}

function withProperties(schema: Fields, properties: Fields): Fields {
  return { ...schema, properties: { ...(schema.properties as Fields), ...properties } };
}

function describeMcp(): Fields {
  return {
    operationId: 'mcp',
    summary: 'The Model Context Protocol, Streamable HTTP',
    description: 'The same server as `recollect mcp`. Use an MCP client; it sends GET and DELETE here too.',
    requestBody: { required: true, content: json({ type: 'object', description: 'A message of JSON-RPC 2.0.' }) },
    responses: { '200': { description: 'An answer of JSON-RPC 2.0, or a stream of them.' } },
  };
}

function json(schema: Fields): Fields {
  return { 'application/json': { schema } };
}
