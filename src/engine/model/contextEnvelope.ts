/** Element around memories in a prompt. Hyphens, too: some clients rewrite underscores. */
const tagName = 'recollect_memories';
const tagNames = [tagName, tagName.replace('_', '-')];
const closeTag = `</${tagName}>`;

/** The tag that opens an envelope; `note` says what the lines are. */
export function envelopeOpenTag(note: string): string {
  return `<${tagName} note="${note}">`;
}

/**
 * The one frame around memories in every prompt: data, delimited and labelled.
 * @param lines whose memory text went through {@link escapeMemoryText}
 */
export function wrapInEnvelope(note: string, lines: readonly string[]): string {
  return [envelopeOpenTag(note), ...lines, closeTag].join('\n');
}

/** Tags that clients and models take for a message, a role or a tool call of their own, and ours. */
const roleTagPattern =
  /<(?=\s*[/|!]?\s*(?:recollect[_-]|(?:system(?:[-_]reminder)?|assistant|human|developer|instructions?|tool[-_](?:use|call|result)s?|function[-_](?:call|result)s?|antml|im_(?:start|end)|endoftext)(?![a-z])))/giu;

/** Invisible characters: formatting, variation selectors, tag characters. Joiners only outside the scripts that need them. */
const invisiblePattern =
  /(?![\u200C\u200D])[\p{Cf}\u034F\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]|(?<![\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Mn}\p{Mc}\p{Extended_Pictographic}\uFE0F\u{1F3FB}-\u{1F3FF}])[\u200C\u200D]/gu;

/**
 * The text in a form that cannot close the envelope around it, pass for a message of another role, load an image from the
 * network or carry what a person does not see. For every answer to a model; the stored text stays as it is.
 */
export function neutralizeText(text: string): string {
  return text
    .replaceAll(invisiblePattern, '')
    .replaceAll(roleTagPattern, '‹')
    .replaceAll(bracketTagPattern, '⟦')
    .replaceAll(/!\[(?=[^\]]{0,200}\]\(\s*(?:https?:|\/\/|data:))/giu, '! [');
}

/** Instruction tags of chat templates, in brackets. */
const bracketTagPattern = /\[(?=\s*\/?\s*(?:INST|SYS)\s*\])/gu;

/** Whether a text has a tag that a client or a model takes for a message, a role or a tool call. */
export function imitatesMessage(text: string): boolean {
  return [roleTagPattern, bracketTagPattern].some(it => text.search(it) >= 0);
}

/** Invisible characters that ordinary text has: marks of direction, soft hyphens, joiners, the tags of a flag, a byte order mark. */
const ordinaryInvisible = /[\u200E\u200F\u061C\u00AD\u034F]|^\uFEFF|\u{1F3F4}[\u{E0020}-\u{E007F}]+/gu;

/** Whether a text has characters that a person does not see, where no script or emoji needs them. */
export function hidesCharacters(text: string): boolean {
  return text.replaceAll(ordinaryInvisible, '').search(invisiblePattern) >= 0;
}

/** The neutralized text on one line, for a line of an envelope. */
export function escapeMemoryText(text: string): string {
  return neutralizeText(text.replaceAll(/\s+/gu, ' '));
}

/** The text without envelopes and without single lines of one, such as a client may have quoted. Linear. */
export function stripEnvelopes(text: string): string {
  const lower = text.toLowerCase();
  let kept = '';
  let position = 0;
  for (;;) {
    const starts = tagNames.map(it => lower.indexOf(`<${it}`, position)).filter(it => it >= 0);
    if (starts.length === 0) break;
    const start = Math.min(...starts);
    const name = tagNames.find(it => lower.startsWith(`<${it}`, start))!;
    const end = lower.indexOf(`</${name}>`, start);
    kept += text.slice(position, start);
    // An envelope that is not closed goes to the end of the text.
    position = end < 0 ? text.length : end + name.length + 3;
  }
  return (kept + text.slice(position))
    .split('\n')
    .map(line => (isMemoryLine(line) ? '' : line))
    .join('\n');
}

/** Whether a line is a memory as the envelope shows it: `- [#0a1b2c3d · …] text`, or without labels. */
function isMemoryLine(line: string): boolean {
  const trimmed = line.trimStart();
  const label = trimmed.startsWith('-') ? trimmed.slice(1).trimStart() : trimmed;
  if (!label.startsWith('[#') || !(label.startsWith(' · ', 10) || label.startsWith('] ', 10))) return false;
  const isId = Array.from(label.slice(2, 10)).every(it => '0123456789abcdef'.includes(it));
  return isId && label.includes(']');
}
