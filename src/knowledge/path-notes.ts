import { dirname } from 'node:path';
import { matchesPattern } from '../places/pattern.ts';
import type { Tool, ToolContext, ToolProgress, ToolResult } from '../protocol/index.ts';
import { relativeParts } from '../workspace/paths.ts';
import type { DirectoryMemory } from './directory-memory.ts';
import { renderMemoryFile } from './prompt.ts';

/** A note for work on files of certain paths. */
export interface PathNote {
  patterns: readonly string[];
  /** Labelled. */
  text: string;
  /** The file with the full text, for a note that does not fit. */
  file: string;
}

/** As much of a memory file as at the start, with its label. */
const maxNoteSize = 44_000;
const maxCharacters = 64_000;
const noted: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write', 'NotebookEdit', 'Bash']);

/**
 * Notes that belong to paths: rules for certain files, and the memory of directories. Each agent gets each of them once,
 * with the result of the first call that touches such a file: after all earlier messages, so that a provider's cache
 * stays valid.
 */
export class PathNotes {
  readonly #notes: readonly (PathNote & { expanded: readonly string[] })[];
  readonly #given = new Map<string | null, Given>();

  constructor(
    notes: readonly PathNote[],
    private readonly root: string,
    private readonly directories?: DirectoryMemory,
    /** Agents whose definition leaves memory out do not get that of directories either. */
    private readonly takesMemory: (agentId: string | null) => boolean = () => true,
  ) {
    this.#notes = notes.map((note) => ({ ...note, expanded: note.patterns.flatMap(expandBraces) }));
  }

  take(agentId: string | null, paths: readonly string[]): string[] {
    const relative = paths.flatMap((path) => {
      const parts = relativeParts(path, this.root);
      return parts && parts.length > 0 ? [parts] : [];
    });
    if (relative.length === 0) return [];
    return this.#notes
      .filter(({ expanded }) =>
        expanded.some((pattern) => relative.some((parts) => matchesPattern(pattern, parts))),
      )
      .flatMap((note) => this.#giveOnce(agentId, note));
  }

  /** The memory of the directories that an agent works in now, below the root of its checkout. */
  async takeMemory(
    { agentId, directory, mayRead }: Pick<ToolContext, 'agentId' | 'directory' | 'mayRead'>,
    worked: readonly string[],
  ): Promise<string[]> {
    if (!this.directories || !this.takesMemory(agentId)) return [];
    const texts: string[] = [];
    for (const place of new Set(worked))
      for (const file of await this.directories.find(place, directory.root))
        if (mayRead(file.path))
          texts.push(...this.#giveOnce(agentId, { file: file.path, text: renderMemoryFile(file) }));
    return texts;
  }

  #giveOnce(agentId: string | null, { file, text }: Pick<PathNote, 'file' | 'text'>): string[] {
    const given = this.#given.get(agentId) ?? { notes: new Set(), characters: 0 };
    this.#given.set(agentId, given);
    const key = `${file}\n${text}`;
    if (given.notes.has(key)) return [];
    given.notes.add(key);
    const isTooMuch = text.length > maxNoteSize || given.characters + text.length > maxCharacters;
    given.characters += isTooMuch ? 0 : text.length;
    return [isTooMuch ? `[Notes for files like this one are in ${file}.]` : text];
  }
}

interface Given {
  notes: Set<string>;
  characters: number;
}

/** The same tool, with notes about the files it touches and the directories it works in added to its results. */
export function withPathNotes(tool: Tool, notes: PathNotes): Tool {
  if (!noted.has(tool.name)) return tool;
  const isShell = tool.name === 'Bash';
  return {
    ...tool,
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      // A command may name any files; where it leaves the agent is where the agent works.
      const touched = isShell ? [] : tool.access(input, context.directory.current);
      const result = yield* tool.run(input, context);
      if (result.isError) return result;
      const paths = touched.flatMap((access) => ('path' in access ? [access.path] : []));
      const worked = isShell ? [context.directory.current] : paths.map((path) => dirname(path));
      const texts = [...(await notes.takeMemory(context, worked)), ...notes.take(context.agentId, paths)];
      if (texts.length === 0) return result;
      const note = `\n${introduction}\n\n${texts.join('\n\n')}`;
      return { ...result, notes: [...(result.notes ?? []), note] };
    },
  };
}

const introduction =
  'These notes are not part of the file. They are for work on files like this one. As with all memory, follow them ' +
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
