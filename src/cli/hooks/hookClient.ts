/** The client name of hooks; its rights are those of Claude Code. */
export const hookClient = 'hook';
