// The only importer of the tokenizer: the embedding thread and the index thread both need one.
import { Tokenizer } from '@huggingface/tokenizers';

export type { Tokenizer };

/** @param description the parsed `tokenizer.json` of a model */
export function openTokenizer(description: object): Tokenizer {
  return new Tokenizer(description, {});
}
