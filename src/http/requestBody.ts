import type { IncomingMessage } from 'node:http';
import { HttpError } from './httpError.js';

/** As of a message over stdin: no tool takes as much. */
export const maxBodyBytes = 4_000_000;
/** A client on this machine sends four megabytes in no time; one that takes longer is stuck. */
const bodyTimeoutMs = 30_000;

/** The bytes of a request's body. @throws HttpError 408 | 413 | 415, and 400 where the client broke off */
export function readBody(request: IncomingMessage, timeoutMs = bodyTimeoutMs): Promise<Buffer> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new HttpError(415, 'unsupportedEncoding', 'Send the body as it is, without Content-Encoding.');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => {
      fail(new HttpError(408, 'slowBody', `The body was not complete after ${timeoutMs / 1000} s. Send it at once.`));
    }, timeoutMs);
    const fail = (error: HttpError): void => {
      clearTimeout(timer);
      // The rest is not kept.
      request.removeListener('data', receive).resume();
      reject(error);
    };
    const tooLarge = (): HttpError =>
      new HttpError(413, 'tooLarge', `The body is longer than ${maxBodyBytes} bytes. Send it in parts.`);
    const receive = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBodyBytes) fail(tooLarge());
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
      fail(tooLarge());
      return;
    }
    request.on('data', receive);
    request.once('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    for (const event of ['error', 'close'])
      request.once(event, () => {
        fail(new HttpError(400, 'brokenOff', 'The body broke off. Send it again.'));
      });
  });
}

/** The JSON in a body; undefined for an empty one. @throws HttpError 400 | 415 */
export function parseJsonBody(body: Buffer, contentType = ''): unknown {
  if (body.length === 0) return undefined;
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/iu.test(contentType.trim()))
    throw new HttpError(
      415,
      'unsupportedType',
      'The body must be JSON: send it with the header Content-Type: application/json',
    );
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    throw new HttpError(400, 'malformedJson', 'The body is no JSON in UTF-8. Correct it and send it again.');
  }
}
