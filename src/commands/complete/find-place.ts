import { topicNames } from '../help/topic-names.ts';
import { type CommandDeclaration, type CommandPath, commandTable, listCommands } from '../table/commands.ts';
import { type Flag, type FlagTable, listNames, type ValueKind } from '../table/flag.ts';
import { mainFlags } from '../table/main-flags.ts';

export interface Choice {
  value: string;
  about: string;
}

/** What can follow a half typed command line. */
export interface WordPlace {
  choices: Choice[];
  /** Values of this kind too. */
  kind?: ValueKind | undefined;
  /** `--flag=` at the beginning of the current word, which is not part of the value. */
  prefix: string;
  /** What was given so far, for values that depend on it: `--team NAME`. */
  given: ReadonlyMap<string, string>;
}

/** Reads the words after `cadre`; the last one is the current one, perhaps empty. */
export function findPlace(words: readonly string[]): WordPlace {
  const walk = new Walk();
  for (const word of words.slice(0, -1)) walk.pass(word);
  return walk.complete(words.at(-1) ?? '');
}

interface Option {
  names: string[];
  flag?: Flag;
  about: string;
}

class Walk {
  #path = '';
  /** Words that are not commands, options or their values. */
  #arguments = 0;
  #isHelp = false;
  #areOptionsOver = false;
  /** After `-p` every word is a prompt. */
  #isPrompt = false;
  #waiting: Option | undefined;
  readonly #given = new Map<string, string>();

  pass(word: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting && (needsValue(waiting) || !word.startsWith('-')))
      this.#given.set(waiting.names.at(-1) ?? '', word);
    else if (this.#areOptionsOver || !/^-./.test(word)) this.#passWord(word);
    else this.#passOption(word);
  }

  complete(current: string): WordPlace {
    const waiting = this.#waiting;
    if (waiting && (needsValue(waiting) || !current.startsWith('-'))) return this.#completeValue(waiting, '');
    const prefix = this.#areOptionsOver ? undefined : /^--[^=]+=/.exec(current)?.[0];
    const option = prefix === undefined ? undefined : this.#findOption(prefix.slice(0, -1));
    if (prefix !== undefined) return this.#completeValue(option, prefix);
    const isOption = current.startsWith('-') && !this.#areOptionsOver;
    if (isOption) return this.#want(this.#listOptionNames());
    const wanted = this.#completeWord();
    const isEmpty = wanted.choices.length === 0 && wanted.kind === undefined;
    return isEmpty && this.#path !== '' && !this.#areOptionsOver && this.#arguments === 0
      ? this.#want(this.#listOptionNames())
      : wanted;
  }

  #passOption(word: string): void {
    if (word === '--') this.#areOptionsOver = true;
    const [name = '', value] = word.split(/=(.*)/s);
    const option = this.#findOption(name);
    if (option?.flag?.placeholder !== undefined && value === undefined) this.#waiting = option;
    if (option && value !== undefined) this.#given.set(option.names.at(-1) ?? '', value);
    if (this.#path === '' && (name === '-p' || name === '--print')) this.#isPrompt = true;
  }

  #passWord(word: string): void {
    const isCommand = this.#arguments === 0 && !this.#isPrompt && !this.#areOptionsOver;
    const child = isCommand ? this.#listChildren().find(({ names }) => names.includes(word)) : undefined;
    if (child) this.#path = child.path;
    else if (isCommand && word === 'help' && this.#hasHelp()) this.#isHelp = true;
    else this.#arguments++;
  }

  #completeWord(): WordPlace {
    const children = this.#listChildren().map(({ names: [value = ''], about }) => ({ value, about }));
    if (this.#isHelp) return this.#want([...(this.#arguments === 0 ? children : []), ...this.#listTopics()]);
    const help = this.#hasHelp() ? [{ value: 'help', about: 'show the help of a command' }] : [];
    const isFirst = this.#arguments === 0;
    if (this.#path === '')
      return this.#want(isFirst && !this.#isPrompt && !this.#areOptionsOver ? [...children, ...help] : []);
    const { choices, offers, takes = '', completes = [], isGroup } = this.#entry();
    if (isGroup) return this.#want(isFirst ? [...children, ...help] : []);
    const several = takes.endsWith('...>') || takes.endsWith('...]');
    const at = several ? Math.min(this.#arguments, completes.length - 1) : this.#arguments;
    const words = isFirst ? (choices ?? offers ?? []).map((value) => ({ value, about: '' })) : [];
    return this.#want([...(isFirst ? children : []), ...words], completes[at]);
  }

  #completeValue(option: Option | undefined, prefix: string): WordPlace {
    const values = (option?.flag?.choices ?? []).map((value) => ({ value, about: '' }));
    return { ...this.#want(values, option?.flag?.completes), prefix };
  }

  #want(choices: Choice[], kind?: ValueKind): WordPlace {
    return { choices, kind, prefix: '', given: this.#given };
  }

  #entry(): CommandDeclaration {
    return commandTable[this.#path as CommandPath];
  }

  #hasHelp(): boolean {
    return !this.#isHelp && (this.#path === '' || this.#listChildren().length > 0);
  }

  #listTopics(): Choice[] {
    if (this.#path !== '' || this.#arguments > 0) return [];
    const commands = this.#listChildren().flatMap(({ names }) => names);
    return topicNames
      .filter((name) => !commands.includes(name))
      .map((value) => ({ value, about: 'a page about this topic' }));
  }

  #listChildren(): { names: string[]; path: string; about: string }[] {
    const depth = this.#path === '' ? 0 : this.#path.split(' ').length;
    return listCommands()
      .filter(({ words }) => words.length === depth + 1 && words.slice(0, -1).join(' ') === this.#path)
      .map(({ path, words, entry: { about, alias } }) => ({
        names: [words.at(-1) ?? '', ...(alias === undefined ? [] : [alias])],
        ...{ path, about },
      }));
  }

  #findOption(name: string): Option | undefined {
    return this.#listOptions().find(({ names }) => names.includes(name));
  }

  #listOptionNames(): Choice[] {
    return this.#listOptions().flatMap(({ names, about }) => names.map((value) => ({ value, about })));
  }

  #listOptions(): Option[] {
    if (this.#isHelp) return [];
    const help = { names: ['-h', '--help'], about: 'show help' };
    if (this.#path === '') {
      const version = { names: ['-v', '--version'], about: 'print the version' };
      const groups = Object.values(mainFlags).flatMap(({ flags }) => describeOptions(flags));
      return [...groups, version, help];
    }
    const usual = listCommands().find(
      ({ words, entry }) => entry.isDefault && words.slice(0, -1).join(' ') === this.#path,
    );
    return [...describeOptions(this.#entry().flags), ...describeOptions(usual?.entry.flags ?? {}), help];
  }
}

function needsValue({ flag }: Option): boolean {
  return flag?.placeholder?.startsWith('<') === true;
}

function describeOptions(flags: FlagTable): Option[] {
  return Object.entries(flags)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([key, flag]) => ({ names: listNames(key, flag), flag, about: flag.about }));
}
