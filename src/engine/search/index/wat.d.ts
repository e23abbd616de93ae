/** WebAssembly text, assembled by the build (esbuild.mjs). */
declare module '*.wat' {
  const wasm: Uint8Array<ArrayBuffer>;
  export default wasm;
}

/** The used part of the WebAssembly API, which the types of Node leave to the DOM library. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
    readonly #compiled: never;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}
