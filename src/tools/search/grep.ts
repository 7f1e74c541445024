import { form, type OutputOf } from '../../lib/form/form.ts';
import type { Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  defineTool,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../../protocol/tool.ts';
import { resolvePath } from '../../workspace/paths.ts';
import { safeText } from '../bash/text.ts';
import { filePath } from '../files/file-input.ts';
import { withoutProgress } from '../without-progress.ts';
import { globFilter } from './glob-pattern.ts';
import description from './grep.md' with { type: 'text' };
import type { SearchEnd } from './ripgrep-run.ts';
import { searchHeld } from './search-held.ts';
import { SearchHits } from './search-hits.ts';
import { maxAtOnce } from './search-names.ts';
import { openSearch, type SearchPlace, shownPath, sortByTime } from './search-paths.ts';

const defaultLimit = 250;
const maxCharacters = 30_000;
/** Above this, the exact number does not matter. */
const maxCounted = 300;
const maxNamed = 8;
/** The number of files likely to have enough lines. */
const minWithContent = 16;

const schema = form.strictObject({
  pattern: form.string().min(1),
  path: filePath.optional().describe('Default: the working directory'),
  glob: form.string().optional().describe('Only files like "*.ts" or "src/**/*.{js,jsx}"'),
  type: form.string().optional().describe('Only this type: js, py, rust …'),
  output_mode: form.enum(['files_with_matches', 'content', 'count']).optional(),
  '-A': form.int().min(0).optional(),
  '-B': form.int().min(0).optional(),
  '-C': form.int().min(0).optional(),
  '-i': form.boolean().optional(),
  '-n': form.boolean().optional(),
  multiline: form.boolean().optional(),
  head_limit: form.int().min(1).optional().describe('Lines or files; default 250'),
  offset: form.int().min(0).optional(),
});

type Input = OutputOf<typeof schema>;

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
  const opened = await openSearch(locate, resolvePath(context.directory.current, input.path ?? '.'), context);
  if (!opened.ok) return errorResult(opened.problem.message);
  const { program, place } = opened.value;
  const mode = input.output_mode ?? 'files_with_matches';
  const hits = new SearchHits(place, context);
  try {
    const asked: Asked = { input, context, hits, program, place };
    return mode === 'files_with_matches' ? await listFiles(asked) : await listLines(asked, mode);
  } finally {
    hits.close();
  }
}

interface Asked {
  input: Input;
  context: ToolContext;
  hits: SearchHits;
  program: string;
  place: SearchPlace;
}

async function listFiles({ input, context, hits, program, place }: Asked): Promise<ToolResult> {
  const files: { path: string; time: number }[] = [];
  const wanted = (input.offset ?? 0) + (input.head_limit ?? defaultLimit);
  const most = Math.max(wanted, maxCounted);
  const end = await searchHeld(
    {
      ...{ program, place, context, pattern: patternArguments(input), filters: filterArguments(input) },
      ...{ output: ['--files-with-matches'], separator: '\0', order: 'newest' },
      ...{ enough: most + 1, fewest: Math.min(most + 1, maxAtOnce) },
      take: (hit) => !hit || files.push(hit) <= most,
    },
    hits,
  );
  if (end.isFailure && files.length === 0) return errorResult(end.problem ?? 'The search failed.');
  const shown = sortByTime(files).slice(input.offset ?? 0, wanted);
  const names = shown.map((path) => safeText(shownPath(path, place.directory, context.directory.current)));
  const count = end.isStopped ? `more than ${most}` : files.length;
  const lines = files.length === 0 ? ['No matches.'] : names;
  if (shown.length < files.length) lines.push(`[${shown.length} of ${count} files]`);
  return textResult(withProblem(lines, end), {
    mode: 'files_with_matches',
    filenames: names,
    numFiles: files.length,
  });
}

async function listLines(asked: Asked, mode: 'content' | 'count'): Promise<ToolResult> {
  const { input, context, hits, program, place } = asked;
  const lines: string[] = [];
  const limit = input.head_limit ?? defaultLimit;
  const wanted = (input.offset ?? 0) + limit + 1;
  const fewest = Math.min(mode === 'count' ? wanted : minWithContent, maxAtOnce);
  let seen = 0;
  let characters = 0;
  const render = (path: string, rest: string) =>
    renderLine(shownPath(path, place.directory, context.directory.current), rest, mode, input);
  const add = (hit: { path: string } | undefined, rest: string) => {
    if (seen++ < (input.offset ?? 0)) return true;
    if (lines.length >= limit || characters > maxCharacters) return false;
    const shown = safeText(hit ? render(hit.path, rest) : rest);
    lines.push(shown);
    characters += shown.length;
    return true;
  };
  const output = mode === 'count' ? ['--count'] : contentArguments(input);
  const take = mode === 'content' && hasContext(input) ? markFiles(add) : add;
  const end = await searchHeld(
    {
      ...{ program, place, context, pattern: patternArguments(input), filters: filterArguments(input) },
      ...{ output, separator: '\n', order: 'path', enough: wanted, fewest, take },
    },
    hits,
  );
  if (end.isFailure && lines.length === 0) return errorResult(end.problem ?? 'The search failed.');
  const shown = lines.length === 0 ? ['No matches.'] : [...lines];
  if (end.isStopped)
    shown.push(
      `[Cut after ${lines.length} lines: continue with offset ${(input.offset ?? 0) + lines.length}, or narrow the search.]`,
    );
  return textResult(withProblem(shown, end), {
    mode,
    content: lines.join('\n'),
    numLines: lines.length,
  });
}

/** The pattern as a separate value, so that a leading dash does not make it an option. */
function patternArguments(input: Input): string[] {
  return [
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...['-e', input.pattern],
  ];
}

function filterArguments(input: Input): string[] {
  // A positive glob overrides .gitignore; a type does not. So a plain name pattern is made a type.
  const isNamePattern = input.glob !== undefined && globFilter(input.glob) !== undefined && !input.type;
  return [
    ...(input.type ? [`--type=${input.type}`] : []),
    ...(isNamePattern ? [`--type-add=wanted:${input.glob}`, '--type=wanted'] : []),
    ...(input.glob && !isNamePattern ? [`--glob=${input.glob}`] : []),
  ];
}

function contentArguments(input: Input): string[] {
  const flags = ['--no-heading', '--line-number', '--max-columns=500', '--max-columns-preview'];
  for (const flag of ['-A', '-B', '-C'] as const) {
    const count = input[flag];
    if (count !== undefined) flags.push(flag, String(count));
  }
  return flags;
}

type Take = (hit: { path: string } | undefined, rest: string) => boolean;

/** Puts a separator between files as ripgrep does, which only knows the files of one run. */
function markFiles(add: Take): Take {
  let last: string | undefined;
  return (hit, rest) => {
    const isOther = hit !== undefined && last !== undefined && hit.path !== last;
    last = hit?.path;
    return (!isOther || add(undefined, groupMark)) && add(hit, rest);
  };
}

const groupMark = '--';

function hasContext(input: Input): boolean {
  return (input['-A'] ?? 0) + (input['-B'] ?? 0) + (input['-C'] ?? 0) > 0;
}

/** As grep prints it: a colon marks a match, a dash a context line. */
function renderLine(path: string, rest: string, mode: 'content' | 'count', input: Input): string {
  const [, number, mark, text] = (mode === 'content' && /^(\d+)([:-])(.*)$/s.exec(rest)) || [];
  if (number === undefined) return `${path}:${rest}`;
  return input['-n'] === false ? `${path}${mark}${text}` : `${path}${mark}${number}${mark}${text}`;
}

/** An unreadable file may be one that matters. */
function withProblem(lines: readonly string[], { problem, complaints }: SearchEnd): string {
  const closed = complaints.map((path) => `${safeText(path)}: permission denied`);
  const said = problem ?? closed.slice(0, maxNamed).join('\n');
  return said === '' ? lines.join('\n') : `${lines.join('\n')}\n[Not everything could be searched: ${said}]`;
}
