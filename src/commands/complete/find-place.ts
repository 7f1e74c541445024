import { topicNames } from '../help/topic-names.ts';
import { CommandLine, type LineOption, needsValue } from '../table/command-line.ts';
import type { ValueKind } from '../table/flag.ts';

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
  const line = new CommandLine();
  for (const word of words.slice(0, -1)) line.pass(word);
  return complete(line, words.at(-1) ?? '');
}

function complete(line: CommandLine, current: string): WordPlace {
  const { waiting, areOptionsOver } = line;
  if (waiting && (needsValue(waiting) || !current.startsWith('-'))) return completeValue(line, waiting, '');
  const prefix = areOptionsOver ? undefined : /^--[^=]+=/.exec(current)?.[0];
  if (prefix !== undefined) return completeValue(line, line.findOption(prefix.slice(0, -1)), prefix);
  if (current.startsWith('-') && !areOptionsOver) return offer(line, listOptionNames(line));
  const offered = completeWord(line);
  const isEmpty = offered.choices.length === 0 && offered.kind === undefined;
  return isEmpty && line.path !== '' && line.expectsCommand ? offer(line, listOptionNames(line)) : offered;
}

function completeWord(line: CommandLine): WordPlace {
  const { entry, argumentCount, expectsCommand } = line;
  const children = line.listChildren().map(({ names: [value = ''], about }) => ({ value, about }));
  if (line.isHelp) return offer(line, argumentCount === 0 ? [...children, ...listTopics(line)] : []);
  const help = line.hasHelp ? [{ value: 'help', about: 'show the help of a command' }] : [];
  if (!entry || entry.isGroup) return offer(line, expectsCommand ? [...children, ...help] : []);
  const { choices, offers, takes = '', completes = [] } = entry;
  const takesSeveral = takes.endsWith('...>') || takes.endsWith('...]');
  const at = takesSeveral ? Math.min(argumentCount, completes.length - 1) : argumentCount;
  const words = (choices ?? offers ?? []).map((value) => ({ value, about: '' }));
  return offer(line, argumentCount === 0 ? [...children, ...words] : [], completes[at]);
}

function completeValue(line: CommandLine, option: LineOption | undefined, prefix: string): WordPlace {
  const values = (option?.flag?.choices ?? []).map((value) => ({ value, about: '' }));
  return { ...offer(line, values, option?.flag?.completes), prefix };
}

function offer({ given }: CommandLine, choices: Choice[], kind?: ValueKind): WordPlace {
  return { choices, kind, prefix: '', given };
}

/** Those that are not commands too. */
function listTopics(line: CommandLine): Choice[] {
  if (line.path !== '') return [];
  const commands = line.listChildren().flatMap(({ names }) => names);
  return topicNames
    .filter((name) => !commands.includes(name))
    .map((value) => ({ value, about: 'a page about this topic' }));
}

function listOptionNames(line: CommandLine): Choice[] {
  return line
    .listOptions()
    .filter(({ flag }) => !flag?.isHidden)
    .flatMap(({ names, about }) => names.map((value) => ({ value, about })));
}
