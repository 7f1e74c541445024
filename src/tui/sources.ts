import type { Clock } from '../lib/clock.ts';
import type { SessionOptions } from '../session/options.ts';
import { installedRipgrep, locateRipgrep } from '../tools/search/ripgrep.ts';
import { isAtWork, listTeammates } from '../view/index.ts';
import type { SlashCommand } from './commands/command.ts';
import type { CompletionSources } from './completer.ts';
import type { Desk } from './desk.ts';
import { type FileLister, listFiles } from './editor/index.ts';

export interface SourcesWorld {
  session: SessionOptions;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Completions: our commands and the user's, agents by name, files of the directory. */
export function completionSources(
  desk: Desk,
  commands: readonly SlashCommand[],
  { session, clock, environment, home }: SourcesWorld,
): CompletionSources {
  let lister: { cwd: string; files: FileLister } | undefined;
  const ripgrep = locateRipgrep(session.ripgrep ?? installedRipgrep(), cadreHome(environment, home));
  return {
    commands: () => [
      ...commands.map(({ name, argument, description }) => ({
        value: name,
        note: [argument, description].filter(Boolean).join(' – '),
      })),
      ...desk.session.info().commands.map(({ name, description }) => ({ value: name, note: description })),
    ],
    agents: () => {
      const { view } = desk.app.state;
      const team = listTeammates(view).map(({ name, state }) => ({
        value: name,
        note: `teammate, ${state}`,
      }));
      const members = new Set(team.map(({ value }) => value));
      const others = [...view.agents.values()].flatMap(({ name, description, state }) =>
        name === null || members.has(name)
          ? []
          : [{ value: name, note: `${isAtWork(state) ? 'running' : 'ended'}: ${description}` }],
      );
      return [...team, ...(team.length > 1 ? [{ value: 'all', note: 'all members' }] : []), ...others];
    },
    agentTypes: () =>
      desk.session.info().agents.map(({ name, description }) => ({
        value: `agent-${name}`,
        note: description,
      })),
    files(again) {
      const { cwd } = desk.session.info();
      if (lister?.cwd !== cwd)
        lister = { cwd, files: listFiles({ cwd, env: definedOnly(environment), clock, ripgrep }) };
      return lister.files.files(again);
    },
  };
}

function cadreHome(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  return environment.CADRE_HOME || `${home}/.cadre`;
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
