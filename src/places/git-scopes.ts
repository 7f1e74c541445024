import { ConfigFiles, type GitUser } from '../workspace/git/config-files.ts';
import { type CommandWord, readCommandWords } from './command-words.ts';
import type { ListHarnessCommands } from './harness-command.ts';

/** The user's part of git's configuration. */
export interface GitSurroundings extends GitUser {
  /** Commands that Cadre runs for the user. */
  readonly commands?: ListHarnessCommands | undefined;
}

const maxKnownCommands = 500;

/** Git's configuration of every scope, with the words of the commands in it. */
export class GitScopes extends ConfigFiles {
  readonly #words = new Map<string, CommandWord[] | undefined>();

  constructor(readonly around: GitSurroundings) {
    super(around);
  }

  /** The words of a command among the settings: read once, since the same ones are asked for again and again. */
  readWords(command: string): CommandWord[] | undefined {
    if (this.#words.has(command)) return this.#words.get(command);
    if (this.#words.size >= maxKnownCommands) this.#words.clear();
    const words = readCommandWords(command);
    this.#words.set(command, words);
    return words;
  }
}
