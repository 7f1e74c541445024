import type { SlashCommand } from './command.ts';

const keys: readonly (readonly [string, string])[] = [
  ['return', 'send; a running agent reads it next'],
  ['ctrl-j, alt-return, \\ return', 'a new line'],
  ['up, down, ctrl-r', 'earlier prompts; search them'],
  ['@', 'a file or an agent'],
  ['!', 'run a shell command'],
  ['/', 'a command'],
  ['tab', 'accept the suggestion'],
  ['shift-tab', 'the next mode: asks, accepts edits, plan'],
  ['escape', 'stop the turn; background work keeps running'],
  ['escape escape', 'rewind to an earlier prompt'],
  ['ctrl-o', 'the whole conversation: full output, thinking, input of tools; search'],
  ['ctrl-q', 'answer the waiting question; left and right: the other ones'],
  ['ctrl-t', 'tasks and agents'],
  ['ctrl-b', 'move the agent or command that the turn is waiting for to the background'],
  ['ctrl-g', 'write the prompt in your editor'],
  ['ctrl-v', 'an image from the clipboard'],
  ['ctrl-c', 'clear the prompt; twice, or ctrl-d: quit'],
  ['ctrl-z', 'suspend to the shell; fg resumes'],
  ['?', 'these keys, in an empty prompt'],
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
