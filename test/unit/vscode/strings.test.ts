import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** For translators: every string a person may see, by itself. Written anew with RECOLLECT_UPDATE=1. */
const bundle = path.join('media', 'l10n', 'bundle.l10n.json');

/** Attributes of HTML that a person reads or hears. */
const spoken = /^(title|label|placeholder|alt|aria-(label|description|roledescription|valuetext))$/u;

interface Found {
  /** Strings that can be translated. */
  readonly strings: Set<string>;
  /** `file:line: what is wrong`. */
  readonly problems: string[];
}

describe('strings that a person may see', () => {
  const found: Found = { strings: new Set(), problems: [] };
  before(() => {
    for (const file of sources()) read(file, found);
  });

  it('can all be translated', () => {
    assert.deepEqual(found.problems, []);
  });

  it('are in the bundle, and no others', () => {
    const expected = Object.fromEntries([...found.strings].sort().map(it => [it, it]));
    if (process.env.RECOLLECT_UPDATE === '1') {
      mkdirSync(path.dirname(bundle), { recursive: true });
      writeFileSync(bundle, `${JSON.stringify(expected, undefined, 2)}\n`);
    }
    assert.ok(existsSync(bundle), `${bundle} is missing: make it with RECOLLECT_UPDATE=1 npm run test:unit`);
    assert.deepEqual(JSON.parse(readFileSync(bundle, 'utf8')), expected);
  });

  it('are found where they are not translated', () => {
    const problems = (text: string): number => {
      const it: Found = { strings: new Set(), problems: [] };
      readText('sample.ts', text, it);
      return it.problems.length;
    };
    const wrong = [
      "vscode.window.showInformationMessage('Done.')",
      'vscode.window.setStatusBarMessage(`Done with ${count}`)',
      'html`<p>Done</p>`',
      'html`<p title="Done">${x}</p>`',
      'vscode.l10n.t(sentence)',
      "box.placeholder = 'Words'",
    ];
    const right = [
      'html`<p class="done">${l10n.t("Done")} · ${x}</p>`',
      "vscode.window.showErrorMessage(l10n.t('Done'))",
    ];
    assert.deepEqual([wrong.map(problems), right.map(problems)], [wrong.map(() => 1), [0, 0]]);
  });
});

function sources(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(it => it.endsWith('.ts') && !it.endsWith('.d.ts'))
      .map(it => path.join(folder, it));
  return [...below(path.join('src', 'vscode')), ...below('webview-ui'), path.join('src', 'extension.ts')];
}

function read(file: string, found: Found): void {
  readText(file, readFileSync(file, 'utf8'), found);
}

function readText(file: string, text: string, { strings, problems }: Found): void {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const wrong = (node: ts.Node, what: string): void => {
    problems.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      const [first] = node.arguments;
      if (/(^|\.)l10n\.t$/u.test(callee)) {
        if (first !== undefined && ts.isStringLiteralLike(first)) strings.add(first.text);
        else wrong(node, 'a translation needs its English text in place');
      } else if (/\.(show(Information|Warning|Error)Message|setStatusBarMessage)$/u.test(callee)) {
        for (const it of node.arguments) if (isEnglish(it)) wrong(it, 'not translated');
      }
    }
    if (
      (ts.isPropertyAssignment(node) && isShown(node.name.getText()) && isEnglish(node.initializer)) ||
      (ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        isShown(node.left.getText().split('.').at(-1)!) &&
        isEnglish(node.right))
    ) {
      wrong(node, 'not translated');
    }
    if (ts.isTaggedTemplateExpression(node) && ['html', 'svg'].includes(node.tag.getText())) {
      for (const it of wordsOf(node.template)) wrong(node, `"${it}" is not translated`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Properties of VS Code's interface that a person reads. Messages of errors are the engine's, which speaks English. */
function isShown(name: string): boolean {
  return ['title', 'placeholder', 'placeHolder', 'prompt', 'detail', 'tooltip'].includes(name);
}

/** A text with words in it, written in place. */
function isEnglish(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node)) return hasWords(node.text);
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(it => it.literal)].some(it => hasWords(it.text));
  return false;
}

/** The words of a template's HTML that a person reads or hears. */
function wordsOf(template: ts.TemplateLiteral): readonly string[] {
  const hole = '\u0000';
  const whole = ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : [template.head, ...template.templateSpans.map(it => it.literal)].map(it => it.text).join(hole);
  const attributes = [...whole.matchAll(/([\w-]+)="([^"]*)"/gu)].filter(([, name]) => spoken.test(name!));
  const text = whole.replace(/<[^>]*>/gu, ' ').replaceAll(hole, ' ');
  return [text, ...attributes.map(([, , value]) => value!.replaceAll(hole, ' '))].map(it => it.trim()).filter(hasWords);
}

/** Two letters together; signs, icons (`$(law)`), names, units and the beginning of a key are no words. */
function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/\$\([\w~-]+\)/gu, '').replace(/\b(Recollect|KB|MB|ms|sk-ant)\b/gu, ''));
}
