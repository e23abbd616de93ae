import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';
import { logStep, withTimeout } from './commandLine.mjs';
import { desktopFlags, fetchDesktopVSCode, findDesktopVSCode, hasDisplay } from './desktopVSCode.mjs';
import { projectRoot } from './paths.mjs';
import { createSampleWorkspace } from './sampleWorkspace.mjs';
import { startWebHost, windowAddress } from './webHost.mjs';

const resultsFolder = join(projectRoot, 'out', 'results');
/** Ends a run that hangs: about ten times the usual duration. */
const runTimeoutMs = 1_200_000;
const testsEntry = join(projectRoot, 'out', 'test', 'host', 'index.js');

/**
 * Runs out/test/host/index.js inside a real extension host, on the desktop where one can be had, else on the web host.
 * @param {{ environment: Record<string, string>, where: 'any' | 'desktop' | 'web' }} options
 * @returns {Promise<number>} the exit code that VS Code reports
 */
export async function runInExtensionHost({ environment, where }) {
  const storage = mkdtempSync(join(tmpdir(), 'recollect-host-'));
  const workspace = join(storage, 'workspace');
  const report = join(storage, 'report.txt');
  const stopTailing = tailFile(report);
  try {
    createSampleWorkspace(workspace);
    const context = { storage, workspace, environment: { ...environment, RECOLLECT_TEST_REPORT: report } };
    const desktop =
      where === 'desktop' ? await requireDesktop() : where === 'any' ? await findDesktopVSCode() : undefined;
    if (desktop !== undefined) return await runOnDesktop(desktop, context);
    return await runOnWebHost(context);
  } finally {
    stopTailing();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** @typedef {{ storage: string, workspace: string, environment: Record<string, string> }} Place */

/**
 * Prints what is appended to a file, as it comes.
 * @param {string} file
 * @returns {() => void} prints the rest and ends
 */
function tailFile(file) {
  let printed = 0;
  const print = () => {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    process.stdout.write(text.slice(printed));
    printed = text.length;
  };
  const timer = setInterval(print, 500);
  return () => {
    clearInterval(timer);
    print();
  };
}

async function requireDesktop() {
  if (!hasDisplay()) throw new Error('The desktop VS Code needs a display: try `xvfb-run npm run test:desktop`.');
  return (await findDesktopVSCode()) ?? (await fetchDesktopVSCode());
}

/** @param {string} program @param {Place} place */
async function runOnDesktop(program, { storage, workspace, environment }) {
  logStep('Running tests in the extension host of the desktop VS Code');
  const { runTests } = await import('@vscode/test-electron');
  return withTimeout(
    runTests({
      vscodeExecutablePath: program,
      extensionDevelopmentPath: projectRoot,
      extensionTestsPath: testsEntry,
      extensionTestsEnv: environment,
      launchArgs: [workspace, ...desktopFlags(storage)],
    }),
    runTimeoutMs,
    'The run in VS Code',
  );
}

/** @param {Place} place */
async function runOnWebHost({ storage, workspace, environment }) {
  logStep('Running tests in the extension host of the web host');
  // A built VS Code takes the paths below only together with its smoke test driver.
  mkdirSync(resultsFolder, { recursive: true });
  const flags = ['--vscode-option', 'enable-smoke-test-driver'];
  const host = await startWebHost({ storage, settings: { 'recollect.embeddings': 'static' }, environment, flags });
  const log = createWriteStream(join(resultsFolder, 'hostWindow.log'));
  const browser = await openBrowser();
  const page = await openPage(browser);
  try {
    /** @type {Promise<number>} */
    const exitCode = new Promise((resolve, reject) => {
      page.exposeFunction('codeAutomationExit', (/** @type {number} */ code) => resolve(code)).catch(reject);
      page.on('crash', () => reject(new Error('The window crashed.')));
    });
    await page.exposeFunction('codeAutomationLog', (/** @type {string} */ type, /** @type {unknown[]} */ args) => {
      log.write(`${type} ${args.join(' ')}\n`);
    });
    const remote = `vscode-remote://${host.authority}`;
    const address = windowAddress(host, workspace, [
      ['extensionDevelopmentPath', `${remote}${projectRoot}`],
      ['extensionTestsPath', `${remote}${testsEntry}`],
    ]);
    await page.goto(address);
    return await withTimeout(exitCode, runTimeoutMs, 'The run in VS Code');
  } catch (error) {
    const screenshotFile = join(projectRoot, 'out', 'screenshots', 'hostRun.png');
    mkdirSync(join(screenshotFile, '..'), { recursive: true });
    await page.screenshot({ path: screenshotFile }).catch(() => undefined);
    if (existsSync(screenshotFile)) console.log(`  What the window showed: ${screenshotFile}`);
    throw error;
  } finally {
    await browser.close();
    await host.stop();
  }
}
