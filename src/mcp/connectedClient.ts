import { fileURLToPath } from 'node:url';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputResponse,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** Clients name themselves; what they say goes into provenance, audit and traces. */
const maxNameLength = 60;
const rootsTimeoutMs = 5_000;
/** Key of the question for roots in a request that must be sent again with the answer (2026-07-28). */
export const rootsRequestKey = 'roots';

export type ProtocolEra = 'legacy' | 'modern';
/** A request, or what is needed of it. */
export type ClientRequest = Pick<ServerContext['mcpReq'], 'envelope' | 'inputResponses'> &
  Partial<Pick<ServerContext['mcpReq'], 'send'>>;

/**
 * The client as its server knows it. The revisions of 2025 say it once, at the handshake, and the server may ask the
 * client; that of 2026-07-28 says it with every request, and what the server wants to know is an answer to the request.
 */
export class ConnectedClient {
  private roots: readonly string[] | undefined;

  constructor(
    private readonly server: McpServer,
    private readonly era: ProtocolEra,
  ) {
    if (era === 'legacy') {
      server.server.setNotificationHandler('notifications/roots/list_changed', () => {
        this.roots = undefined;
      });
    }
  }

  /** As provenance has it: `mcp:claude-code`. */
  name(request: ClientRequest): string {
    return this.era === 'modern' ? clientNameOf(request) : provenanceName(this.handshake().info?.name);
  }

  /** Whether it can show a person a form and send back the answer. */
  canAsk(request: ClientRequest): boolean {
    const { elicitation } = this.capabilities(request);
    // Without a mode it is the older sort, which is forms.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  /** Whether its folders are not known yet and the request must be answered by asking for them. */
  needsRoots(request: ClientRequest): boolean {
    if (this.era === 'legacy' || this.roots !== undefined || this.capabilities(request).roots === undefined)
      return false;
    const answer = inputResponse(request.inputResponses, rootsRequestKey);
    if (answer.kind !== 'roots') return true;
    this.roots = toLocalFolders(answer.roots);
    return false;
  }

  /** The folders the client works in; none when it does not say. */
  async folders(request: ClientRequest): Promise<readonly string[]> {
    if (this.roots !== undefined) return this.roots;
    if (this.era === 'modern' || request.send === undefined || this.capabilities(request).roots === undefined)
      return [];
    try {
      const { roots } = await request.send({ method: 'roots/list' }, { timeout: rootsTimeoutMs });
      this.roots = toLocalFolders(roots);
    } catch {
      // It said that it could, and does not: as if it had not said so.
      this.roots = [];
    }
    return this.roots;
  }

  private capabilities(request: ClientRequest): ClientCapabilities {
    const capabilities =
      this.era === 'modern' ? envelopeOf(request)[CLIENT_CAPABILITIES_META_KEY] : this.handshake().can;
    return capabilities ?? {};
  }

  /** Information from the handshake. Deprecated where there is none; here there was one. */
  private handshake(): { readonly info: { readonly name: string } | undefined; readonly can?: ClientCapabilities } {
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const [info, can] = [this.server.server.getClientVersion(), this.server.server.getClientCapabilities()];
    return { info, ...(can === undefined ? {} : { can }) };
  }
}

/** The name of a client that says it with every request. */
export function clientNameOf(request: ClientRequest): string {
  return provenanceName(envelopeOf(request)[CLIENT_INFO_META_KEY]?.name);
}

function provenanceName(reportedName = ''): string {
  const name = cleanClientName(reportedName);
  return `mcp:${name === '' ? 'unknown' : name}`;
}

/** A name that a client gave itself, without what may not appear in a log; empty where nothing is left. */
export function cleanClientName(name: string): string {
  return name
    .replaceAll(/[^\w .@/+-]+/gu, '')
    .trim()
    .slice(0, maxNameLength);
}

/** Envelope of every request since 2026-07-28; the SDK has checked it, and its type does not name the keys. */
interface RequestEnvelope {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

function envelopeOf(request: ClientRequest): RequestEnvelope {
  return request.envelope ?? {};
}

function toLocalFolders(roots: readonly { readonly uri: string }[]): string[] {
  return roots.flatMap(({ uri }) => {
    if (!uri.startsWith('file:')) return [];
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
}
