// The part of markdown-it that is used; the package brings no types.
declare module 'markdown-it' {
  export interface Token {
    readonly type: string;
    /** `h2` for a heading of the second level. */
    readonly tag: string;
    /** First line and the one after the last, from 0. */
    readonly map: readonly [number, number] | null;
    /** Source text of an `inline` token, or the code of a fence. */
    readonly content: string;
    /** Info string of a fence: its language. */
    readonly info: string;
  }
  export default class MarkdownIt {
    constructor(options: { readonly html: boolean });
    disable(rules: readonly string[]): this;
    parse(text: string, environment: object): Token[];
  }
}
