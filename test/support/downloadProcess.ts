// A download in a child process: `node downloadProcess.js MODELS_DIR SOURCE CATALOG_ENTRY [FILLER]`. After half of the
// download, the file FILLER takes the rest of the disk. Prints the outcome as JSON.
import { openSync, writeSync } from 'node:fs';
import { EngineError } from '../../src/engine/base/errors.js';
import type { CatalogModel } from '../../src/engine/embeddings/modelCatalog.js';
import { downloadModel } from '../../src/engine/embeddings/downloadModel.js';

const [modelsDir, source, entry, filler] = process.argv.slice(2);
let isFilled = filler === undefined;

function fillDisk(): void {
  isFilled = true;
  const file = openSync(filler!, 'w');
  for (let bytes = 1 << 20; bytes > 0;) {
    try {
      writeSync(file, Buffer.alloc(bytes));
    } catch {
      bytes >>= 1;
    }
  }
}

downloadModel(modelsDir!, JSON.parse(entry!) as CatalogModel, {
  source: source!,
  onProgress: (received, total) => {
    if (!isFilled && received > total / 2) fillDisk();
  },
}).then(
  folder => {
    console.log(JSON.stringify({ folder }));
  },
  (error: unknown) => {
    console.log(JSON.stringify({ code: EngineError.is(error) ? error.code : 'other', message: String(error) }));
  },
);
