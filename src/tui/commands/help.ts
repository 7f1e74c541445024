import type { SlashCommand } from './command.ts';

const keys: readonly (readonly [string, string])[] = [
  ['return', 'send; an agent at work reads it next'],
  ['ctrl-j, alt-return, \\ return', 'a new line'],
  ['up, down, ctrl-r', 'what you typed before; a search in it'],
  ['@', 'a file or an agent'],
  ['!', 'a shell command of your own'],
  ['/', 'a command'],
  ['tab', 'put in what is offered'],
  ['shift-tab', 'the next mode: asks, accepts edits, plan'],
  ['escape', 'stop the turn; background work goes on'],
  ['ctrl-q', 'answer the question that waits'],
  ['ctrl-t', 'tasks and agents'],
  ['ctrl-b', 'the agent or command that the turn waits for continues in the background'],
  ['ctrl-g', 'write the prompt in your editor'],
  ['ctrl-v', 'an image from the clipboard'],
  ['ctrl-c', 'clear the prompt; twice, or ctrl-d: leave'],
  ['ctrl-z', 'back to the shell; fg goes on'],
];

export function helpCommand(all: () => readonly SlashCommand[]): SlashCommand {
  return {
    name: 'help',
    description: 'keys and commands',
    run(_, desk) {
      const own = all().map(({ name, argument, description }): readonly [string, string] => [
        `/${name}${argument === undefined ? '' : ` ${argument}`}`,
        description,
      ]);
      const given = desk.session
        .info()
        .commands.map(({ name, description }): readonly [string, string] => [`/${name}`, description]);
      const table = (rows: readonly (readonly [string, string])[]) =>
        rows.map(([left, right]) => `  ${left.padEnd(30)} ${right}`).join('\n');
      const yours = given.length === 0 ? '' : `\n\nYour own commands and skills\n${table(given)}`;
      desk.page('Help', `Keys\n${table(keys)}\n\nCommands\n${table(own)}${yours}`);
    },
  };
}
