import { createRequire } from 'node:module';
import path from 'node:path';
import type { Language, Node, Parser } from '@vscode/tree-sitter-wasm';
import type { CodeSymbol, SymbolKind } from '../model/codeIndex.js';

type TreeSitter = typeof import('@vscode/tree-sitter-wasm');

/** The kind of declaration of a node type, over all languages. */
const kindByNodeType: Readonly<Record<string, SymbolKind>> = {
  abstract_class_declaration: 'class',
  class: 'class',
  class_declaration: 'class',
  class_definition: 'class',
  class_specifier: 'class',
  class_statement: 'class',
  constructor_declaration: 'constructor',
  enum_declaration: 'enum',
  enum_item: 'enum',
  enum_specifier: 'enum',
  function_declaration: 'function',
  function_definition: 'function',
  function_item: 'function',
  function_statement: 'function',
  generator_function_declaration: 'function',
  impl_item: 'module',
  interface_declaration: 'interface',
  internal_module: 'module',
  macro_definition: 'function',
  method: 'method',
  method_declaration: 'method',
  method_definition: 'method',
  mod_item: 'module',
  module: 'module',
  object_declaration: 'class',
  namespace_declaration: 'module',
  namespace_definition: 'module',
  record_declaration: 'class',
  singleton_method: 'method',
  struct_declaration: 'struct',
  struct_item: 'struct',
  struct_specifier: 'struct',
  trait_declaration: 'trait',
  trait_item: 'trait',
  type_alias: 'type',
  type_alias_declaration: 'type',
  type_item: 'type',
  type_spec: 'type',
};
const containerKinds: ReadonlySet<SymbolKind> = new Set(['class', 'interface', 'struct', 'enum', 'trait', 'module']);
/** Nodes without a name, whose declarations belong to the enclosing scope. */
const wrapperNodeTypes = new Set([
  'ambient_declaration',
  'body_statement',
  'class_body',
  'companion_object',
  'declaration',
  'declaration_list',
  'decorated_definition',
  'enum_class_body',
  'export_statement',
  'expression_statement',
  'file_scoped_namespace_declaration',
  'lexical_declaration',
  'linkage_specification',
  'preproc_if',
  'preproc_ifdef',
  'statement_list',
  'template_declaration',
  'type_declaration',
  'variable_declaration',
]);
/** A constant with such a value counts as a function. */
const functionNodeTypes = new Set(['arrow_function', 'function_expression', 'generator_function']);
/** Namespace, class, method. */
const maxDepth = 3;

/** Parses declarations with VS Code's Tree-sitter parsers, each loaded at the first file of its language. */
export class TreeSitterParser {
  private library: Promise<TreeSitter> | undefined;
  private readonly languages = new Map<string, Promise<Language>>();
  private parser: Parser | undefined;

  /** @param folder holds the parsers' WebAssembly files */
  constructor(private readonly folder: string) {}

  /** The declarations of a text, containers before their members. Text with syntax errors yields those that parse. */
  async parseSymbols(language: string, text: string): Promise<CodeSymbol[]> {
    const library = await (this.library ??= this.loadLibrary());
    let loading = this.languages.get(language);
    if (loading === undefined) {
      loading = library.Language.load(path.join(this.folder, `tree-sitter-${language}.wasm`));
      this.languages.set(language, loading);
    }
    const loaded = await loading;
    this.parser ??= new library.Parser();
    this.parser.setLanguage(loaded);
    const tree = this.parser.parse(text);
    if (tree === null) return [];
    try {
      return collectSymbols(tree.rootNode, { prefix: '', depth: 0 });
    } finally {
      tree.delete();
    }
  }

  /** Frees the parser; the next file creates another one. */
  close(): void {
    this.parser?.delete();
    this.parser = undefined;
  }

  private async loadLibrary(): Promise<TreeSitter> {
    const library = createRequire(path.join(this.folder, 'tree-sitter.js'))('./tree-sitter.js') as TreeSitter;
    await library.Parser.init({ locateFile: file => path.join(this.folder, file) });
    return library;
  }
}

interface ParentScope {
  readonly prefix: string;
  readonly depth: number;
  /** An enclosing `export` or `const`, which is part of the declaration's code. */
  readonly wrapper?: Node;
}

function collectSymbols(parent: Node, scope: ParentScope): CodeSymbol[] {
  const found: CodeSymbol[] = [];
  for (const node of parent.namedChildren) {
    if (node === null) continue;
    if (wrapperNodeTypes.has(node.type)) {
      const isPart = node.type === 'export_statement' || node.type.endsWith('lexical_declaration');
      found.push(...collectSymbols(node, isPart ? { ...scope, wrapper: scope.wrapper ?? node } : { ...scope }));
      continue;
    }
    const kind = symbolKindOf(node);
    const name = kind === undefined ? undefined : symbolNameOf(node);
    if (kind === undefined || name === undefined) continue;
    const full = scope.prefix === '' ? name : `${scope.prefix}.${name}`;
    const inClass = kind === 'function' && scope.prefix !== '' && scope.depth > 0;
    // An `impl` block only adds to another type.
    if (node.type !== 'impl_item') found.push(toCodeSymbol(full, inClass ? 'method' : kind, scope.wrapper ?? node));
    if (!containerKinds.has(kind) || scope.depth + 1 >= maxDepth) continue;
    found.push(...collectSymbols(node.childForFieldName('body') ?? node, { prefix: full, depth: scope.depth + 1 }));
  }
  return found;
}

function symbolKindOf(node: Node): SymbolKind | undefined {
  if (node.type === 'variable_declarator') {
    return functionNodeTypes.has(node.childForFieldName('value')?.type ?? '') ? 'function' : undefined;
  }
  // `struct point p` names a type and declares none.
  if (node.type.endsWith('_specifier') && node.childForFieldName('body') === null) return undefined;
  // `mod net;` names the file that has the module, and `namespace App;` where the file belongs.
  if (/^(?:mod_item|namespace_definition)$/u.test(node.type) && node.childForFieldName('body') === null)
    return undefined;
  return Object.hasOwn(kindByNodeType, node.type) ? kindByNodeType[node.type] : undefined;
}

function symbolNameOf(node: Node): string | undefined {
  const named =
    node.childForFieldName('name') ??
    // Kotlin's type alias has its name there.
    (node.type === 'type_alias' ? node.childForFieldName('type') : null) ??
    (node.type === 'impl_item' ? node.childForFieldName('type') : null);
  if (named !== null) {
    // Go writes a method outside of its type: `func (r *Ring) Next()`.
    const receiver = node.childForFieldName('receiver')?.text ?? '';
    const type = /([\p{L}_][\p{L}\p{N}_]{0,99})(?:\[[^\]]{0,200}\])?\)$/u.exec(receiver)?.[1];
    return normalizeName(type === undefined ? named.text : `${type}.${named.text}`);
  }
  // C and C++ hide the name in declarators; PowerShell has no fields.
  let declarator = node.childForFieldName('declarator');
  while (declarator !== null && !/identifier$|_name$/u.test(declarator.type))
    declarator = declarator.childForFieldName('declarator');
  declarator ??= node.namedChildren.find(it => it !== null && /identifier$|_name$/u.test(it.type)) ?? null;
  return declarator === null ? undefined : normalizeName(declarator.text);
}

function normalizeName(name: string): string | undefined {
  const line = name.replaceAll('::', '.').replaceAll(/\s+/gu, ' ').trim();
  return line === '' || line.length > 200 ? undefined : line;
}

function toCodeSymbol(name: string, kind: SymbolKind, { startPosition: start, endPosition: end }: Node): CodeSymbol {
  return {
    name,
    kind,
    startLine: start.row,
    startCharacter: start.column,
    endLine: end.row,
    endCharacter: end.column,
  };
}
