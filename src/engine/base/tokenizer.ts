// The only importer of the tokenizer, which the embedding worker and the search worker both need.
import { Tokenizer } from '@huggingface/tokenizers';

export type { Tokenizer };

/** @param description the parsed `tokenizer.json` of a model */
export function openTokenizer(description: object): Tokenizer {
  return new Tokenizer(description, {});
}
