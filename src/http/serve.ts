import { MemoryHttpServer, type HttpServerOptions } from './memoryHttpServer.js';

/** Whatever still holds the process after that has had its time: what is kept is kept in whole transactions. */
const closeTimeoutMs = 10_000;

/**
 * Serves until a signal says so. Everything acknowledged is on disk then.
 * @param onListening gets the port
 * @throws EngineError invalidInput where the port cannot be had
 */
export async function serveHttp(
  options: HttpServerOptions,
  port: number,
  onListening: (port: number) => void,
): Promise<void> {
  const server = new MemoryHttpServer(options);
  // A second one changes nothing: some programs pass on the Ctrl+C that the terminal has sent already.
  const signal = new Promise<string>(resolve => {
    for (const it of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(it, resolve);
  });
  onListening(await server.listen(port));
  options.host.log.info(`Ending: ${await signal}.`);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), closeTimeoutMs).unref();
  await server.close();
}
