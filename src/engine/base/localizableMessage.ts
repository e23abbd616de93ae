type MessageArgument = string | number | LocalizableMessage;

/**
 * A message of the engine: an English pattern with its arguments, so that a surface can translate it. The pattern is the
 * translation key.
 */
export class LocalizableMessage {
  constructor(
    /** Such as `There is no goal {0}.` */
    readonly pattern: string,
    /** By the pattern's placeholder numbers. */
    readonly args: readonly MessageArgument[] = [],
  ) {}

  /** In English. */
  toString(): string {
    return this.pattern.replace(/\{(\d+)\}/gu, (placeholder, index: string) => {
      const arg = this.args[Number(index)] ?? placeholder;
      return typeof arg === 'number' ? arg.toLocaleString('en') : String(arg);
    });
  }
}

/** Template tag: the pattern has a placeholder for each expression. */
export function message(template: TemplateStringsArray, ...args: readonly MessageArgument[]): LocalizableMessage {
  return new LocalizableMessage(
    template.reduce((before, after, i) => `${before}{${i - 1}}${after}`),
    args,
  );
}
