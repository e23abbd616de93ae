import type { MemoryCard } from '../../src/protocol.js';
import type { GraphNode } from './graphLayout.js';

/** The memories with every typed word in their text or, also after a `#`, in a tag. All of them for an empty text. */
export function searchNodes(nodes: readonly GraphNode[], text: string): readonly GraphNode[] {
  const words = normalize(text)
    .split(/\s+/u)
    .filter(it => it !== '');
  if (words.length === 0) return nodes;
  return nodes.filter(({ memory }) => {
    const searched = searchedText(memory);
    return words.every(it => searched.includes(it));
  });
}

/** The match after or before the selected one, around the end. @param step 1 or -1 */
export function nextMatch(
  matches: readonly GraphNode[],
  selectedId: string | undefined,
  step: 1 | -1,
): { readonly node: GraphNode; readonly position: number } | undefined {
  const current = matches.findIndex(it => it.id === selectedId);
  const start = current === -1 && step === -1 ? 0 : current;
  const position = (start + step + matches.length) % matches.length;
  const node = matches[position];
  return node === undefined ? undefined : { node, position };
}

/** Of the memories that are drawn: each key that is typed searches all of them. */
const searchedTexts = new WeakMap<MemoryCard, string>();

function searchedText(memory: MemoryCard): string {
  const known = searchedTexts.get(memory);
  if (known !== undefined) return known;
  const text = normalize([memory.content, ...memory.tags.map(it => `#${it}`)].join('\n'));
  searchedTexts.set(memory, text);
  return text;
}

/** Case and the form of accents do not matter. */
function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
