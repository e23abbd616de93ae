/** Longest delay of a timer, in milliseconds: about 24 days. */
export const maxTimerMs = 2 ** 31 - 1;
