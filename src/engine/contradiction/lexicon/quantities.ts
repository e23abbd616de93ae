/** Numbers by their words. */
export const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
  hundred: 100,
  once: 1,
  twice: 2,
  thrice: 3,
  forever: Infinity,
  unlimited: Infinity,
};

/** Units by name: the measure, and the factor to its base unit (seconds, kilobytes, percent). */
export const measurementUnits: Readonly<Record<string, readonly [measure: string, factor: number]>> =
  Object.fromEntries(
    (
      [
        ['duration', 0.001, 'ms millisecond milliseconds'],
        ['duration', 1, 's sec secs second seconds sekunden'],
        ['duration', 60, 'min mins minute minutes minuten'],
        ['duration', 3_600, 'h hr hrs hour hours stunden'],
        ['duration', 86_400, 'd day days tage jours días'],
        ['duration', 604_800, 'wk week weeks wochen'],
        ['duration', 2_592_000, 'month months'],
        ['duration', 31_536_000, 'year years'],
        ['bytes', 1, 'kb'],
        ['bytes', 1_000, 'mb'],
        ['bytes', 1_000_000, 'gb'],
        ['bytes', 1_000_000_000, 'tb'],
        ['percentage', 1, '% percent'],
      ] as const
    ).flatMap(([measure, factor, names]) => names.split(' ').map(name => [name, [measure, factor]] as const)),
  );
