// Runs MCP's conformance tests against `recollect serve`. `npm run conformance`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { logStep, run } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

/** Fetched by npx, and no dependency: it brings a server framework, and runs by hand alone. */
const tool = '@modelcontextprotocol/conformance@0.1.16';
/** It reads folders in a way that earlier ones do not know. */
const minNodeVersion = 22;

if (Number(process.versions.node.split('.')[0]) < minNodeVersion) {
  console.error(`The conformance tests need Node ${minNodeVersion} or newer; this is ${process.versions.node}.`);
  process.exit(2);
}
await ensureDependencies();
await build();
const home = mkdtempSync(join(tmpdir(), 'recollect-conformance-'));
const server = spawn(process.execPath, [join(projectRoot, 'dist/cli.js'), 'serve', '--json', '--tools', 'all'], {
  cwd: home,
  env: { PATH: process.env.PATH, HOME: home, RECOLLECT_HOME: join(home, 'memory') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await new Promise(resolve =>
  createInterface({ input: server.stdout }).once('line', it => resolve([it])),
);
const { url, token } = JSON.parse(line);
const proxy = await startProxy(Number(new URL(url).port), token);
try {
  logStep(`${tool} against ${url}/mcp`);
  const expected = join(projectRoot, 'scripts/conformanceExpectedFailures.yml');
  const args = ['server', '--url', `http://127.0.0.1:${proxy.port}/mcp`, '--expected-failures', expected];
  process.exitCode = await run('npx', ['--yes', '--package', tool, 'conformance', ...args, ...process.argv.slice(2)]);
} finally {
  proxy.close();
  server.kill('SIGTERM');
  await new Promise(resolve => server.once('close', resolve));
  rmSync(home, { recursive: true, force: true });
}

/**
 * Passes requests on with the token, which the tool cannot send. Host and Origin stay as they are, but for the port.
 * @param {number} port of the server
 * @param {string} token
 */
async function startProxy(port, token) {
  const listener = createServer((incoming, outgoing) => {
    const { port: ownPort } = /** @type {import('node:net').AddressInfo} */ (listener.address());
    /** @type {import('node:http').OutgoingHttpHeaders} */
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    for (const name of ['host', 'origin']) {
      const value = headers[name];
      if (typeof value === 'string') headers[name] = value.replace(`:${ownPort}`, `:${port}`);
    }
    const { method, url: path } = incoming;
    const passed = request({ host: '127.0.0.1', port, path, method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise(resolve => listener.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port: ownPort } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  return {
    port: ownPort,
    close: () => {
      listener.close();
      listener.closeAllConnections();
    },
  };
}
