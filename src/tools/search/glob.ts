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
import description from './glob.md' with { type: 'text' };
import { globFilter, globToRegExp, measureGlobDepth, splitGlob } from './glob-pattern.ts';
import { search } from './ripgrep-run.ts';
import { everywhere } from './search-held.ts';
import { SearchHits } from './search-hits.ts';
import { openSearch, shownPath, sortByTime } from './search-paths.ts';

const maxShown = 100;
const maxFound = 50_000;

const schema = form.strictObject({
  pattern: filePath,
  path: filePath.optional().describe('Default: the working directory'),
});

type Input = OutputOf<typeof schema>;

export function globTool(locate: () => Promise<Result<string>>): Tool<typeof schema> {
  return defineTool({
    name: 'Glob',
    description: description.trim(),
    schema,
    access: (input, cwd) => [{ kind: 'read', path: resolvePlace(input, cwd).directory }],
    concurrent: () => true,
    summary: (input) => visibleLine(`${input.pattern}${input.path ? ` in ${input.path}` : ''}`, 300),
    run: (input, context) => withoutProgress(() => glob(input, context, locate)),
  });
}

function resolvePlace(input: Input, cwd: string): { directory: string; pattern: string } {
  const { base, pattern } = splitGlob(input.pattern);
  return { directory: resolvePath(resolvePath(cwd, input.path ?? '.'), base), pattern };
}

async function glob(
  input: Input,
  context: ToolContext,
  locate: () => Promise<Result<string>>,
): Promise<ToolResult> {
  const cwd = context.directory.current;
  const { directory, pattern } = resolvePlace(input, cwd);
  const matcher = globToRegExp(pattern);
  if (!matcher) return errorResult(`The pattern ${pattern} is not a valid glob.`);
  const opened = await openSearch(locate, directory, context);
  if (!opened.ok) return errorResult(opened.problem.message);
  const { program, place } = opened.value;
  if (place.file) return errorResult(`${directory} is not a directory.`);
  const found: { path: string; time: number }[] = [];
  const hits = new SearchHits(place, context);
  // Names that really exist: ripgrep may be redirected elsewhere while it searches, which continues meanwhile.
  const confirm = (path: string) => {
    const time = hits.readTime(path);
    return time === undefined || found.push({ path, time }) < maxFound;
  };
  const end = await search(program, [...everywhere, ...buildArguments(pattern), '--', './'], {
    ...{ cwd: place.real, separator: '\0', context },
    take(path) {
      const name = path.replace(/^\.\//, '');
      return !matcher.test(name) || confirm(name);
    },
  });
  hits.close();
  if (end.isFailure && found.length === 0) return errorResult(end.problem ?? 'The search failed.');
  const newest = sortByTime(found).slice(0, maxShown);
  const names = newest.map((path) => safeText(shownPath(path, directory, cwd)));
  const isCut = found.length > newest.length;
  const total = `${end.isStopped ? 'more than ' : ''}${found.length}`;
  const lines = names.length === 0 ? ['No files found.'] : names;
  const text = isCut
    ? [...lines, `[The newest ${newest.length} of ${total} files: narrow the pattern.]`]
    : lines;
  return textResult(text.join('\n'), { filenames: names, numFiles: found.length, truncated: isCut });
}

function buildArguments(pattern: string): string[] {
  const name = globFilter(pattern.slice(pattern.lastIndexOf('/') + 1));
  const depth = measureGlobDepth(pattern);
  return [
    '--files',
    '--null',
    ...(name === undefined ? [] : [`--type-add=wanted:${name}`, '--type=wanted']),
    ...(depth === undefined ? [] : [`--max-depth=${depth}`]),
  ];
}
