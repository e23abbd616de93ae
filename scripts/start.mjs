// `npm start [-- --port N] [--web]`: a real VS Code with the extension, on a sample project that stays between starts.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments, run, logStep, stopOnSignal } from './commandLine.mjs';
import { desktopFlags, findDesktopVSCode } from './desktopVSCode.mjs';
import { cacheFolder, projectRoot } from './paths.mjs';
import { packageExtension } from './packageExtension.mjs';
import { createSampleWorkspace } from './sampleWorkspace.mjs';
import { build, ensureDependencies } from './setup.mjs';
import { freePort, installExtension, startWebHost, windowAddress } from './webHost.mjs';

/** Kept when it is free, so that an open browser tab finds the next start again. */
const defaultPort = 4747;

const { values } = readArguments('npm start [-- --port N] [--web]', {
  options: { port: { type: 'string' }, web: { type: 'boolean' } },
});
const storage = join(cacheFolder, 'start');
const workspace = join(storage, 'workspace');

await ensureDependencies();
mkdirSync(storage, { recursive: true });
if (!existsSync(workspace)) createSampleWorkspace(workspace);

const desktop = values.web === true ? undefined : await findDesktopVSCode();
if (desktop !== undefined) await openDesktop(desktop);
else await serveWeb();

/** @param {string} program */
async function openDesktop(program) {
  await build();
  logStep('Opening VS Code; this ends when you close its window');
  const flags = [...desktopFlags(join(storage, 'desktop')), `--extensionDevelopmentPath=${projectRoot}`, '--wait'];
  process.exitCode = await run(program, [...flags, workspace]);
}

/** A built VS Code for the browser loads no extension from source, so it gets the package, as a person would. */
async function serveWeb() {
  const web = join(storage, 'web');
  // Calm settings the first time; after that they are the user's own.
  const settings = existsSync(web) ? {} : { settings: {} };
  mkdirSync(web, { recursive: true });
  await installExtension(web, await packageExtension());
  const port = values.port === undefined ? await freePort(defaultPort) : Number(values.port);
  const host = await startWebHost({ storage: web, port, ...settings });
  stopOnSignal(host.stop);
  logStep('VS Code is ready. Open this address in a browser (Ctrl+C here ends it):');
  console.log(`\n  ${windowAddress(host, workspace)}\n`);
}
