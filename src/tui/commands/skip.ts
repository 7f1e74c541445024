import type { SlashCommand } from './command.ts';

/** Only in a demo: its model is slowed down for a user who watches. */
export function skipCommand({ skip }: { skip(): void }): SlashCommand {
  return {
    name: 'skip',
    description: 'leave out the pauses of the demo',
    run(_, desk) {
      skip();
      desk.hint('The demo runs without pauses from here on.');
    },
  };
}
