import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { toHttpError } from '../../../src/http/httpError.js';
import { readBody } from '../../../src/http/requestBody.js';
import { closeAfterTest } from '../../support/fixtures.js';

describe('the body of a request', () => {
  it('is waited for no longer than its time', async () => {
    let listening: (() => void) | undefined;
    const outcome = new Promise<unknown>(resolve => {
      const server = createServer((request, response) => {
        readBody(request, 200)
          .catch((error: unknown) => error)
          .then(it => {
            response.end();
            resolve(it);
          }, resolve);
      });
      closeAfterTest(
        () =>
          new Promise(done => {
            server.closeAllConnections();
            server.close(done);
          }),
      );
      server.listen(0, '127.0.0.1', () => {
        const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"a"');
        listening?.();
      });
    });
    const { status, body } = toHttpError(await outcome, '');
    assert.deepEqual([status, body.code], [408, 'slowBody']);
  });
});
