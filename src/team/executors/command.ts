import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { quote } from '../../lib/shell-quote.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { PaneBackend, SeenPane } from './pane-backend.ts';
import { cleanColour, cleanTitle } from './pane-text.ts';
import type { RunTerminal } from './run-program.ts';

export const commandVerbs = ['open', 'title', 'send', 'list', 'close'] as const;

export type CommandVerb = (typeof commandVerbs)[number];

/** The shell commands of the setting `teammateCommand`. */
export type TeammateCommands = { readonly [Verb in CommandVerb]?: string | undefined };

export interface AnyTerminalOptions {
  commands: TeammateCommands;
  run: RunTerminal;
  env: Readonly<Record<string, string>>;
}

const maxIdCharacters = 200;

/**
 * Any terminal, through five shell commands of the user (TM14). Values reach them as arguments and as variables, never as a
 * part of their text: no name can become a command.
 */
export function commandBackend({ commands, run, env }: AnyTerminalOptions): PaneBackend {
  const call = (
    verb: CommandVerb,
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    cwd = '/',
  ): Promise<Result<string>> => {
    const command = commands[verb];
    if (command === undefined) return Promise.resolve(describeMissing([verb]));
    return run({
      what: `teammateCommand.${verb}`,
      file: '/bin/sh',
      args: ['-c', command, `teammateCommand.${verb}`, ...args],
      env: { ...env, ...variables },
      cwd,
    });
  };
  const act = async (...given: Parameters<typeof call>): Promise<Result<void>> => {
    const done = await call(...given);
    return done.ok ? ok(undefined) : done;
  };
  const name = (id: string, title: string, colour: string) =>
    act('title', [id, cleanTitle(title)], {
      CADRE_PANE_ID: id,
      CADRE_PANE_TITLE: cleanTitle(title),
      CADRE_PANE_COLOUR: cleanColour(colour) ?? '',
    });
  const list = async (): Promise<Result<SeenPane[]>> => {
    const listed = await call('list', []);
    return listed.ok ? ok(parseIds(listed.value).map((id) => ({ id }))) : listed;
  };
  return {
    type: 'command',
    recognisedBy: 'process',
    async isAvailable() {
      const missing = commandVerbs.filter((verb) => !commands[verb]);
      return missing.length === 0 ? ok(undefined) : describeMissing(missing);
    },
    async open({ command, cwd, title, colour }) {
      const variables = {
        CADRE_PANE_TITLE: cleanTitle(title),
        CADRE_PANE_COLOUR: cleanColour(colour) ?? '',
        CADRE_PANE_CWD: cwd,
        CADRE_PANE_COMMAND: command.map(quote).join(' '),
      };
      const opened = await call('open', command, variables, cwd);
      if (!opened.ok) return opened;
      const id = parseIds(opened.value).at(-1);
      if (id === undefined)
        return failure(
          `teammateCommand.open printed no usable id: ${visibleLine(opened.value, 100) || 'nothing'}.`,
          `Let it print the id of the pane as its last line, at most ${maxIdCharacters} characters.`,
        );
      // A pane without its title is still a pane.
      await name(id, title, colour);
      return ok({ id });
    },
    title: name,
    send: (id, line) => act('send', [id, line], { CADRE_PANE_ID: id, CADRE_PANE_TEXT: line }),
    list,
    async find(id) {
      const listed = await list();
      return listed.ok ? ok(listed.value.find((pane) => pane.id === id)) : listed;
    },
    close: (id) => act('close', [id], { CADRE_PANE_ID: id }),
  };
}

/** One id a line; anything behind a tab is for people. */
function parseIds(output: string): string[] {
  return output
    .split('\n')
    .map((line) => line.split('\t')[0]?.trim() ?? '')
    .filter((id) => id !== '' && id.length <= maxIdCharacters && visibleLine(id, maxIdCharacters) === id);
}

function describeMissing(verbs: readonly CommandVerb[]): Result<never> {
  const names = verbs.map((verb) => `teammateCommand.${verb}`).join(', ');
  return usage(
    `The teammate mode "command" needs ${names}.`,
    'Set the five commands in your settings; docs/teams.md has examples.',
  );
}
