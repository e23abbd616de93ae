/** Asks the thread of a model to end, between two runs. */
export const closeRequest = 'close';
