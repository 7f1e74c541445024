import { randomIds } from '../../lib/ids.ts';
import type { Result } from '../../lib/result.ts';
import type { FilterCommands } from './filters.ts';

/** How the filters of one git command are started where they are confined. */
export interface FilterStart {
  /** A shell script that starts the command in the variable `cadre_filter`. */
  script: string;
  /** Which it needs, as 3, 4, … */
  descriptors: readonly number[];
  /** The environment of commands, which may not know all that we know. */
  env: Readonly<Record<string, string>>;
}

/**
 * Prepares the start of filters around the work of one git command in the checkout around `cwd`. They are programs that run
 * on data that agents wrote, so they have the reach of an agent's command. Undefined where commands are not confined either.
 */
export type StartFilters = <T>(
  at: { cwd: string; env: Readonly<Record<string, string>>; commands: FilterCommands },
  work: (start: FilterStart | undefined) => Promise<Result<T>>,
) => Promise<Result<T>>;

/** Where there is no sandbox. */
export const startPlainly: StartFilters = (_, work) => work(undefined);

/**
 * The same settings with commands that start those within. Git replaces `%f` in a command by a quoted name, so the command is
 * passed on as it is after that; its end is a word that no name contains.
 */
export function wrapFilters(commands: FilterCommands, { script }: FilterStart): Map<string, string> {
  const end = `end-${randomIds.token(24)}`;
  return new Map(
    [...commands].map(([name, command]) => {
      const isExpanded = !name.endsWith('.process');
      const path = `'${script.replaceAll("'", "'\\''")}'`;
      const start = `exec /bin/sh ${isExpanded ? path.replaceAll('%', '%%') : path}`;
      return [name, `cadre_filter=$(cat <<'${end}'\n${command}\n${end}\n)\nexport cadre_filter\n${start}`];
    }),
  );
}

/** What git says about a filter, with the command as it was set. */
export function unwrapFilters(text: string, commands: FilterCommands, wrapped: FilterCommands): string {
  return [...wrapped].reduce(
    (said, [name, command]) => said.replaceAll(command, commands.get(name) ?? ''),
    text,
  );
}
