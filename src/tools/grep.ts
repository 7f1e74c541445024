import { z } from 'zod';
import type { Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import {
  defineTool,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../protocol/tool.ts';
import { resolvePath } from '../workspace/paths.ts';
import { filePath } from './file-input.ts';
import { globFilter } from './glob-pattern.ts';
import description from './grep.md' with { type: 'text' };
import { search } from './ripgrep-run.ts';
import { openSearch, type SearchPlace, shownPath, sortByTime } from './search-paths.ts';
import { safeText } from './shell-text.ts';
import { withoutProgress } from './without-progress.ts';

const defaultLimit = 250;
const mostCharacters = 30_000;
const mostFiles = 10_000;

const schema = z.strictObject({
  pattern: z.string().min(1),
  path: filePath.optional().describe('File or directory; default the working directory'),
  glob: z.string().optional().describe('Only files like "*.ts" or "src/**/*.{js,jsx}"'),
  type: z.string().optional().describe('Only files of a type: js, py, rust …'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).optional(),
  '-A': z.int().min(0).optional().describe('Lines after (content)'),
  '-B': z.int().min(0).optional().describe('Lines before'),
  '-C': z.int().min(0).optional().describe('Lines around'),
  '-i': z.boolean().optional().describe('Ignore case'),
  '-n': z.boolean().optional().describe('Line numbers; default true'),
  multiline: z.boolean().optional(),
  head_limit: z.int().min(1).optional().describe('Most lines or files; default 250'),
  offset: z.int().min(0).optional().describe('Lines or files to skip'),
});

type Input = z.output<typeof schema>;

export function grepTool(locate: () => Promise<Result<string>>): Tool<typeof schema> {
  return defineTool({
    name: 'Grep',
    description: description.trim(),
    schema,
    access: (input, cwd) => [{ kind: 'read', path: resolvePath(cwd, input.path ?? '.') }],
    concurrent: () => true,
    summary: (input) => visibleLine(`"${input.pattern}"${input.path ? ` in ${input.path}` : ''}`, 300),
    run: (input, context) => withoutProgress(() => grep(input, context, locate)),
  });
}

async function grep(
  input: Input,
  context: ToolContext,
  locate: () => Promise<Result<string>>,
): Promise<ToolResult> {
  const cwd = context.directory.current;
  const opened = await openSearch(locate, resolvePath(cwd, input.path ?? '.'), cwd);
  if (!opened.ok) return errorResult(opened.problem.message);
  const { program, place } = opened.value;
  const mode = input.output_mode ?? 'files_with_matches';
  if (mode === 'files_with_matches') return await listFiles(input, context, program, place);
  return await listLines(input, context, program, place, mode);
}

async function listFiles(
  input: Input,
  context: ToolContext,
  program: string,
  place: SearchPlace,
): Promise<ToolResult> {
  const files: string[] = [];
  const mayShow = showable(place, context);
  const end = await search(
    program,
    [...argumentsFor(input, place), '--files-with-matches', '--null', ...last(input, place)],
    {
      cwd: place.directory,
      separator: '\0',
      context,
      take: (path) => !mayShow(path) || files.push(path.replace(/^\.\//, '')) < mostFiles,
    },
  );
  if (end.isFailure && files.length === 0) return errorResult(end.problem ?? 'The search failed.');
  const sorted = sortByTime(files, place.directory);
  const shown = sorted.slice(input.offset ?? 0, (input.offset ?? 0) + (input.head_limit ?? defaultLimit));
  const names = shown.map((path) => safeText(shownPath(path, place.directory, context.directory.current)));
  const count = `${end.isStopped ? 'more than ' : ''}${files.length}`;
  const lines = files.length === 0 ? ['No matches.'] : names;
  if (shown.length < files.length) lines.push(`[${shown.length} of ${count} files]`);
  return textResult(withProblem(lines, end.problem), {
    mode: 'files_with_matches',
    filenames: names,
    numFiles: files.length,
  });
}

async function listLines(
  input: Input,
  context: ToolContext,
  program: string,
  place: SearchPlace,
  mode: 'content' | 'count',
): Promise<ToolResult> {
  const lines: string[] = [];
  const limit = input.head_limit ?? defaultLimit;
  let seen = 0;
  let characters = 0;
  const mayShow = showable(place, context);
  const render = (path: string, rest: string) =>
    renderLine(shownPath(path, place.directory, context.directory.current), rest, mode, input);
  const take = (line: string) => {
    const [path, rest] = splitPath(line);
    if (path !== undefined && !mayShow(path)) return true;
    if (seen++ < (input.offset ?? 0)) return true;
    if (lines.length >= limit || characters > mostCharacters) return false;
    const shown = safeText(path === undefined ? rest : render(path, rest));
    lines.push(shown);
    characters += shown.length;
    return true;
  };
  const modeArguments = mode === 'count' ? ['--count', '--with-filename', '--null'] : contentArguments(input);
  const args = [...argumentsFor(input, place), '--sort=path', ...modeArguments, ...last(input, place)];
  const end = await search(program, args, { cwd: place.directory, separator: '\n', context, take });
  if (end.isFailure && lines.length === 0) return errorResult(end.problem ?? 'The search failed.');
  const shown = lines.length === 0 ? ['No matches.'] : [...lines];
  if (end.isStopped)
    shown.push(
      `[Cut after ${lines.length} lines: go on with offset ${(input.offset ?? 0) + lines.length}, or narrow the search.]`,
    );
  return textResult(withProblem(shown, end.problem), {
    mode,
    content: lines.join('\n'),
    numLines: lines.length,
  });
}

function argumentsFor(input: Input, place: SearchPlace): string[] {
  // A positive glob overrides .gitignore; a type does not. So a plain name pattern is made a type.
  const isNamePattern = input.glob !== undefined && globFilter(input.glob) !== undefined && !input.type;
  return [
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.type ? [`--type=${input.type}`] : []),
    ...(isNamePattern && place.target === './' ? [`--type-add=wanted:${input.glob}`, '--type=wanted'] : []),
    ...(input.glob && !isNamePattern && place.target === './' ? [`--glob=${input.glob}`] : []),
  ];
}

function contentArguments(input: Input): string[] {
  const flags = [
    '--no-heading',
    '--with-filename',
    '--null',
    '--line-number',
    '--max-columns=500',
    '--max-columns-preview',
  ];
  for (const flag of ['-A', '-B', '-C'] as const) {
    const count = input[flag];
    if (count !== undefined) flags.push(flag, String(count));
  }
  return flags;
}

/** The pattern as a value of its own, so that one that begins with a dash is no option. */
function last(input: Input, place: SearchPlace): string[] {
  return ['-e', input.pattern, '--', place.target];
}

/** A NUL ends the path of a line; the marks between groups of lines have none. */
function splitPath(line: string): [path: string | undefined, rest: string] {
  const end = line.indexOf('\0');
  return end === -1 ? [undefined, line] : [line.slice(0, end), line.slice(end + 1)];
}

/** As grep would print it: a colon marks a match, a dash a line around one. */
function renderLine(path: string, rest: string, mode: 'content' | 'count', input: Input): string {
  const [, number, mark, text] = (mode === 'content' && /^(\d+)([:-])(.*)$/s.exec(rest)) || [];
  if (number === undefined) return `${path}:${rest}`;
  return input['-n'] === false ? `${path}${mark}${text}` : `${path}${mark}${number}${mark}${text}`;
}

/** Asked once per file, however many of its lines match. */
function showable(place: SearchPlace, context: ToolContext): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const may = known.get(path) ?? context.mayRead(resolvePath(place.directory, path));
    known.set(path, may);
    return may;
  };
}

function withProblem(lines: readonly string[], problem: string | undefined): string {
  return problem === undefined
    ? lines.join('\n')
    : `${lines.join('\n')}\n[Not everything could be searched: ${problem}]`;
}
