import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { messageTemplates } from '../../../src/engine/model/engineMessages.js';

/** Every user-visible string, for translators. Updated with RECOLLECT_UPDATE=1. */
const bundle = path.join('media', 'l10n', 'bundle.l10n.json');

/** Localizes messages of the engine, so its calls of l10n.t have no literal. */
const engineMessagesFile = 'src/vscode/l10n/engineMessages.ts';

/** HTML attributes that are shown, or read by screen readers. */
const spoken = /^(title|label|placeholder|alt|aria-(label|description|roledescription|valuetext))$/u;

interface Found {
  /** Localizable strings. */
  readonly strings: Set<string>;
  /** `file:line: what is wrong`. */
  readonly problems: string[];
}

describe('user-visible strings', () => {
  const found: Found = { strings: new Set(Object.values(messageTemplates)), problems: [] };
  before(() => {
    for (const file of sources('src/vscode', 'webview-ui', 'src/extension.ts')) readSurface(file, textOf(file), found);
    for (const file of sources('src/engine', 'src/connect')) readErrors(file, textOf(file), found);
    // Errors of operations are for models and the command line, in English.
    for (const file of sources('src/engine', 'src/connect', 'src/operations')) readMessages(file, textOf(file), found);
  });

  it('are all localizable', () => {
    assert.deepEqual(found.problems, []);
  });

  it('are exactly the strings of the l10n bundle', () => {
    const expected = Object.fromEntries([...found.strings].sort().map(it => [it, it]));
    if (process.env.RECOLLECT_UPDATE === '1') {
      mkdirSync(path.dirname(bundle), { recursive: true });
      writeFileSync(bundle, `${JSON.stringify(expected, undefined, 2)}\n`);
    }
    assert.ok(existsSync(bundle), `${bundle} is missing: make it with RECOLLECT_UPDATE=1 npm run test:unit`);
    assert.deepEqual(JSON.parse(readFileSync(bundle, 'utf8')), expected);
  });

  it('are detected where they are not localized', () => {
    const problems = (text: string): number => {
      const it: Found = { strings: new Set(), problems: [] };
      readSurface('sample.ts', text, it);
      return it.problems.length;
    };
    const wrong = [
      "vscode.window.showInformationMessage('Done.')",
      'vscode.window.setStatusBarMessage(`Done with ${count}`)',
      'html`<p>Done</p>`',
      'html`<p title="Done">${x}</p>`',
      'vscode.l10n.t(sentence)',
      "box.placeholder = 'Words'",
      "throw new EngineError('notFound', `There is no goal ${id}.`)",
    ];
    const right = [
      'html`<p class="done">${l10n.t("Done")} · ${x}</p>`',
      "vscode.window.showErrorMessage(l10n.t('Done'))",
      "throw new EngineError('notFound', message`There is no goal ${id}.`)",
    ];
    assert.deepEqual([wrong.map(problems), right.map(problems)], [wrong.map(() => 1), right.map(() => 0)]);
  });
});

function sources(...places: readonly string[]): string[] {
  return places
    .flatMap(place =>
      place.endsWith('.ts')
        ? [place]
        : readdirSync(place, { recursive: true, encoding: 'utf8' }).map(it => path.posix.join(place, it)),
    )
    .filter(it => it.endsWith('.ts') && !it.endsWith('.d.ts'));
}

const textOf = (file: string): string => readFileSync(file, 'utf8');

type Wrong = (node: ts.Node, what: string) => void;

/** Walks every node of a file. */
function walk(file: string, text: string, { problems }: Found, visit: (node: ts.Node, wrong: Wrong) => void): void {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const wrong: Wrong = (node, what) => {
    problems.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`);
  };
  const each = (node: ts.Node): void => {
    visit(node, wrong);
    ts.forEachChild(node, each);
  };
  each(source);
}

/** Collects the strings of a surface, and reports those that are not localized. */
function readSurface(file: string, text: string, found: Found): void {
  readMessages(file, text, found);
  readErrors(file, text, found);
  walk(file, text, found, (node, wrong) => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      const [first] = node.arguments;
      if (/(^|\.)l10n\.t$/u.test(callee)) {
        if (first !== undefined && ts.isStringLiteralLike(first)) found.strings.add(first.text);
        else if (file !== engineMessagesFile) wrong(node, 'a translation needs its English text in place');
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
  });
}

/** Collects the messages that a window translates. */
function readMessages(file: string, text: string, found: Found): void {
  walk(file, text, found, node => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'message') {
      found.strings.add(patternOf(node.template));
    }
  });
}

/** Collects the messages of errors that have no arguments. */
function readErrors(file: string, text: string, found: Found): void {
  walk(file, text, found, (node, wrong) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'EngineError') {
      for (const said of choicesOf(node.arguments?.[1])) {
        if (ts.isStringLiteralLike(said)) found.strings.add(said.text);
        else if (ts.isTemplateExpression(said)) wrong(said, 'message`…` makes it one to translate');
      }
    }
  });
}

/** The values of an expression: both branches of a condition. */
function choicesOf(node: ts.Expression | undefined): readonly ts.Expression[] {
  if (node === undefined) return [];
  return ts.isConditionalExpression(node) ? [...choicesOf(node.whenTrue), ...choicesOf(node.whenFalse)] : [node];
}

/** The pattern of a template, as the tag `message` builds it. */
function patternOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.head.text + template.templateSpans.map((it, i) => `{${i}}${it.literal.text}`).join('');
}

/** Whether a property of VS Code's API is user-visible. */
function isShown(name: string): boolean {
  return ['title', 'placeholder', 'placeHolder', 'prompt', 'detail', 'tooltip'].includes(name);
}

/** Whether an expression is a literal text with words. */
function isEnglish(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node)) return hasWords(node.text);
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(it => it.literal)].some(it => hasWords(it.text));
  return false;
}

/** The user-visible text and attributes of an HTML template. */
function wordsOf(template: ts.TemplateLiteral): readonly string[] {
  const hole = '\u0000';
  const whole = ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : [template.head, ...template.templateSpans.map(it => it.literal)].map(it => it.text).join(hole);
  const attributes = [...whole.matchAll(/([\w-]+)="([^"]*)"/gu)].filter(([, name]) => spoken.test(name!));
  const text = whole.replace(/<[^>]*>/gu, ' ').replaceAll(hole, ' ');
  return [text, ...attributes.map(([, , value]) => value!.replaceAll(hole, ' '))].map(it => it.trim()).filter(hasWords);
}

/** Whether a text has two adjacent letters, except in icons (`$(law)`), names, units and the prefix of a key. */
function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/\$\([\w~-]+\)/gu, '').replace(/\b(Recollect|KB|MB|ms|sk-ant)\b/gu, ''));
}
