import type { Command } from 'commander';

/** Has the former name of a command say the new one, for a release. */
export function renamed(command: Command, now: string): void {
  command.hook('preAction', () => {
    console.error(`This command has another name now: ${now}`);
  });
}
