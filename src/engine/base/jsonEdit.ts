import type { Node } from 'jsonc-parser';

// Not jsonc-parser's `modify`, which also reformats the neighbors of what it changes.

/** Appends a property to an object. */
export function insertProperty(body: string, object: Node, key: string, value: unknown): string {
  const last = object.children?.at(-1);
  const indentUnit = indentUnitOf(body);
  const objectIndent = indentAt(body, object.offset);
  const indent =
    last === undefined ? objectIndent + indentUnit : (lineIndentOf(body, last) ?? objectIndent + indentUnit);
  const eol = lineEndingOf(body);
  const property = `${eol}${indent}${JSON.stringify(key)}: ${formatJson(value, body, indent)}`;
  if (last === undefined) {
    const start = object.offset + 1;
    const interior = body.slice(start, object.offset + object.length - 1);
    return splice(body, start, start, interior.includes('\n') ? property : `${property}${eol}${objectIndent}`);
  }
  const end = last.offset + last.length;
  // A trailing comma, and a comment on the same line, stay with the last property.
  const [tail, comma] = /^([ \t]*,)?(?:[ \t]*\/\/[^\r\n]*)?/u.exec(body.slice(end))!;
  const insertAt = end + tail.length;
  const withProperty = splice(body, insertAt, insertAt, comma === undefined ? property : `${property},`);
  return comma === undefined ? splice(withProperty, end, end, ',') : withProperty;
}

/** Removes a property, the white space before it and one comma. */
export function removeProperty(body: string, property: Node): string {
  const siblings = property.parent!.children!;
  const previous = siblings[siblings.indexOf(property) - 1];
  const end = property.offset + property.length;
  const start = body.slice(0, property.offset).trimEnd().length;
  const [comma] = /^\s*,/u.exec(body.slice(end)) ?? [];
  if (comma !== undefined) return splice(body, start, end + comma.length, '');
  const without = splice(body, start, end, '');
  if (previous === undefined) return without;
  const previousEnd = previous.offset + previous.length;
  const [before = ''] = /^\s*,/u.exec(without.slice(previousEnd)) ?? [];
  return splice(without, previousEnd, previousEnd + before.length, '');
}

export function replaceNode(body: string, node: Node, text: string): string {
  return splice(body, node.offset, node.offset + node.length, text);
}

function splice(body: string, start: number, end: number, text: string): string {
  return body.slice(0, start) + text + body.slice(end);
}

export function formatJson(value: unknown, body: string, indent: string): string {
  return JSON.stringify(value, undefined, indentUnitOf(body)).replaceAll('\n', `${lineEndingOf(body)}${indent}`);
}

const lineEndingOf = (body: string): string => (body.includes('\r\n') ? '\r\n' : '\n');

/** The white space per level of indentation. */
const indentUnitOf = (body: string): string => /^([ \t]+)"/mu.exec(body)?.[1] ?? '  ';

/** The indentation of the line at an offset. */
export function indentAt(body: string, offset: number): string {
  return /^[ \t]*/u.exec(body.slice(body.lastIndexOf('\n', offset - 1) + 1))![0];
}

/** The indentation of a node; undefined where other text precedes it on its line. */
function lineIndentOf(body: string, node: Node): string | undefined {
  const indent = indentAt(body, node.offset);
  return body.lastIndexOf('\n', node.offset - 1) + 1 + indent.length === node.offset ? indent : undefined;
}
