import { type Flag, listNames } from '../table/flag.ts';
import { commandGroups, type Example, examples } from '../table/groups.ts';
import { mainFlags } from '../table/main-flags.ts';
import { topicNames } from './topic-names.ts';

const flagColumn = 26;
const commandColumn = 14;
const maxWidth = 100;

/** The width of help texts: readable in any terminal, and the same when the output is not one. */
export function chooseHelpWidth(columns: number | undefined): number {
  return Math.max(40, Math.min(columns ?? 80, maxWidth));
}

/** `cadre --help`: examples, commands and flags in groups, topics. */
export function renderMainHelp(width: number): string {
  const commands = commandGroups.map(({ heading, commands }) =>
    [
      heading,
      ...Object.entries(commands).map(([name, about]) => renderHelpRow(name, about, commandColumn, width)),
    ].join('\n'),
  );
  const flags = Object.values(mainFlags).map(({ heading, flags }) => {
    const shown = Object.entries<Flag>(flags).filter(([, { isHidden }]) => !isHidden);
    return [
      `Options: ${heading.replace(':', '').toLowerCase()}`,
      ...shown.map(([key, flag]) =>
        renderHelpRow(writeNames(key, flag), describeFlag(flag), flagColumn, width),
      ),
    ].join('\n');
  });
  return `${[
    'Usage: cadre [options] [prompt]\n       cadre <command> [options]',
    'A coding agent for your terminal and your programs.',
    renderExamples(examples[''] ?? [], width),
    ...commands,
    ...flags,
    [
      'Other options',
      renderHelpRow('-v, --version', 'print the version', flagColumn, width),
      renderHelpRow('-h, --help', 'show help', flagColumn, width),
    ].join('\n'),
    ['Topics: cadre help TOPIC', ...wrap(topicNames.join(', '), width - 2).map((line) => `  ${line}`)].join(
      '\n',
    ),
    wrap(
      'Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or cadre setup. A local server needs none: --model ollama/qwen3-coder',
      width,
    ).join('\n'),
  ].join('\n\n')}\n`;
}

/** The examples of a command; each has its explanation beside it, or below where there is no room. */
export function renderExamples(list: readonly Example[], width: number): string {
  const longest = Math.max(0, ...list.map(({ line }) => line.length));
  const isWide = longest + 5 + Math.max(0, ...list.map(({ about }) => about.length)) <= width;
  const lines = list.flatMap(({ line, about }) =>
    isWide ? [`  ${line.padEnd(longest)}   ${about}`] : [`  ${line}`, `      ${about}`],
  );
  return ['Examples', ...lines].join('\n');
}

function writeNames(key: string, flag: Flag): string {
  const names = listNames(key, flag).filter((name) => name !== flag.also);
  return [names.join(', '), flag.placeholder ?? ''].join(' ').trim();
}

export function describeFlag({
  about,
  choices,
  usual,
  isNegated,
}: Pick<Flag, 'about' | 'choices' | 'usual' | 'isNegated'>): string {
  const words = choices ? [choices.join(', ')] : [];
  const notes = usual === undefined || isNegated ? words : [...words, `default: ${usual}`];
  return notes.length === 0 ? about : `${about} (${notes.join('; ')})`;
}

/** A name and what it means, side by side; a name that is too long has the line to itself. */
export function renderHelpRow(name: string, about: string, column: number, width: number): string {
  const lines = wrap(about, Math.max(20, width - column - 2));
  const indent = ' '.repeat(column + 2);
  const first = name.length < column ? `  ${name.padEnd(column)}${lines.shift() ?? ''}` : `  ${name}`;
  return [first, ...lines.map((line) => indent + line)].join('\n');
}

/** Prose at the width of the help; a line that begins with a command or `Exit code:` begins again. */
export function wrapProse(text: string, width: number): string {
  const paragraphs = text
    .trim()
    .replace(/\n(?!cadre |Exit code:)/g, ' ')
    .split('\n');
  return paragraphs.flatMap((paragraph) => wrap(paragraph, width)).join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
