export interface Language {
  readonly name: string;
  /** Name of the Tree-sitter parser; without one a file is a single chunk. */
  readonly parser?: string;
}

const languageTable: readonly (readonly [name: string, parser: string | undefined, endings: string])[] = [
  ['TypeScript', 'typescript', 'ts mts cts'],
  ['TypeScript', 'tsx', 'tsx'],
  ['JavaScript', 'javascript', 'js mjs cjs jsx'],
  ['Python', 'python', 'py pyi'],
  ['Go', 'go', 'go'],
  ['Java', 'java', 'java'],
  ['C#', 'c-sharp', 'cs'],
  ['C', 'cpp', 'c'],
  ['C++', 'cpp', 'h hh hpp hxx cc cpp cxx'],
  ['Rust', 'rust', 'rs'],
  ['Ruby', 'ruby', 'rb rake'],
  ['PHP', 'php', 'php'],
  ['shell script', 'bash', 'sh bash'],
  ['PowerShell', 'powershell', 'ps1 psm1'],
  ['Kotlin', 'kotlin', 'kt kts'],
  ['Swift', undefined, 'swift'],
  ['Scala', undefined, 'scala'],
  ['Dart', undefined, 'dart'],
  ['Lua', undefined, 'lua'],
  ['Perl', undefined, 'pl pm'],
  ['R', undefined, 'r'],
  ['Julia', undefined, 'jl'],
  ['Elixir', undefined, 'ex exs'],
  ['Erlang', undefined, 'erl'],
  ['Haskell', undefined, 'hs'],
  ['OCaml', undefined, 'ml mli'],
  ['F#', undefined, 'fs'],
  ['Clojure', undefined, 'clj cljs cljc'],
  ['Groovy', undefined, 'groovy gradle'],
  ['Objective-C', undefined, 'm mm'],
  ['Zig', undefined, 'zig'],
  ['SQL', undefined, 'sql'],
  ['Vue', undefined, 'vue'],
  ['Svelte', undefined, 'svelte'],
  ['GraphQL', undefined, 'graphql gql'],
  ['Protocol Buffers', undefined, 'proto'],
  ['Terraform', undefined, 'tf'],
  ['WebAssembly text', undefined, 'wat'],
];

const languageByExtension = new Map(
  languageTable.flatMap(([name, parser, endings]) =>
    endings.split(' ').map(it => [it, parser === undefined ? { name } : { name, parser }] as const),
  ),
);
const languageByFileName = new Map<string, Language>([
  ['dockerfile', { name: 'Dockerfile' }],
  ['makefile', { name: 'Makefile' }],
]);

/** The language of a file, by its name; undefined for data, prose and unknown files. */
export function languageOf(file: string): Language | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  return (
    languageByFileName.get(name) ??
    (name.includes('.') ? languageByExtension.get(name.slice(name.lastIndexOf('.') + 1)) : undefined)
  );
}
