/** What stands in a place of a message's pattern. */
type MessageArgument = string | number | LocalizableMessage;

/**
 * What the engine tells a person, in English, and taken apart so that a surface can say it in another language: the
 * pattern is what translators know it by.
 */
export class LocalizableMessage {
  constructor(
    /** Such as `There is no goal {0}.` */
    readonly pattern: string,
    /** In the order of the pattern's places. */
    readonly args: readonly MessageArgument[] = [],
  ) {}

  /** In English. */
  toString(): string {
    return this.pattern.replace(/\{(\d+)\}/gu, (place, index: string) => {
      const arg = this.args[Number(index)] ?? place;
      return typeof arg === 'number' ? arg.toLocaleString('en') : String(arg);
    });
  }
}

/** A message from a template: its pattern has a place for each expression. */
export function message(template: TemplateStringsArray, ...args: readonly MessageArgument[]): LocalizableMessage {
  return new LocalizableMessage(
    template.reduce((before, after, i) => `${before}{${i - 1}}${after}`),
    args,
  );
}
