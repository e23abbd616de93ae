import type { ModelDescription } from './modelDescription.js';

/** Expected content of a file. */
export interface PinnedFile {
  readonly bytes: number;
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
}

export interface CatalogFile {
  /** In the model's folder. */
  readonly name: 'model.onnx' | 'tokenizer.json';
  /** Below the model's source. */
  readonly path: string;
  /** The accepted contents; the source is known to serve the first. */
  readonly pins: readonly [PinnedFile, ...PinnedFile[]];
}

/** A model that can be downloaded. */
export interface CatalogModel {
  /** Name in the setting, and of the folder. */
  readonly name: string;
  /** One line that helps to choose. */
  readonly about: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** Base URL of the files at a fixed revision; ends with a slash. */
  readonly source: string;
  readonly files: readonly CatalogFile[];
  readonly description: ModelDescription;
}

/** Bytes of all files of the model. */
export function downloadSizeOf({ files }: CatalogModel): number {
  return files.reduce((sum, it) => sum + it.pins[0].bytes, 0);
}

const bertTokenizer: CatalogFile = {
  name: 'tokenizer.json',
  path: 'tokenizer.json',
  pins: [{ bytes: 711_661, sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0' }],
};

/**
 * The models of "Download Embedding Model". Sizes and hashes come from independent sources: at least three projects that
 * pin the same file publish the same pair of revision and hash, one of which compared it with the repository's Git LFS
 * records.
 *
 * The thresholds are not measured on our data. They follow the similarity ranges that the models' authors publish (for
 * bge and gte, unrelated texts reach 0.7 and more) and are high, so that doubtful pairs are left alone.
 */
export const modelCatalog: readonly CatalogModel[] = [
  {
    name: 'bge-small-en-v1.5',
    about: 'English, made for search: the best of the three at finding passages',
    licence: 'MIT',
    source: 'https://huggingface.co/Xenova/bge-small-en-v1.5/resolve/ea104dacec62c0de699686887e3f920caeb4f3e3/',
    files: [
      {
        name: 'model.onnx',
        path: 'onnx/model_quantized.onnx',
        pins: [{ bytes: 34_014_426, sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4' }],
      },
      {
        name: 'tokenizer.json',
        path: 'tokenizer.json',
        pins: [{ bytes: 711_396, sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66' }],
      },
    ],
    description: {
      name: 'bge-small-en-v1.5',
      dimensions: 384,
      maxTokens: 512,
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
      pooling: 'cls',
      thresholds: { answer: 0.65, related: 0.8, duplicate: 0.95 },
    },
  },
  {
    name: 'all-MiniLM-L6-v2',
    about: 'English, the smallest and fastest of the three',
    licence: 'Apache-2.0',
    source: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9/',
    files: [
      {
        name: 'model.onnx',
        path: 'onnx/model_quantized.onnx',
        pins: [{ bytes: 22_972_370, sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1' }],
      },
      bertTokenizer,
    ],
    description: {
      name: 'all-MiniLM-L6-v2',
      dimensions: 384,
      maxTokens: 256,
      queryPrefix: '',
      passagePrefix: '',
      pooling: 'mean',
      thresholds: { answer: 0.3, related: 0.5, duplicate: 0.92 },
    },
  },
  {
    name: 'gte-small',
    about: 'English, for texts of all sorts',
    licence: 'MIT',
    source: 'https://huggingface.co/Xenova/gte-small/resolve/5927d1727bb12db490052a1b33265ad78058de08/',
    files: [
      {
        name: 'model.onnx',
        path: 'onnx/model_quantized.onnx',
        pins: [
          { bytes: 34_014_426, sha256: '18dec105109b6004369799ca4761fb8fb413c64172c02147bcfac186b5c5f6cb' },
          // Another int8 export, one byte longer, whose source is unknown.
          { bytes: 34_014_427, sha256: '34440558460f3d0d05fda102ade2d2a0672d112dd8c05b540c8fc3bc2051db90' },
        ],
      },
      bertTokenizer,
    ],
    description: {
      name: 'gte-small',
      dimensions: 384,
      maxTokens: 512,
      queryPrefix: '',
      passagePrefix: '',
      pooling: 'mean',
      thresholds: { answer: 0.82, related: 0.85, duplicate: 0.96 },
    },
  },
];
