import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';

/** Wording for which plain technical English has another word, and openings that hide the subject. */
const patterns = [
  /^(?:what|who|that|those)\b/iu,
  /\b(?:told|tell|anew|beside|nobody|somebody|stand|stood)\b/iu,
  // `BEGIN` is a word of SQL.
  /\b(?:[Bb]egin|[Bb]egun)\b/u,
  /\b(?:is to be|called off|became of|all the same)\b/iu,
  /\bis at\b(?! (?:most|least)\b)/iu,
];

/** A title stands alone in a log: it begins with what happens. */
const weakTitle = /^(?:is|are|was|of|in|on|the|a|an|and)\b/iu;

describe('comments', () => {
  it('use plain technical English', () => {
    checkMatches('plainEnglish.exceptions.json', filesBelow('src', 'webview-ui'), it =>
      commentsIn(it).filter(isDialect),
    );
  });

  it('are found wherever they are in a file', () => {
    const text =
      '/** What it is. */\nconst a = `// no comment`; // Nobody knows.\nfoo(/* told */);\n// It is at most 3.\n';
    assert.deepEqual(commentsIn(text).filter(isDialect), ['What it is.', 'Nobody knows.', 'told']);
  });
});

describe('shown strings', () => {
  it('use plain technical English', () => {
    const files = [...filesBelow('src', 'webview-ui'), 'package.nls.json'];
    checkMatches('plainEnglish.strings.json', files, (text, file) => sentencesIn(text, file).filter(isDialect));
  });

  it('include those between the values of a template', () => {
    const text = "const a = 'What is it at?'; foo(`Told you: ${a('Nobody knows this')} for now`); bar('told');";
    assert.deepEqual(sentencesIn(text, 'a.ts').filter(isDialect), [
      'What is it at?',
      'Told you: … for now',
      'Nobody knows this',
    ]);
  });
});

describe('test titles', () => {
  it('begin with a verb in the third person', () => {
    const files = filesBelow('test').filter(it => it.endsWith('.test.ts'));
    checkMatches('plainEnglish.titles.json', files, text => titlesIn(text).filter(it => weakTitle.test(it)));
  });
});

/**
 * Fails where a file has more matches than its exceptions allow.
 * @param name of the file with the number of exceptions by file; the numbers may only fall
 */
function checkMatches(
  name: string,
  files: readonly string[],
  matchesIn: (text: string, file: string) => readonly string[],
): void {
  const exceptionsFile = path.resolve('test/unit/docs', name);
  const found = files
    .map(it => [it, matchesIn(readFileSync(it, 'utf8'), it)] as const)
    .filter(([, matches]) => matches.length > 0);
  if (process.env.RECOLLECT_UPDATE === '1') {
    const counts = Object.fromEntries(found.map(([file, matches]) => [file, matches.length]));
    writeFileSync(exceptionsFile, `${JSON.stringify(counts, undefined, 2)}\n`);
  }
  const allowed = JSON.parse(readFileSync(exceptionsFile, 'utf8')) as Record<string, number>;
  const worse = found.filter(([file, matches]) => matches.length > (allowed[file] ?? 0));
  assert.deepEqual(
    worse.flatMap(([file, matches]) => matches.map(it => `${file}: ${it}`)),
    [],
  );
}

function filesBelow(...folders: readonly string[]): readonly string[] {
  return folders
    .flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(it => it.endsWith('.ts'))
        .map(it => path.posix.join(folder, ...it.split(path.sep))),
    )
    .sort();
}

/** Literals of at least three words, as people read them, with `…` for a value; the values of a file of JSON. */
function sentencesIn(text: string, file: string): readonly string[] {
  if (file.endsWith('.json')) return Object.values(JSON.parse(text) as Record<string, string>);
  const sentences: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) sentences.push(node.text);
    if (ts.isTemplateExpression(node))
      sentences.push([node.head.text, ...node.templateSpans.map(it => it.literal.text)].join('…'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return sentences.filter(it => /\S\s+\S+\s+\S/u.test(it));
}

/** Of tests that have one of their own, not those of a table. */
function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'it') {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
      if (title !== undefined && ts.isTemplateExpression(title)) titles.push(title.head.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest));
  return titles;
}

function isDialect(comment: string): boolean {
  return patterns.some(it => it.test(comment));
}

/** The comments of TypeScript without their delimiters, each on one line. */
function commentsIn(text: string): readonly string[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const comments: string[] = [];
  /** Open braces inside each template literal that is open. */
  const bracesByTemplate: number[] = [];
  let mayStartPattern = true;
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      comments.push(withoutDelimiters(scanner.getTokenText()));
    if (token <= ts.SyntaxKind.LastTriviaToken) continue;
    if (token === ts.SyntaxKind.SlashToken && mayStartPattern) token = scanner.reScanSlashToken();
    const depth = bracesByTemplate.length - 1;
    if (token === ts.SyntaxKind.OpenBraceToken && depth >= 0) bracesByTemplate[depth]!++;
    if (token === ts.SyntaxKind.CloseBraceToken && depth >= 0 && bracesByTemplate[depth]!-- === 0) {
      bracesByTemplate.pop();
      token = scanner.reScanTemplateToken(false);
    }
    if (token === ts.SyntaxKind.TemplateHead || token === ts.SyntaxKind.TemplateMiddle) bracesByTemplate.push(0);
    mayStartPattern = !endsOperand(token);
  }
  return comments;
}

/** Whether a slash after it divides. */
function endsOperand(token: ts.SyntaxKind): boolean {
  const { Identifier, CloseParenToken, CloseBracketToken, CloseBraceToken, ThisKeyword } = ts.SyntaxKind;
  return (
    [Identifier, CloseParenToken, CloseBracketToken, CloseBraceToken, ThisKeyword].includes(token) ||
    (token >= ts.SyntaxKind.FirstLiteralToken && token <= ts.SyntaxKind.LastLiteralToken) ||
    token === ts.SyntaxKind.TemplateTail
  );
}

function withoutDelimiters(comment: string): string {
  return comment
    .replace(/^\/[/*]+|\*\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
