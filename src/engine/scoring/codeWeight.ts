/** Folders of code that supports the product: tests, examples, benchmarks, generated and copied code. */
const supportingFolders =
  /(?:^|\/)(?:(?:[^/]*[-_.])?(?:tests?|specs?|__tests__|e2e|benche?s?|benchmarks?|examples?|samples?|demos?)(?:[-_.][^/]*)?|t|testdata|fixtures|__fixtures__|mocks|__mocks__|__snapshots__|vendor|third[-_]party|dist|generated|playground)\//iu;
const supportingFiles =
  /(?:^|\/)(?:test_[^/]*|conftest\.py|[^/]*(?:[._-](?:tests?|spec|bench|stories|example|fuzz|generated|mock)|(?<=\p{Ll})(?:Tests?|Spec|Benchmark|IT))\.[^/.]+)$/u;
/** Rust keeps tests in a module of the file that they test. */
const supportingSymbol = /(?:^|\.)(?:tests?|benches)(?:\.|$)|^(?:Test|Benchmark|Fuzz|Example)(?:\p{Lu}|_|$)|^test_/u;
const questionAboutThem =
  /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?|mocked|benchmarks?|examples?|samples?|demos?)\b/iu;

/** Factor for the rank of supporting code, chosen on questions to six repositories: it yields to any close match. */
const supportingCodeWeight = 0.6;

/** A place in the code of a project. */
export interface CodePlace {
  /** Relative to the project, with slashes. */
  readonly path: string;
  readonly symbol?: string | undefined;
}

/** Whether code only supports the product, by its path and name: a test, an example, or generated or copied code. */
export function isSupportingCode({ path, symbol = '' }: CodePlace): boolean {
  return supportingFolders.test(path) || supportingFiles.test(path) || supportingSymbol.test(symbol);
}

/** Factor for the rank of a memory about code, 0-1: less than 1 for supporting code, unless the question is about such code. */
export function codeWeight(place: CodePlace, query: string): number {
  return isSupportingCode(place) && !questionAboutThem.test(query) ? supportingCodeWeight : 1;
}
