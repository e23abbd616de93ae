/** Words that mark a statement as newer than an earlier one. */
export const updateMarkers = new Set(
  (
    'now anymore longer instead switched moved replaced renamed migrated changed upgraded bumped pushed postponed ' +
    'rescheduled these_days from_now_on no_longer already updated increased decreased reduced raised lowered extended ' +
    'rewritten dropped gone scaled since relicensed actually correction wrong redesigned reworked overhauled refactored rebuilt restructured rewrote ' +
    'reorganised reorganized turns_out changed_my_mind any_more as_of deprecated superseded became new swapped taken_over took_over takes_over ' +
    'ab_sofort ab_jetzt künftig jetzt nun désormais dorénavant maintenant ahora a_partir_de_ahora'
  ).split(' '),
);

/** The half of the day that a phrase after a clock time names; empty if it names none. */
export const clockPhrases: Readonly<Record<string, string>> = {
  in_the_morning: 'am',
  in_the_afternoon: 'pm',
  in_the_evening: 'pm',
  at_night: 'pm',
  "o'clock": '',
  uhr: '',
};

/** The interval of an adverb of frequency, in seconds. */
export const frequencySeconds: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: 86_400,
  weekly: 604_800,
  fortnightly: 1_209_600,
  monthly: 2_592_000,
  yearly: 31_536_000,
};
