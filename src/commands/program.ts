import { Argument, Command, Help, Option } from 'commander';
import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import { ok, type Result } from '../lib/result.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { version } from '../lib/version.ts';
import {
  chooseHelpWidth,
  describeFlag,
  renderExamples,
  renderHelpRow,
  renderMainHelp,
  wrapProse,
} from './help/main-help.ts';
import { topicNames } from './help/topic-names.ts';
import { asksForAnswer } from './mistyped.ts';
import { type CommandPath, type ListedCommand, listCommands } from './table/commands.ts';
import {
  type Flag,
  type FlagTable,
  type FlagValue,
  listNames,
  longName,
  oppositeName,
  readFlags,
} from './table/flag.ts';
import { examples } from './table/groups.ts';
import { type MainFlags, mainFlags } from './table/main-flags.ts';

/** The entry points of the command line. Each returns the exit code. */
export interface Actions {
  main(prompt: string | undefined, flags: MainFlags): Promise<number>;
  run(path: CommandPath, words: string[], flags: object): Promise<number>;
}

type RawFlags = Readonly<Record<string, FlagValue | undefined>>;

/** The whole command line, from the tables. `finished` receives the exit code. */
export function buildProgram(
  actions: Actions,
  finished: (code: number) => void,
  argv: readonly string[],
): Command {
  const program = new Command('cadre')
    .description('A coding agent for your terminal and your programs.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .argument('[prompt]', 'what the agent should do')
    .enablePositionalOptions()
    .allowExcessArguments(true);
  shapeHelp(program);
  for (const { heading, flags } of Object.values(mainFlags)) addFlags(program, flags, heading);
  program.action(async (prompt: string | undefined, given: RawFlags) => {
    const { args } = program;
    const isPlain = !argv.includes('--') && !asksForAnswer(argv);
    if (prompt === 'help' && isPlain) return finished(await showHelp(program, args.slice(1)));
    if (args.length > 1)
      program.error(`error: too many arguments. Expected one prompt, got ${args.length}: put it in quotes.`, {
        exitCode: 2,
      });
    const flags = readMainFlags(given);
    finished(flags.ok ? await actions.main(prompt, flags.value) : complain(processIo(), flags.problem));
  });
  // After -p every word is a prompt, even one that is a command's name.
  if (!asksForAnswer(argv)) addCommands(program, actions, finished);
  return program;
}

/** Our own page for the program; for commands commander's, at a width that is the same with and without a terminal. */
function shapeHelp(program: Command): void {
  const chooseWidth = () => chooseHelpWidth(process.stdout.columns);
  program.configureHelp({
    // When help is shown: asking the terminal takes a sixth of a start.
    get helpWidth() {
      return chooseWidth();
    },
    minWidthToWrap: 20,
    subcommandTerm: (command) => new Help().subcommandTerm(command).replace(' [options]', ''),
    styleTitle: (title) => (title === 'Usage:' ? title : title.replace(/:$/, '')),
    optionDescription: describeOption,
    commandDescription: (command) => capitalise(command.description()),
    formatHelp: (command, helper) =>
      command === program
        ? renderMainHelp(chooseWidth())
        : Help.prototype.formatHelp.call(helper, command, helper),
  });
}

/** As in the help of the program. */
function describeOption({ description, argChoices, defaultValue, negate }: Option): string {
  const usual =
    typeof defaultValue === 'string' || typeof defaultValue === 'number' ? defaultValue : undefined;
  return describeFlag({
    about: description,
    ...(argChoices ? { choices: argChoices } : {}),
    ...(usual === undefined ? {} : { usual }),
    ...(negate ? { isNegated: true } : {}),
  });
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `cadre help TOPIC`, or the help of a command. A topic goes first: its page names the command. */
async function showHelp(program: Command, words: readonly string[]): Promise<number> {
  const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
  if (topic === undefined) return findCommand(program, words).help();
  const { renderTopic } = await import('./help/topics.ts');
  const isBold = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return (await processIo().writeOut(renderTopic(topic, isBold))) ? 0 : 1;
}

/** As far as the words name a command. */
function findCommand(program: Command, words: readonly string[]): Command {
  const [word, ...rest] = words;
  const named = program.commands.find(
    (command) => command.name() === word || command.aliases().includes(word ?? ''),
  );
  if (named) return findCommand(named, rest);
  if (word === undefined) return program;
  const names = program.commands.map((command) => command.name());
  const [meant] = nearNames(word, [...names, ...topicNames]);
  return program.error(
    `error: "${word}" is not a command or a topic.${meant === undefined ? ` Topics: ${topicNames.join(', ')}.` : ` Did you mean "${meant}"?`}`,
    { exitCode: 2 },
  );
}

function addCommands(program: Command, actions: Actions, finished: (code: number) => void): void {
  const groups = new Map<string, Command>([['', program]]);
  for (const { path, words, entry } of listCommands()) {
    const parent = groups.get(words.slice(0, -1).join(' ')) ?? program;
    const command = addCommand(parent, words.at(-1) ?? '', entry);
    const shown = examples[path];
    if (shown)
      command.addHelpText('after', `\n${renderExamples(shown, chooseHelpWidth(process.stdout.columns))}`);
    groups.set(path, command);
    if (entry.isDefault) parent.addHelpText('after', describeDefault(words.join(' '), entry.flags));
    if (entry.isGroup) continue;
    command.action(async (...given: unknown[]) => {
      // Commander passes the arguments, then the flags, then itself.
      const [raw] = given.splice(-2) as [RawFlags];
      const flags = readFlags(entry.flags, raw);
      if (!flags.ok) return finished(complain(processIo(), flags.problem));
      const args = given.flat().filter((word) => word !== undefined) as string[];
      finished(await actions.run(path as CommandPath, args, flags.value));
    });
  }
}

function addCommand(parent: Command, name: string, entry: ListedCommand['entry']): Command {
  const { about, takes = '', choices, alias, isDefault = false, help, flags } = entry;
  const command = parent.command(name, { isDefault }).description(about).enablePositionalOptions();
  for (const [index, argument] of takes.split(' ').filter(Boolean).entries()) {
    const added = new Argument(argument);
    command.addArgument(choices && index === 0 ? added.choices(choices) : added);
  }
  if (alias !== undefined) command.alias(alias);
  if (help !== undefined)
    command.addHelpText('after', `\n${wrapProse(help, chooseHelpWidth(process.stdout.columns))}`);
  addFlags(command, flags);
  return command;
}

/** A group runs one of its commands by default: that command's options belong in the group's help. */
function describeDefault(name: string, flags: FlagTable): string {
  const rows = Object.entries(flags).map(([key, flag]) => [
    [listNames(key, flag).join(', '), flag.placeholder ?? ''].join(' ').trim(),
    describeFlag(flag),
  ]);
  const column = Math.max(0, ...rows.map(([names = '']) => names.length)) + 2;
  const width = chooseHelpWidth(process.stdout.columns);
  const lines = rows.map(([names = '', about = '']) => renderHelpRow(names, about, column, width));
  return `\nWithout a command, ${name} runs:\n${lines.join('\n')}`;
}

function addFlags(command: Command, flags: FlagTable, heading?: string): void {
  for (const [key, flag] of Object.entries(flags)) {
    for (const option of makeOptions(key, flag))
      command.addOption(heading === undefined ? option : option.helpGroup(heading));
  }
}

function makeOptions(key: string, flag: Flag): Option[] {
  if (flag.opposite === undefined) return [makeOption(key, flag)];
  return [new Option(longName(key), flag.about), new Option(oppositeName(key), flag.opposite)];
}

/** Values are read after parsing, so errors about them use the table's words. */
function makeOption(key: string, flag: Flag): Option {
  const { about, placeholder, choices, usual, isRepeated, isNegated, isHidden } = flag;
  const names = listNames(key, flag).join(', ');
  const option = new Option(placeholder === undefined ? names : `${names} ${placeholder}`, about);
  if (choices) option.argChoices = [...choices];
  if (isRepeated) option.argParser((text: string, before: string[] = []) => [...before, text]);
  if (usual !== undefined && !isNegated) option.default(usual);
  return isHidden ? option.hideHelp() : option;
}

function readMainFlags(given: RawFlags): Result<MainFlags> {
  const groups: Record<string, object> = {};
  for (const [name, { flags }] of Object.entries(mainFlags)) {
    const read = readFlags(flags, given);
    if (!read.ok) return read;
    groups[name] = read.value;
  }
  return ok(groups as MainFlags);
}
