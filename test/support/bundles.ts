import path from 'node:path';

/** Where the build puts what an engine loads at run time; tests run in the project's folder. */
export const bundles = { bundleDir: path.resolve('dist'), modelsDir: path.resolve('media', 'models') };
