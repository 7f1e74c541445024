import type { Command } from 'commander';
import type { RewindFlags } from './rewind.ts';

export interface SessionActions {
  sessions(flags: { json?: boolean; all?: boolean }): Promise<number>;
  rewind(session: string, flags: RewindFlags): Promise<number>;
}

export function addSessionCommands(
  program: Command,
  actions: SessionActions,
  finished: (code: number) => void,
): void {
  const sessions = program
    .command('sessions')
    .description('list the sessions of this directory')
    .enablePositionalOptions()
    .option('--all', 'of every directory')
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.sessions(flags)));
  const repeat = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  sessions
    .command('rewind <session>')
    .description('list the prompts of a session, or go back to one: conversation and files as they were')
    .option('--to <point>', 'its number in the list, or the uuid of a prompt or rewind')
    .option('--files', 'only the files')
    .option('--conversation', 'only the conversation')
    .option('--dry-run', 'say what would be done')
    .option('--force', 'also restore files that you or another program changed since; a copy of each is kept')
    .option('--add-dir <directory>', 'another directory whose files may be restored (repeatable)', repeat)
    .option('--verbose', 'name every file, however many')
    .option('--json', 'as JSON')
    .action(async (session: string, flags) => finished(await actions.rewind(session, flags)));
}
