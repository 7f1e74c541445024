import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { linkAbort } from '../lib/abort.ts';
import { descriptorPath } from '../lib/real-places.ts';
import type { ToolContext } from '../protocol/tool.ts';
import { type SearchEnd, search } from './ripgrep-run.ts';
import type { HeldHit, SearchHits } from './search-hits.ts';
import type { SearchPlace } from './search-paths.ts';

export interface SearchOptions {
  program: string;
  place: SearchPlace;
  context: ToolContext;
  /** What is looked for. */
  pattern: readonly string[];
  /** Which files are looked at. */
  filters: readonly string[];
  /** What is printed of each. */
  output: readonly string[];
  separator: '\n' | '\0';
  /** `time`: when the file was last changed. `rest`: what stands behind the name. False: nothing more is wanted. */
  take(hit: { path: string; time: number } | undefined, rest: string): boolean;
}

/** A new line in a file's name would make its lines look like another file's, which may be one that is shown. */
export const everywhere = ['--hidden', '--no-require-git', '--glob=!.git', '--glob=!*\n*'];

/** How many files one ripgrep is given; each is an open descriptor, of which systems may allow only 256. */
const batchSize = 128;
const firstDescriptor = 3;

/**
 * A search in two steps. The first finds names of files that seem to match, and is not believed: a process that swaps
 * links meanwhile can lead it anywhere. In the second each of them is judged and held, and ripgrep gets the descriptors:
 * every line, count and name that is given to `take` comes from a file that was judged.
 */
export async function searchHeld(options: SearchOptions, hits: SearchHits): Promise<SearchEnd> {
  const { place } = options;
  if (place.file) return await searchBatch(options, hits, [place.file.name]);
  const found = new FoundNames();
  const enough = new AbortController();
  const unlink = linkAbort(options.context.signal, enough);
  const first = listNames(options, enough.signal, (path) => found.add(path)).finally(() => found.end());
  let second: SearchEnd = { isStopped: false, isFailure: false, complaints: [] };
  for (;;) {
    const batch = await found.next(batchSize);
    if (batch.length === 0) break;
    const end = await searchBatch(options, hits, batch);
    second = { ...end, complaints: [...second.complaints, ...end.complaints] };
    if (end.isStopped || end.isFailure) {
      enough.abort();
      break;
    }
  }
  const listed = await first;
  unlink();
  if (second.isStopped || second.isFailure) return second;
  if (listed.isFailure) return listed;
  const closed = listed.complaints.slice(0, mostComplaints).map((path) => path.replace(/^\.\//, ''));
  return { ...second, complaints: [...closed.filter((path) => hits.isClosed(path)), ...second.complaints] };
}

const mostComplaints = 20;

/** In order only where the output is: that takes one thread. */
function listNames(
  { program, place, context, pattern, filters, separator }: SearchOptions,
  signal: AbortSignal,
  add: (path: string) => void,
): Promise<SearchEnd> {
  const order = separator === '\n' ? ['--sort=path'] : [];
  const args = [
    ...everywhere,
    ...filters,
    '--files-with-matches',
    '--null',
    ...order,
    ...pattern,
    '--',
    './',
  ];
  return search(program, args, {
    ...{ cwd: place.real, separator: '\0', context, signal },
    take(path) {
      add(path.replace(/^\.\//, ''));
      return true;
    },
  });
}

async function searchBatch(
  options: SearchOptions,
  hits: SearchHits,
  paths: readonly string[],
): Promise<SearchEnd> {
  // Neighbours share the directories that are held for them.
  const ordered = options.separator === '\0' ? [...paths].sort() : paths;
  const held = ordered.flatMap((path) => hits.hold(path) ?? []);
  try {
    return held.length === 0
      ? { isStopped: false, isFailure: false, complaints: [] }
      : await searchFiles(options, held);
  } finally {
    for (const { descriptor } of held) closeSync(descriptor);
  }
}

/** With one thread files come in the order in which they are given. No map of a file, which may shrink meanwhile. */
async function searchFiles(options: SearchOptions, held: readonly HeldHit[]): Promise<SearchEnd> {
  const names = new Map(held.map((hit, index) => [nameFor(options.place, hit, index), hit]));
  const threads = options.separator === '\n' ? ['--threads=1'] : [];
  const args = [...threads, '--no-mmap', '--with-filename', '--null', ...options.output, ...options.pattern];
  const end = await search(options.program, [...args, '--', ...names.keys()], {
    ...{ cwd: options.place.real, separator: options.separator, context: options.context },
    descriptors: held.map(({ descriptor }) => descriptor),
    take(part) {
      const { name, rest } = options.separator === '\0' ? { name: part, rest: '' } : splitName(part);
      const hit = names.get(name ?? '');
      if (name !== undefined && !hit) return true;
      return options.take(hit && { path: hit.path, time: hit.stat.mtimeMs }, rest);
    },
  });
  return { ...end, complaints: end.complaints.flatMap((name) => names.get(name)?.path ?? []) };
}

/** Where there is no `/proc`, files have only their names. */
function nameFor({ real, file }: SearchPlace, { path }: HeldHit, index: number): string {
  return process.platform === 'linux'
    ? descriptorPath(firstDescriptor + index)
    : (file?.real ?? join(real, path));
}

/**
 * A NUL ends the name of a file; the marks between groups of lines have none. A file that turns out not to be text has a
 * remark in place of lines.
 */
function splitName(part: string): { name?: string; rest: string } {
  const end = part.indexOf('\0');
  if (end !== -1) return { name: part.slice(0, end), rest: part.slice(end + 1) };
  const [, name, rest] = /^(\/.*?): ((?:binary file matches|WARNING: stopped).*)$/s.exec(part) ?? [];
  return name === undefined || rest === undefined ? { rest: part } : { name, rest };
}

/** Names on their way from the first step to the second. */
class FoundNames {
  readonly #names: string[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  add(path: string): void {
    this.#names.push(path);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** As many as asked for, and fewer only at the end. */
  async next(count: number): Promise<string[]> {
    while (!this.#isEnded && this.#names.length < count)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#names.splice(0, count);
  }
}
