/** Memories about the sample workspace, as arguments of `recollect remember`. */
export const sampleMemories = {
  deploy: ['Never deploy the timetable on a Friday before noon.', '--gate', 'correction'],
  pullRequests: ['I prefer small pull requests with a test in each.', '--gate', 'behavioral', '--kind', 'preference'],
  tideTables: [
    'Tide tables come from the Norwegian mapping authority, once a night.',
    ...['--gate', 'epistemic', '--kind', 'decision'],
  ],
  heights: [
    'Heights in tide tables are metres above chart datum, never feet.',
    '--gate',
    'epistemic',
    '--lane',
    'note',
  ],
  inger: ['Inger is the harbour master and signs off clearances.', '--gate', 'relational'],
  harmonic: [
    'Replace the rule of twelfths by the harmonic method for tides.',
    ...['--gate', 'promissory', '--kind', 'progress'],
  ],
} satisfies Readonly<Record<string, readonly string[]>>;
