import { extractFacts } from '../../../src/engine/capture/extractFacts.js';
import { findOrder, isRequest } from '../../../src/engine/capture/marks.js';
import { scoreStatement } from '../../../src/engine/capture/scoreStatement.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { parseExportLine } from '../../../src/engine/exchange/formats/recollect.js';
import { parseLerimFile, serializeLerimFile } from '../../../src/engine/exchange/formats/lerim.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { parseRecallQuery } from '../../../src/engine/recall/recallQuery.js';
import { tools } from '../../../src/operations/registry.js';
import { parseInputWithNotes } from '../../../src/operations/tool.js';
import { readWebviewMessage } from '../../../src/vscode/inspector/webviewMessage.js';
import { seeded } from './random.js';

/** Parsers of what others write. Each takes any text, and throws nothing but a refusal. */
export const fuzzTargets = {
  frontmatter: (text: string): void => {
    const parsed = parseLerimFile(text);
    if (!('refused' in parsed)) serializeLerimFile({ title: 'A port' }, parsed.body, text);
  },
  jsonLines: (text: string): void => {
    for (const isOwnExport of [true, false])
      parseExportLine(text, { isOwnExport, lane: 'note', now, lifetimeDays: 30, maxCharacters: 8_000 });
  },
  markers: (text: string): void => {
    extractFacts(text);
    findOrder(text);
    isRequest(text);
    scoreStatement(text);
  },
  query: (text: string): void => {
    parseRecallQuery({ query: text, alternatives: [text.slice(0, 200)] }, defaultConfig.recall, now);
  },
  /** The input of every tool: what a client sent, and the same as a text of JSON. */
  mcpInput: (text: string): void => {
    for (const tool of tools) {
      for (const input of [parseJson(text), text]) {
        try {
          parseInputWithNotes(tool, input);
        } catch (error) {
          if (!EngineError.is(error, 'invalidInput')) throw error;
        }
      }
    }
  },
  webviewMessage: (text: string): void => {
    readWebviewMessage(parseJson(text));
    readWebviewMessage({ type: 'request', requestId: 1, name: text, input: parseJson(text) });
  },
} as const;
export type FuzzTarget = keyof typeof fuzzTargets;

/** The value, or the text where it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const now = new Date('2026-03-02T09:00:00.000Z');

const seeds: Readonly<Record<FuzzTarget, readonly string[]>> = {
  frontmatter: [
    '---\ntitle: The port\ncreated: 2026-03-01\ntags: [api, "port"]\nconfidence: 0.8\n---\n\nThe API listens on 8443.\n',
    '---\r\nid: &a 1\nother: *a\nlist:\n  - one\n  - {two: 3}\n---\nText\n---\nmore\n',
    '\uFEFF---\nname: |\n  many\n  lines\n? key\n: value\n---\n',
  ],
  jsonLines: [
    '{"type":"memory","id":"019a0000-0000-7000-8000-000000000001","store":"global","content":"The quay is red.","gate":"epistemic","kind":"context","lane":"note","decayClass":"durable","confidence":80,"tags":["a"],"createdAt":"2026-03-01T00:00:00.000Z"}',
    '{"type":"edge","source":"019a0000-0000-7000-8000-000000000001","target":"019a0000-0000-7000-8000-000000000002","edge":"relates_to"}',
    '{"format":"recollect","version":1}',
  ],
  markers: [
    'Remember: the staging database is restored every night at 02:00 UTC. Always use pnpm!',
    'From now on we deploy on Tuesdays (not Fridays).\n\n- note to self: 3.5 GB of memory\n> quoted\n```sh\nnpm ci\n```',
    'Decision: we use Postgres 16; never MySQL. Please do not forget that I prefer tabs.',
  ],
  query: [
    'what did we decide about "the login page" -draft last week?',
    'ports since 2026-01-01 until March tag:api "unclosed',
    'how does the service on 127.0.0.1:8443 restart in the last 3 months',
  ],
  mcpInput: [
    '{"query":"the port","alternatives":["which port"],"keywords":["tcp"],"limit":5,"since":"2026-01-01","mode":"fast"}',
    '{"facts":[{"content":"The API listens on 8443.","tags":["api"],"range":{"startLine":1,"endLine":2},"replaces":["019a0000"],"due":"2026-03-01"}]}',
    '{"id":"0190a1b2","useful":true,"stillTrue":false,"questions":null,"types":["refines"],"hops":"2","dryRun":"true"}',
  ],
  webviewMessage: [
    '{"type":"request","requestId":7,"name":"traces","input":{"text":"port","limit":50}}',
    '{"type":"request","requestId":8,"name":"forecast","input":{"days":30}}',
    '{"type":"ready"}',
    '__proto__',
    'toString',
  ],
};

const insertions = [
  '---\n',
  '"',
  '\\u0000',
  '\0',
  '\uD800',
  '\u200D',
  '{{{{',
  ']]',
  '-',
  ': ',
  '\r\n',
  '*a &a',
  '!!js/function ',
  '__proto__',
  '{"__proto__":{"polluted":1}}',
  '9e999',
  '99999999999999999999',
  'last 999999999999 years',
  '2026-99-99',
  '(((((',
  '🦀',
  'e\u0301'.repeat(50),
  ' '.repeat(500),
  '- '.repeat(200),
  'a'.repeat(1_000),
];

export interface FuzzFailure {
  readonly input: string;
  readonly error: unknown;
}

/** Feeds mutations of samples to a parser, the same for a seed, and returns what made it throw. */
export function fuzz(name: FuzzTarget, count: number, seed: number): readonly FuzzFailure[] {
  const random = seeded(seed);
  const failures: FuzzFailure[] = [];
  for (let i = 0; i < count; i++) {
    const input = mutate(name, random);
    try {
      fuzzTargets[name](input);
    } catch (error) {
      if (!EngineError.is(error, 'invalidInput')) failures.push({ input, error });
    }
  }
  return failures;
}

function mutate(name: FuzzTarget, random: () => number): string {
  const below = (limit: number): number => Math.floor(random() * limit);
  let text = seeds[name][below(seeds[name].length)]!;
  for (let changes = 1 + below(5); changes > 0; changes--) {
    const [at, length] = [below(text.length + 1), 1 + below(20)];
    const [before, after] = [text.slice(0, at), text.slice(at)];
    switch (below(6)) {
      case 0:
        text = before + after.slice(length);
        break;
      case 1:
        text = before + after.slice(0, length) + after;
        break;
      case 2:
        text = before + String.fromCharCode(below(0x10000)) + after.slice(1);
        break;
      case 3:
        text = before;
        break;
      case 4:
        text = after + before;
        break;
      default:
        text = before + insertions[below(insertions.length)]! + after;
    }
  }
  return text;
}
