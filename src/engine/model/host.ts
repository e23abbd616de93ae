import type { Config } from './config.js';

/** Where the engine reports what it does. Memory text and secrets never go here. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** All that the engine asks of whoever runs it. The clock is here so that tests own time. */
export interface Host {
  /** Folder that holds every store; created when missing. */
  readonly dataDir: string;
  /** Folder of the built bundles, where the worker threads' scripts lie. */
  readonly bundleDir: string;
  /** Folder of the embedding models that ship with the product, one folder each. */
  readonly modelsDir: string;
  /** Open folders, most important first; the first one's project is where project memories go by default. */
  readonly workspaceFolders: readonly string[];
  /** Who is calling, for provenance, audit and traces: `vscode`, `cli`, `mcp:<client name>`. */
  readonly client: string;
  readonly log: Log;
  config(): Config;
  now(): Date;
}
