import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request of Node as the web has it. @param body its bytes; empty = none @param signal aborted when the client is gone */
export function toWebRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers: given } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = body.length > 0 && method === 'POST';
  return new Request(`http://${given.host}${url}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

/** Writes an answer of the web as Node has it, as fast as the client reads. Never rejects; resolves when either has ended. */
export async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  const reader = answer.body?.getReader();
  const onClose = (): void => {
    reader?.cancel().catch(() => undefined);
  };
  response.once('close', onClose);
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      if (response.destroyed) break;
      if (!response.write(next.value)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  } catch {
    // Its client is gone, or it was aborted.
  }
  response.removeListener('close', onClose);
  response.end();
}
