import { type ListedCommand, listCommands } from './commands.ts';
import { type Flag, type FlagTable, listNames } from './flag.ts';
import { mainFlags } from './main-flags.ts';

/** An option with all its names; one of the program itself, such as `--help`, has no flag. */
export interface LineOption {
  names: string[];
  flag?: Flag;
  about: string;
}

export interface ChildCommand {
  /** Its name, then its alias. */
  names: string[];
  path: string;
  about: string;
}

export type WordRole = 'command' | 'help' | 'argument' | 'option' | 'value';

/** A command line read word by word, to know where one is in it without running it: for completions and for mistyped commands. */
export class CommandLine {
  /** The command so far; empty for `cadre` itself. */
  path = '';
  /** How many words were arguments. */
  argumentCount = 0;
  isHelp = false;
  areOptionsOver = false;
  /** After `-p` every word is a prompt. */
  isPrompt = false;
  /** The option whose value may come next. */
  waiting: LineOption | undefined;
  /** Options and their values. */
  readonly given = new Map<string, string>();

  pass(word: string): WordRole {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting && (needsValue(waiting) || !word.startsWith('-'))) {
      this.given.set(waiting.names.at(-1) ?? '', word);
      return 'value';
    }
    if (!this.areOptionsOver && /^-./.test(word)) {
      this.#passOption(word);
      return 'option';
    }
    return this.#passWord(word);
  }

  /** Whether the next word can still be a command. */
  get expectsCommand(): boolean {
    return this.argumentCount === 0 && !this.isPrompt && !this.areOptionsOver;
  }

  /** Undefined for `cadre` itself. */
  get entry(): ListedCommand['entry'] | undefined {
    return listCommands().find(({ path }) => path === this.path)?.entry;
  }

  get hasHelp(): boolean {
    return !this.isHelp && (this.path === '' || this.listChildren().length > 0);
  }

  listChildren(): ChildCommand[] {
    const depth = this.path === '' ? 0 : this.path.split(' ').length;
    return listCommands()
      .filter(({ words }) => words.length === depth + 1 && words.slice(0, -1).join(' ') === this.path)
      .map(({ path, words, entry: { about, alias } }) => ({
        names: [words.at(-1) ?? '', ...(alias === undefined ? [] : [alias])],
        ...{ path, about },
      }));
  }

  findOption(name: string): LineOption | undefined {
    return this.listOptions().find(({ names }) => names.includes(name));
  }

  listOptions(): LineOption[] {
    if (this.isHelp) return [];
    const help = { names: ['-h', '--help'], about: 'show help' };
    const { entry } = this;
    if (!entry) {
      const version = { names: ['-v', '--version'], about: 'print the version' };
      const groups = Object.values(mainFlags).flatMap(({ flags }) => describeOptions(flags));
      return [...groups, version, help];
    }
    const usual = listCommands().find(
      ({ words, entry: member }) => member.isDefault && words.slice(0, -1).join(' ') === this.path,
    );
    return [...describeOptions(entry.flags), ...describeOptions(usual?.entry.flags ?? {}), help];
  }

  #passOption(word: string): void {
    if (word === '--') this.areOptionsOver = true;
    const [name = '', value] = word.split(/=(.*)/s);
    const option = this.findOption(name);
    if (option?.flag?.placeholder !== undefined && value === undefined) this.waiting = option;
    if (option && value !== undefined) this.given.set(option.names.at(-1) ?? '', value);
    if (this.path === '' && (name === '-p' || name === '--print')) this.isPrompt = true;
  }

  #passWord(word: string): WordRole {
    const child = this.expectsCommand
      ? this.listChildren().find(({ names }) => names.includes(word))
      : undefined;
    if (child) {
      this.path = child.path;
      return 'command';
    }
    if (this.expectsCommand && word === 'help' && this.hasHelp) {
      this.isHelp = true;
      return 'help';
    }
    this.argumentCount++;
    return 'argument';
  }
}

export function needsValue({ flag }: LineOption): boolean {
  return flag?.placeholder?.startsWith('<') === true;
}

function describeOptions(flags: FlagTable): LineOption[] {
  return Object.entries(flags).map(([key, flag]) => ({
    names: listNames(key, flag),
    flag,
    about: flag.about,
  }));
}
