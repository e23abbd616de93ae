import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../engine/model/host.js';
import { ClientConnection } from './clientConnection.js';
import { MemoryServer, type MemoryServerOptions } from './memoryServer.js';
import { ParentProcess } from './parentProcess.js';

/** How often it is looked whether the process that started this one is still there. */
const parentCheckIntervalMs = 1_000;
/**
 * Closing takes as long as the calls under way; a server whose client is gone must be gone within 5 s, of which noticing it
 * and the last answers (`clientConnection.ts`) have had up to 2.5.
 */
const closeTimeoutMs = 2_000;

/**
 * Speaks MCP over stdin and stdout until the client is gone: stdin ends, the parent process dies, stdout breaks, or a
 * signal says so. Everything acknowledged is on disk then.
 */
export async function serve(options: MemoryServerOptions): Promise<void> {
  const { log } = options.host;
  const connection = new ClientConnection(process.stdin, process.stdout);
  const server = new MemoryServer(options, connection);
  const handle = serveStdio(({ era }) => server.createServer(era), {
    transport: connection,
    onerror: error => {
      log.warn(`A message could not be handled: ${error.name}.`);
    },
  });
  const reason = await waitForDisconnect(connection, log);
  log.info(`Ending: ${reason}.`);
  // Whatever still holds the process then has had its time, and what is kept is kept in whole transactions. Leaving in any
  // other way would first wait for SQLite's threads, ten seconds where another program holds the file, or abort in it.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), closeTimeoutMs).unref();
  await handle.close().catch(() => undefined);
  await server.close();
  process.stdin.destroy();
}

/** Resolves with the reason why no client is left. */
function waitForDisconnect(connection: ClientConnection, log: Log): Promise<string> {
  return new Promise(resolve => {
    void connection.whenClosed().then(resolve);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.once(signal, () => {
        resolve(signal);
      });
    }
    const parent = new ParentProcess();
    const watch = setInterval(() => {
      if (!parent.isGone()) return;
      clearInterval(watch);
      resolve('the process that started it is gone');
    }, parentCheckIntervalMs);
    watch.unref();
    process.stdout.on('error', () => {
      log.info('stdout is closed.');
      resolve('its output is closed');
    });
  });
}
