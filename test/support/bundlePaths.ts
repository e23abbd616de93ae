import path from 'node:path';

/** Where the build puts what an engine loads at run time; tests run in the project's folder. */
export const bundlePaths = { bundleDir: path.resolve('dist'), modelsDir: path.resolve('dist', 'models') };

/** The folder that the built-in model is built from: a model folder that ONNX Runtime can load. */
export const builtInSource = path.resolve('media', 'models', 'built-in');
