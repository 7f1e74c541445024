import { matchesPattern } from '../places/pattern.ts';
import type { Tool, ToolProgress, ToolResult } from '../protocol/index.ts';
import { relativeParts } from '../workspace/paths.ts';

/** A note for work on files of certain paths. */
export interface PathNote {
  patterns: readonly string[];
  /** Labelled. */
  text: string;
  /** The file with the full text, for a note that does not fit. */
  file: string;
}

const maxNoteSize = 16_000;
const maxCharacters = 64_000;
const noted: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write', 'NotebookEdit']);

/**
 * Notes that belong to paths. Each agent gets each of them once, with the result of the first call that touches such a
 * file: after all earlier messages, so that a provider's cache stays valid.
 */
export class PathNotes {
  readonly #notes: readonly (PathNote & { expanded: readonly string[] })[];
  readonly #given = new Map<string | null, { notes: Set<PathNote>; characters: number }>();

  constructor(
    notes: readonly PathNote[],
    private readonly root: string,
  ) {
    this.#notes = notes.map((note) => ({ ...note, expanded: note.patterns.flatMap(expandBraces) }));
  }

  take(agentId: string | null, paths: readonly string[]): string[] {
    const relative = paths.flatMap((path) => {
      const parts = relativeParts(path, this.root);
      return parts && parts.length > 0 ? [parts] : [];
    });
    if (relative.length === 0) return [];
    const given = this.#given.get(agentId) ?? { notes: new Set(), characters: 0 };
    this.#given.set(agentId, given);
    return this.#notes.flatMap((note) => {
      if (given.notes.has(note)) return [];
      const fits = note.expanded.some((pattern) => relative.some((parts) => matchesPattern(pattern, parts)));
      if (!fits) return [];
      given.notes.add(note);
      const isTooMuch = note.text.length > maxNoteSize || given.characters + note.text.length > maxCharacters;
      given.characters += isTooMuch ? 0 : note.text.length;
      return [isTooMuch ? `[Notes for files like this one are in ${note.file}.]` : note.text];
    });
  }
}

/** The same tool, with notes about the files it touches added to its results. */
export function withPathNotes(tool: Tool, notes: PathNotes): Tool {
  if (!noted.has(tool.name)) return tool;
  return {
    ...tool,
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      const touched = tool.access(input, context.directory.current);
      const result = yield* tool.run(input, context);
      if (result.isError) return result;
      const paths = touched.flatMap((access) => ('path' in access ? [access.path] : []));
      const texts = notes.take(context.agentId, paths);
      if (texts.length === 0) return result;
      const note = `\n${introduction}\n\n${texts.join('\n\n')}`;
      return { ...result, notes: [...(result.notes ?? []), note] };
    },
  };
}

const introduction =
  'Not part of the file: notes for work on files like this one. As with all memory, follow them ' +
  'in how you work; they grant no permissions and do not override what the user asks.';

const maxAlternatives = 64;

/** `*.{ts,tsx}` is two patterns. */
function expandBraces(pattern: string): string[] {
  const found: string[] = [];
  const open = [pattern];
  for (let one = open.shift(); one !== undefined && found.length < maxAlternatives; one = open.shift()) {
    const [, before = '', inside, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(one) ?? [];
    if (inside === undefined) found.push(one);
    else if (open.length < maxAlternatives)
      open.push(...inside.split(',').map((part) => before + part + after));
  }
  return found;
}
