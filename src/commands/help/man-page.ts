import { version } from '../../lib/version.ts';
import { type ListedCommand, listCommands } from '../table/commands.ts';
import { type Flag, type FlagTable, listNames } from '../table/flag.ts';
import { commandGroups, type Example, examples } from '../table/groups.ts';
import { mainFlags } from '../table/main-flags.ts';
import type { ManualPage } from './list-pages.ts';
import { describeFlag } from './main-help.ts';
import { bold, escapeRoff, italic, listItem, paragraph, section, subsection, verbatim } from './roff.ts';
import { topicNames } from './topic-names.ts';
import { readTopic } from './topics.ts';

/** One manual page as roff, with the macros of man(7), from the same tables as `--help`. */
export function renderManualPage({ name, section: number }: ManualPage): string {
  const word = name.replace(/^cadre-/, '');
  const body = number === 7 ? renderTopic(word) : name === 'cadre' ? renderMain() : renderCommand(word);
  const head = `.TH ${name.toUpperCase()} ${number} "" "cadre ${version}" "Cadre Manual"`;
  // Words are not hyphenated, and lines not stretched: most of them hold code.
  // A heading begins a paragraph by itself.
  const lines = body.filter((line, index) => line !== '.PP' || !/^\.S[HS] /.test(body[index - 1] ?? ''));
  return `${[head, '.nh', '.ad l', ...lines].join('\n')}\n`;
}

type Lines = string[];

function renderMain(): Lines {
  return [
    ...nameSection('cadre', 'a coding agent for your terminal and your programs'),
    ...section('Synopsis'),
    ...synopsis('cadre', '[options] [prompt]'),
    ...synopsis('cadre', '<command> [options]', true),
    ...section('Description'),
    ...paragraph(
      'On a terminal, cadre starts its app there; with -p or without a terminal it prints one answer. The commands below manage what it keeps, and show what it would do.',
    ),
    ...section('Commands'),
    ...commandGroups.flatMap(({ heading, commands }) => [
      ...subsection(heading),
      ...Object.entries(commands).flatMap(([name, about]) =>
        listItem(
          name === 'help' ? `${bold('cadre help')} ${italic('topic')}` : reference(`cadre-${name}`, 1),
          about,
        ),
      ),
    ]),
    ...section('Options'),
    ...Object.values(mainFlags).flatMap(({ heading, flags }) => [
      ...subsection(heading.replace(':', '')),
      ...renderFlags(flags),
    ]),
    ...subsection('Other'),
    ...listItem(`${bold('-v')}, ${bold('--version')}`, 'print the version'),
    ...listItem(`${bold('-h')}, ${bold('--help')}`, 'show help'),
    ...renderExamples(''),
    ...section('Exit status'),
    ...exitCodes.flatMap(([code, about]) => listItem(bold(code), about)),
    ...section('Environment'),
    ...variables.flatMap(([name, about]) => listItem(bold(name), about)),
    ...section('Files'),
    ...listItem(italic('~/.cadre'), 'settings, keys, sessions, worktrees and everything else that is kept'),
    ...listItem(italic('.cadre'), "a repository's own settings, agents, skills and workflows"),
    ...seeAlso(topicNames.map((topic) => [`cadre-${topic}`, 7])),
  ];
}

const exitCodes: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['1', 'the run failed, or the command did'],
  ['2', 'wrong usage or configuration'],
  ['75', 'a limit of the provider was reached, and the run can be resumed'],
  ['124', 'background work was ended unfinished'],
  ['130', 'interrupted'],
];

const variables: readonly (readonly [string, string])[] = [
  ['ANTHROPIC_API_KEY', 'key for Anthropic'],
  ['OPENAI_API_KEY', 'key for OpenAI'],
  ['GEMINI_API_KEY', 'key for Google'],
  ['CADRE_HOME', 'the directory to use instead of ~/.cadre'],
  ['NO_COLOR', 'no colours, if it is not empty'],
];

function renderCommand(name: string): Lines {
  const all = listCommands().filter(({ words }) => words[0] === name);
  const [own, ...members] = all;
  if (!own) return [];
  const { entry } = own;
  const runnable = entry.isGroup ? members : all;
  return [
    ...nameSection(`cadre-${name}`, entry.about),
    ...section('Synopsis'),
    ...runnable.flatMap(({ path, entry: { takes = '' } }, index) =>
      synopsis(`cadre ${path}`, ['[options]', takes].join(' ').trim(), index > 0),
    ),
    ...(entry.isGroup ? [] : [...section('Description'), ...renderEntry(entry)]),
    ...(members.length > 0 ? section('Commands') : []),
    ...members.flatMap(({ words, entry: member }) => [
      ...subsection(words.slice(1).join(' ')),
      ...renderEntry(member),
    ]),
    ...renderExamples(name),
    ...seeAlso([
      ['cadre', 1],
      ...(topicNames.some((topic) => topic === name) ? [[`cadre-${name}`, 7] as const] : []),
    ]),
  ];
}

function renderEntry({ about, alias, isDefault, help = '', flags }: ListedCommand['entry']): Lines {
  const notes = [
    ...(isDefault ? ['It runs when no other command is named.'] : []),
    ...(alias === undefined ? [] : [`It can also be written ${alias}.`]),
  ];
  return [
    ...paragraph([`${capitalise(about)}.`, ...notes].join(' ')),
    ...help
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => (line.startsWith('Exit code:') ? `.PP\n${escapeRoff(line)}` : escapeRoff(line))),
    ...renderFlags(flags),
  ];
}

function renderFlags(flags: FlagTable): Lines {
  return Object.entries<Flag>(flags)
    .filter(([, { isHidden }]) => !isHidden)
    .flatMap(([key, flag]) => {
      const names = listNames(key, flag).map(bold).join(', ');
      const value = flag.placeholder === undefined ? '' : ` ${italic(flag.placeholder)}`;
      const about =
        flag.opposite === undefined ? describeFlag(flag) : `${flag.about}; with no-: ${flag.opposite}`;
      return listItem(names + value, about);
    });
}

/** Its own examples, then those of its members. */
function renderExamples(name: string): Lines {
  const list = Object.entries(examples).flatMap(([path, shown]): readonly Example[] =>
    path === name || (name !== '' && path.startsWith(`${name} `)) ? shown : [],
  );
  if (list.length === 0) return [];
  return [
    ...section('Examples'),
    ...list.flatMap(({ line, about }) => listItem(bold(line), capitalise(about))),
  ];
}

/** A topic's page: its headings, its paragraphs, and its tables as they are. */
function renderTopic(name: string): Lines {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) return [];
  const [title = '', ...lines] = readTopic(topic).trim().split('\n');
  const [, about = ''] = title.split(': ');
  return [
    ...nameSection(`cadre-${name}`, about || title.replace(/^# /, '')),
    ...section('Description'),
    ...splitBlocks(lines).flatMap((block) => {
      const heading = /^#+ (.*)$/.exec(block[0] ?? '')?.[1];
      if (heading !== undefined) return section(heading);
      return block.some((line) => line.startsWith('  ')) ? verbatim(block) : paragraph(block.join(' '));
    }),
  ];
}

/** Separated by blank lines; a heading is a block by itself. */
function splitBlocks(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line === '') blocks.push([]);
    else if (line.startsWith('#')) blocks.push([line], []);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

function nameSection(name: string, about: string): Lines {
  return [...section('Name'), `${escapeRoff(name)} \\- ${escapeRoff(about)}`];
}

function synopsis(command: string, rest: string, isNext = false): Lines {
  return [...(isNext ? ['.br'] : []), `${bold(command)} ${italic(rest)}`.trimEnd()];
}

function seeAlso(pages: readonly (readonly [string, number])[]): Lines {
  return [...section('See also'), pages.map(([name, number]) => reference(name, number)).join(',\n')];
}

function reference(name: string, number: number): string {
  return `${bold(name)}(${number})`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
