import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';

/** How many comments of a file still match; the numbers may only fall. */
const exceptionsFile = path.resolve('test/unit/docs/plainEnglish.exceptions.json');
/** Wording for which plain technical English has another word, and openings that hide the subject. */
const patterns = [
  /^(?:what|who|that|those)\b/iu,
  /\b(?:told|tell|anew|beside|nobody|somebody|stand|stood)\b/iu,
  // `BEGIN` is a word of SQL.
  /\b(?:[Bb]egin|[Bb]egun)\b/u,
  /\b(?:is to be|called off|became of|all the same)\b/iu,
  /\bis at\b(?! (?:most|least)\b)/iu,
];

describe('comments', () => {
  it('use plain technical English', () => {
    const counts = countMatches();
    if (process.env.RECOLLECT_UPDATE === '1')
      writeFileSync(exceptionsFile, `${JSON.stringify(counts, undefined, 2)}\n`);
    const allowed = JSON.parse(readFileSync(exceptionsFile, 'utf8')) as Record<string, number>;
    const worse = Object.entries(counts).filter(([file, count]) => count > (allowed[file] ?? 0));
    const report = worse.flatMap(([file]) =>
      commentsOf(file)
        .filter(isDialect)
        .map(it => `${file}: ${it}`),
    );
    assert.deepEqual(report, []);
  });

  it('are found wherever they are in a file', () => {
    const text =
      '/** What it is. */\nconst a = `// no comment`; // Nobody knows.\nfoo(/* told */);\n// It is at most 3.\n';
    assert.deepEqual(commentsIn(text).filter(isDialect), ['What it is.', 'Nobody knows.', 'told']);
  });
});

function countMatches(): Record<string, number> {
  const files = ['src', 'webview-ui'].flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(it => it.endsWith('.ts'))
      .map(it => path.posix.join(folder, ...it.split(path.sep))),
  );
  const counts = files.sort().map(it => [it, commentsOf(it).filter(isDialect).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function isDialect(comment: string): boolean {
  return patterns.some(it => it.test(comment));
}

function commentsOf(file: string): readonly string[] {
  return commentsIn(readFileSync(file, 'utf8'));
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
