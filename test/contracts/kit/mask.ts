/** Numbers that depend on the machine or the moment. */
const volatileNumbers = new Set(['ms', 'p50', 'p95', 'indexBytes', 'fileBytes', 'bytes', 'age']);
/** What of a trace is computed from `age`: which of the memories of one command is the older one, by milliseconds. */
const numbersOfAge = new Set(['score', 'relevance', 'rank', 'probability']);
/** Numbers that fall while the test runs: on a loaded machine by hundredths. */
const fadingNumbers = new Set(['confidence', 'effectiveConfidence', 'effective']);
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;

/** Replaces what differs from run to run by placeholders that do not. */
export class Mask {
  private readonly names = new Map<string, string>();
  private readonly texts: (readonly [text: string, placeholder: string])[] = [];
  private unnamed = 0;

  /** From now on an id, also a short one, is written as this name. */
  name(id: string, name: string): void {
    this.names.set(id, name);
  }

  /** From now on a text, such as a folder, is written as this placeholder. */
  text(text: string, placeholder: string): void {
    this.texts.push([text, placeholder]);
    this.texts.sort(([one], [other]) => other.length - one.length);
  }

  /** Knows the same so far; what it learns from now on is its own. */
  copy(): Mask {
    const copied = new Mask();
    for (const [id, name] of this.names) copied.names.set(id, name);
    copied.texts.push(...this.texts);
    copied.unnamed = this.unnamed;
    return copied;
  }

  /** Any JSON value, masked. */
  value(value: unknown, key = '', isOfAge = false): unknown {
    if (typeof value === 'string') {
      if (key === 'source' && value.startsWith('https:')) return '<address>';
      // A short id that belongs to no longer one.
      if (/^[0-9a-f]{8}$/u.test(value)) return `<${this.nameOf(value)}>`;
      return this.string(value);
    }
    if (typeof value === 'number') {
      if (volatileNumbers.has(key) || (isOfAge && numbersOfAge.has(key))) return `<${key}>`;
      if (Number.isInteger(value) && key !== 'effectiveConfidence') return value;
      return fadingNumbers.has(key) && value > 1 ? Math.round(value / 5) * 5 : Math.round(value * 100) / 100;
    }
    if (Array.isArray(value)) return value.map(it => this.value(it, key, isOfAge));
    if (typeof value !== 'object' || value === null) return value;
    const isTraced = isOfAge || 'factors' in value;
    return Object.fromEntries(
      Object.entries(value).map(([name, it]): [string, unknown] => [this.string(name), this.value(it, name, isTraced)]),
    );
  }

  string(text: string): string {
    let masked = text;
    for (const [it, placeholder] of this.texts) masked = masked.replaceAll(it, placeholder);
    // Before the short ids: those that are named here get a name, and their last eight digits with it.
    masked = masked.replace(uuid, it => `<${this.nameOf(it)}>`);
    for (const [id, name] of this.names) masked = masked.replaceAll(id.slice(-8), `<${name}>`);
    return (
      masked
        // The key of a project is made of its folder.
        .replace(/\bharbour-[0-9a-f]{12}\b/gu, 'harbour-<key>')
        .replace(/#[0-9a-f]{8}\b/gu, '#<short id>')
        .replace(/(\d{4}-\d\d-\d\d)T\d\d:\d\d:(?!59\.999)\d\d(?:\.\d+)?Z/gu, (all, day: string) =>
          all.endsWith('T00:00:00.000Z') ? all : `<${day}>`,
        )
        .replace(/(\d{4}-\d\d-\d\d)T\d\d-\d\d-\d\d-\d{3}Z(-[0-9a-f]{6}(?=-))?/gu, (_, day: string, unique?: string) =>
          unique === undefined ? `<${day}>` : `<${day}>-<unique>`,
        )
        // The time of day in the path of a summary.
        .replace(/(?<=\bsummaries\/\d{8}\/)\d{6}(?=\/)/gu, '<time>')
        .replace(/\b\d+(?:\.\d+)? (?:ms|KB|kB|KiB|MB|MiB)\b/gu, '<amount>')
    );
  }

  private nameOf(id: string): string {
    const known = this.names.get(id) ?? [...this.names].find(([it]) => it.endsWith(id))?.[1];
    if (known !== undefined) return known;
    // One that was given by hand is the same in each run.
    if (id.startsWith('00000000-')) return id;
    const name = `id ${++this.unnamed}`;
    this.names.set(id, name);
    return name;
  }
}
