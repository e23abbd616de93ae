import MarkdownIt, { type Token } from 'markdown-it';
import type { ImportRefusal } from '../../model/importReport.js';
import { splitSentences } from '../../text/sentenceSplitter.js';
import { isShell, readCommands } from './shellCommands.js';
import { leaveOutSecrets, type RuleDraft, type SourceText } from './markdownSecrets.js';

/** What one place in a Markdown file lays down, readable without its neighbors. */
export interface MarkdownRule {
  readonly content: string;
  /** From 1. */
  readonly line: number;
  /** Whether it is a command of a shell block, with its purpose. */
  readonly isCommand: boolean;
}

/** Longer prose is divided between sentences, and longer code is an example that belongs in its file. In UTF-16 units. */
const maxRuleLength = 1_200;
const maxCodeLength = 3_000;
/** A list item of so few words without a full stop names what is below it. */
const maxLabelWords = 8;

const markdown = new MarkdownIt({ html: false }).disable(['code']);

/**
 * The rules of an instructions file, in its order: paragraphs, list items, table rows with their columns, commands with
 * their purpose, quotes and code, each under its heading and lead-in. What is left out is returned with its line and the
 * reason; blank lines, rules and headings with text below them are not counted. What holds a secret is left out by itself.
 * Never throws.
 */
export function readMarkdownRules(text: string): (MarkdownRule | ImportRefusal)[] {
  const source = blankComments(text);
  const lines = source.split('\n');
  return new RuleReader(markdown.parse(source, {}))
    .read()
    .flatMap(it => ('reason' in it ? [it] : leaveOutSecrets(it, lines)))
    .map(it =>
      'reason' in it ? it : { content: it.prefix + it.text, line: it.line, isCommand: it.isCommand === true },
    );
}

/** Blanks HTML comments and lines of tags alone, with the line numbers unchanged. Comments in code stay. */
function blankComments(text: string): string {
  const blankLines = (found: string): string => found.replaceAll(/[^\n]/gu, '');
  const fenceOrComment =
    /^([ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n(?:[\s\S]*?^[ \t]*\2[`~]*[ \t]*$|[\s\S]*$))|<!--[\s\S]*?(?:-->|$)/gmu;
  return text
    .replace(/^\uFEFF/u, '')
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(fenceOrComment, (found, fence) => (fence === undefined ? blankLines(found) : found))
    .replaceAll(/^[ \t]*(?:<\/?[a-z][\w-]*(?:\s[^<>\n]*)?\/?>[ \t]*)+$/gimu, '');
}

/** A heading or a lead-in above a block. */
interface Context {
  readonly text: string;
  readonly line: number;
}

class RuleReader {
  private readonly found: (RuleDraft | ImportRefusal)[] = [];
  private position = 0;
  private headings: { readonly level: number; readonly text: string; readonly line: number }[] = [];
  /** The last heading or lead-in, while nothing has been read below it. */
  private unused: (Context & { readonly reason: string }) | undefined;
  /** A paragraph that ends with a colon; it introduces the next block. */
  private leadIn: Context | undefined;

  constructor(private readonly tokens: readonly Token[]) {}

  read(): (RuleDraft | ImportRefusal)[] {
    while (this.position < this.tokens.length) this.readBlock();
    this.dropUnused();
    return this.found;
  }

  private readBlock(): void {
    const token = this.tokens[this.position]!;
    const line = lineOf(token);
    switch (token.type) {
      case 'heading_open':
        this.startHeading(Number(token.tag.slice(1)), this.tokens[this.position + 1]!.content, line);
        this.position += 3;
        return;
      case 'paragraph_open':
        this.readParagraph(this.tokens[this.position + 1]!.content, line, lastLineOf(token));
        this.position += 3;
        return;
      case 'fence':
        this.addCode(token, this.takeLeadIn());
        this.position++;
        return;
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.readList(this.takeLeadIn());
        return;
      case 'table_open':
        this.readTable(this.takeLeadIn());
        return;
      default:
        // Quotes are read like what is around them.
        this.position++;
    }
  }

  private startHeading(level: number, text: string, line: number): void {
    // A heading of headings is structure.
    const above = this.headings.at(-1);
    if (this.unused?.line !== above?.line || above === undefined || level <= above.level) this.dropUnused();
    this.leadIn = undefined;
    this.headings = [...this.headings.filter(it => it.level < level), { level, text: toLine(text), line }];
    this.unused = { text, line, reason: 'It is a heading with nothing below it.' };
  }

  private readParagraph(content: string, line: number, lastLine: number): void {
    const text = toLine(content);
    if (!hasWords(text)) {
      this.passOver(line, 'It is an image or a link alone.');
      return;
    }
    if (isAnnouncement(text)) {
      if (this.leadIn !== undefined) this.dropUnused();
      this.leadIn = { text: withoutColon(text), line };
      this.unused = { text, line, reason: 'It announces something that does not follow.' };
      return;
    }
    this.leadIn = undefined;
    for (const part of splitProse(text)) this.add({ text: part, line, lastLine });
  }

  /**
   * Reads a list, nested lists included.
   * @param context what the items belong to, besides the heading
   * @returns its lines as they stand below the item that holds it, for a list that is kept whole
   */
  private readList(context: readonly string[]): string {
    const isOrdered = this.tokens[this.position]!.type === 'ordered_list_open';
    const line = lineOf(this.tokens[this.position]!);
    const items: SourceText[] = [];
    const lastLine = lastLineOf(this.tokens[this.position]!);
    const firstFound = this.found.length;
    this.position++;
    for (let number = 1; !this.tokens[this.position]!.type.endsWith('_list_close'); number++) {
      const token = this.tokens[this.position]!;
      const text = `${isOrdered ? `${number}.` : '-'} ${this.readItem(context)}`;
      items.push({ text, line: lineOf(token), lastLine: lastLineOf(token) });
    }
    this.position++;
    // Steps below a lead-in are one procedure, of which no step can be read alone.
    const steps = items.map(it => it.text).join('\n');
    const saysSomething = this.found.slice(firstFound).some(it => 'text' in it);
    if (saysSomething && isOrdered && context.length > 0 && items.length > 1 && steps.length <= maxCodeLength) {
      const refusals = this.found.splice(firstFound).filter(it => 'reason' in it);
      this.found.push(...refusals);
      this.add({ text: `${context.join(': ')}:\n${steps}`, line, lastLine, pieces: items });
    }
    return indented(items.map(it => it.text));
  }

  /** Adds the rules of one list item. @returns its text, for a list that is kept whole */
  private readItem(context: readonly string[]): string {
    const texts: string[] = [];
    const line = lineOf(this.tokens[this.position]!);
    let ownText = '';
    let isOwnTextAdded = false;
    let lastLine = line;
    const below = (): readonly string[] => (ownText === '' ? context : [...context, withoutColon(ownText)]);
    const addOwnText = (): void => {
      if (ownText === '' || isOwnTextAdded) return;
      isOwnTextAdded = true;
      for (const part of splitProse(ownText)) this.add({ text: [...context, part].join(': '), line, lastLine });
    };
    for (this.position++; this.tokens[this.position]!.type !== 'list_item_close';) {
      const token = this.tokens[this.position]!;
      if (token.type === 'paragraph_open') {
        const text = toLine(this.tokens[this.position + 1]!.content);
        this.position += 3;
        texts.push(text);
        if (!hasWords(text)) continue;
        addOwnText();
        [ownText, isOwnTextAdded, lastLine] = [text, false, lastLineOf(token)];
      } else if (token.type.endsWith('_list_open')) {
        if (isLabel(ownText)) isOwnTextAdded = true;
        const firstFound = this.found.length;
        addOwnText();
        const sublist = this.readList(isLabel(ownText) ? below() : [...context, toLabel(ownText)]);
        texts.push(sublist);
        // Exceptions and conditions are part of the item that they limit.
        if (ownText !== '' && continuesItem.test(sublist) && ownText.length + sublist.length <= maxRuleLength) {
          this.found.splice(firstFound, Infinity, ...this.found.slice(firstFound).filter(it => 'reason' in it));
          this.add({ text: [...context, ownText].join(': ') + sublist, line, lastLine: lastLineOf(token) });
          isOwnTextAdded = true;
        }
      } else if (token.type === 'fence') {
        if (isLabel(ownText) || ownText.length + token.content.length <= maxRuleLength) isOwnTextAdded = true;
        addOwnText();
        this.addCode(token, below());
        texts.push(`\n${toFence(token)}`);
        this.position++;
      } else if (token.type === 'table_open') {
        if (isLabel(ownText)) isOwnTextAdded = true;
        addOwnText();
        texts.push(this.readTable(below()));
      } else if (token.type === 'heading_open') {
        addOwnText();
        [ownText, isOwnTextAdded] = [toLine(this.tokens[this.position + 1]!.content), true];
        texts.push(ownText);
        this.position += 3;
      } else {
        this.position++;
      }
    }
    this.position++;
    if (isAnnouncement(ownText) && !isOwnTextAdded) this.passOver(line, 'It announces something that does not follow.');
    else addOwnText();
    return texts.reduce((all, it) => (all === '' || it.startsWith('\n') ? all + it : `${all} ${it}`), '');
  }

  /** Adds the rows of a table. @returns them as lines below the item that holds it */
  private readTable(context: readonly string[]): string {
    const rows: string[] = [];
    const columns: string[] = [];
    let cells: string[] = [];
    let line = 0;
    let isHeader = true;
    for (; this.tokens[this.position]!.type !== 'table_close'; this.position++) {
      const token = this.tokens[this.position]!;
      if (token.type === 'tbody_open') isHeader = false;
      else if (token.type === 'tr_open') [cells, line] = [[], lineOf(token)];
      else if (token.type === 'inline') (isHeader ? columns : cells).push(toLine(token.content));
      else if (token.type === 'tr_close' && !isHeader) {
        const text = describeRow(columns, cells);
        if (text === '') continue;
        rows.push(`- ${text}`);
        this.add({ text: [...context, text].join(': '), line, lastLine: line });
      }
    }
    this.position++;
    return indented(rows);
  }

  /** Adds the commands of a shell block with their purpose, and other code as a whole. */
  private addCode(token: Token, context: readonly string[]): void {
    const line = lineOf(token);
    const prefix = context.map(it => `${it}: `).join('');
    const commands = isShell(token) ? readCommands(token.content) : undefined;
    if (commands !== undefined) {
      for (const it of commands) {
        const purpose = it.purpose === '' ? '' : `${withoutColon(it.purpose)}: `;
        const commandLine = line + 1 + it.line;
        const lastLine = commandLine + it.command.split('\n').length - 1;
        const text = `${prefix}${purpose}${toCode(it.command)}`;
        this.add({ text, line: commandLine, lastLine, isCommand: true });
      }
    } else if (token.content.trim() === '') {
      this.passOver(line, 'The code block is empty.');
    } else if (token.content.length > maxCodeLength) {
      this.leaveOut(line, 'The code block is too long to be remembered; it belongs in a file.');
    } else {
      const last = this.found.at(-1);
      // Code right below a paragraph shows what that says.
      const code = { text: toFence(token), line, lastLine: lastLineOf(token) };
      if (context.length === 0 && this.unused === undefined && last !== undefined && 'text' in last)
        this.found[this.found.length - 1] = withCode(last, code);
      else this.add({ ...code, text: `${context.join(': ')}${context.length === 0 ? '' : ':\n'}${code.text}` });
    }
  }

  private takeLeadIn(): readonly string[] {
    const taken = this.leadIn;
    this.leadIn = undefined;
    return taken === undefined ? [] : [taken.text];
  }

  private add(rule: Omit<RuleDraft, 'prefix'>): void {
    this.unused = undefined;
    if (isChecklistItem.test(rule.text) || isBoilerplate.test(rule.text)) {
      this.passOver(rule.line, 'It is a check list or a note about the file itself.');
      return;
    }
    const heading = this.headingText();
    const repeats = rule.text.toLowerCase().startsWith(heading.toLowerCase());
    const separator = rule.text.startsWith('```') ? ':\n' : ': ';
    this.found.push({ ...rule, prefix: heading === '' || repeats ? '' : `${heading}${separator}` });
  }

  /** The nearest heading; the title of the file says nothing about what is in it. */
  private headingText(): string {
    const heading = this.headings.at(-1);
    return heading === undefined || (heading.level === 1 && heading.line <= 3 && isGenericTitle(heading.text))
      ? ''
      : withoutColon(heading.text);
  }

  private dropUnused(): void {
    if (this.unused !== undefined) this.passOver(this.unused.line, this.unused.reason);
    this.unused = undefined;
  }

  private passOver(line: number, reason: string): void {
    this.found.push({ where: `line ${line}`, reason, isPassedOver: true });
  }

  private leaveOut(line: number, reason: string): void {
    this.found.push({ where: `line ${line}`, reason });
  }
}

/** An item to tick off: work that is done or is not, and no rule. */
const isChecklistItem = /^(?:[^\n]{1,300}: )?\[[ xX]\] /u;
/** What a generator writes on top of each such file. */
const isBoilerplate =
  /^This (?:file|document|guide) (?:provides|contains|gives|offers|is) [^.\n]{0,80}\b(?:guidance|instructions|guidelines|rules|context|information|guide) (?:to|for) [^.\n]{1,160}\.?$/iu;

function lineOf({ map }: Token): number {
  return (map?.[0] ?? 0) + 1;
}

function lastLineOf(token: Token): number {
  return Math.max(token.map?.[1] ?? 0, lineOf(token));
}

/** A rule with the code that follows it and shows what it says. */
function withCode({ pieces, ...rule }: RuleDraft, code: SourceText): RuleDraft {
  const { text, line, lastLine } = rule;
  return {
    ...rule,
    text: `${text}\n${code.text}`,
    lastLine: code.lastLine,
    pieces: [...(pieces ?? [{ text, line, lastLine }]), code],
  };
}

/** Names of two columns that say nothing beyond what their cells say; "Avoid" or "Port" would be missed. */
const plainNames =
  /^(?:class|command|component|directory|field|file|flag|folder|function|key|method|module|name|option|package|path|script|setting|term|tool|type|variable)s?$/iu;
const plainDescriptions =
  /^(?:description|details?|explanation|meaning|notes?|purpose|summary|what it (?:does|is)|what for)$/iu;

/** A row as a sentence: what the first of two cells is, or each cell after the name of its column. */
function describeRow(columns: readonly string[], cells: readonly string[]): string {
  const [name, description] = cells;
  const isPlain = plainNames.test(columns[0] ?? '') && plainDescriptions.test(columns[1] ?? '');
  if (cells.length === 2 && isPlain && name && description) return `${name}: ${description}`;
  return cells.flatMap((it, i) => (it === '' ? [] : [columns[i] ? `${columns[i]}: ${it}` : it])).join('; ');
}

/** Items below another one, each on a line of its own. */
function indented(items: readonly string[]): string {
  return items.map(it => `\n   ${it.replaceAll('\n', '\n   ')}`).join('');
}

function toLine(source: string): string {
  return source
    .replaceAll(/<br\s*\/?>/giu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

function withoutColon(text: string): string {
  return text
    .replace(/:(\*{1,3}|_{1,2})$/u, '$1')
    .replace(/(?<![\s:])[\s:]+$/u, '')
    .replaceAll(/^\*\*([^*]+)\*\*$/gu, '$1');
}

/** What the parts of an item are about: its bold beginning, where it has one. */
function toLabel(text: string): string {
  return /^\*\*([^*]+)\*\*(?=\s*[:—–-])/u.exec(text)?.[1]?.replace(/:$/u, '') ?? withoutColon(text);
}

/** Ends with a colon, also within emphasis: it announces what follows. */
function isAnnouncement(text: string): boolean {
  return /:[*_]{0,3}$/u.test(text);
}

/** Whether anything is left without images, and without links that only point to another place of the same file. */
function hasWords(text: string): boolean {
  const withoutImages = text.replaceAll(/\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?/gu, '');
  return /[\p{L}\p{N}]/u.test(withoutImages) && !/^\[[^\]]*\]\(#[^)\s]*\)[.:]?$/u.test(withoutImages.trim());
}

/** Names of a document rather than of what it is about. */
function isGenericTitle(title: string): boolean {
  return /\.mdc?$|^(?:claude|agents?|gemini|copilot|cursor|project|readme|instructions|rules|guidelines|overview|about)\b/iu.test(
    title,
  );
}

/** Names what is below it, and says nothing itself. */
function isLabel(text: string): boolean {
  const plain = text.replaceAll(/[*_]/gu, '');
  return isAnnouncement(plain) || (!/[.!?。！？]$/u.test(plain) && plain.split(/\s+/u).length <= maxLabelWords);
}

/** An item of a sublist that limits the item above it, or goes on with its sentence. */
const continuesItem =
  /^ {3}(?:-|\d+\.) [*_]{0,2}(?:except|unless|but|and|or|nor|otherwise|only (?:if|when|for|in)|not (?:if|when|for|in)|if so|if not|außer|aber|und|oder|sauf|mais|et|ou|excepto|salvo|pero)(?![\p{L}])/imu;

/** Openings of a sentence that cannot be read without the one before. */
const dependentOpening =
  /^(?:this|that|it|they|these|those|he|she|such|otherwise|instead|however|then|also|but|and|or|so|therefore|thus|here|there|for example|e\.g\.|i\.e\.|if (?:so|not|you|it)|do not|don't|use|see|note|its|their|both|neither|either|only|even|same|each|das|dies\w*|es|sie|er|ce|cela|il|elle|esto|eso)\b/iu;

/** A paragraph as it is, or in parts between sentences that can be read alone where it is long. */
function splitProse(text: string): string[] {
  if (text.length <= maxRuleLength) return [text];
  const parts: string[] = [];
  for (const sentence of splitSentences(text)) {
    const last = parts.at(-1);
    const isDependent = dependentOpening.test(sentence) || sentence.split(/\s+/u).length < 4 || last?.endsWith(':');
    if (last !== undefined && (isDependent || last.length + sentence.length < maxRuleLength / 2))
      parts[parts.length - 1] = `${last} ${sentence}`;
    else parts.push(sentence);
  }
  return parts;
}

function toCode(command: string): string {
  return command.includes('\n')
    ? `\n\`\`\`sh\n${command}\n\`\`\``
    : command.includes('`')
      ? `\`\` ${command} \`\``
      : `\`${command}\``;
}

function toFence({ content, info }: Token): string {
  const fence = content.includes('```') ? '~~~~' : '```';
  return `${fence}${info.trim()}\n${content.replace(/(?<!\n)\n+$/u, '')}\n${fence}`;
}
