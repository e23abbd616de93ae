import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';

const maxRuns = 5;

/** Puts what a bug report needs on the clipboard, as JSON: versions, figures and last runs, and no text of a memory. */
export async function copyDiagnostics(engine: MemoryEngine, version: string, embeddings: string): Promise<void> {
  const runs = await engine.maintenance.runs(maxRuns);
  const report = {
    recollect: version,
    vscode: vscode.version,
    host: vscode.env.appHost,
    remote: vscode.env.remoteName ?? 'none',
    platform: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    language: vscode.env.language,
    embeddings,
    metrics: await engine.maintenance.metrics(),
    runs: runs.map(({ at, store, status, trigger, counts }) => ({ at, store, status, trigger, counts })),
  };
  await vscode.env.clipboard.writeText(JSON.stringify(report, undefined, 2));
}
