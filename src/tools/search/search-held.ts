import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linkAbort } from '../../lib/abort.ts';
import { descriptorPath } from '../../lib/files/real-places.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { type SearchEnd, search } from './ripgrep-run.ts';
import type { HeldHit, SearchHits } from './search-hits.ts';
import { type FoundNames, maxAtOnce, NamesInOrder, NewestNames } from './search-names.ts';
import type { SearchPlace } from './search-paths.ts';

export interface SearchOptions {
  program: string;
  place: SearchPlace;
  context: ToolContext;
  /** The pattern. */
  pattern: readonly string[];
  /** The files to search. */
  filters: readonly string[];
  /** The output format. */
  output: readonly string[];
  separator: '\n' | '\0';
  /** Which files come first. `newest` applies within batches only. */
  order: 'path' | 'newest';
  /** The number of files that surely give enough results. */
  enough: number;
  /** The number of files searched at first; batches grow if that is not enough. */
  fewest: number;
  /** `time`: the file's modification time. `rest`: the text after the name. False: no more is wanted. */
  take(hit: { path: string; time: number } | undefined, rest: string): boolean;
}

/** A newline in a file's name would make its lines look like another file's, possibly one that may be shown. */
export const everywhere = ['--hidden', '--no-require-git', '--glob=!.git', '--glob=!*\n*'];

const firstDescriptor = 3;

/**
 * A search in two steps. The first finds names of files that seem to match, and is not trusted: a process that swaps
 * links meanwhile can lead it anywhere. In the second each of them is judged and held, and ripgrep gets the descriptors:
 * every line, count and name passed to `take` comes from a file that was judged.
 */
export async function searchHeld(options: SearchOptions, hits: SearchHits): Promise<SearchEnd> {
  const end = await searchTwice(options, hits);
  return hits.isCrowded ? { ...end, isFailure: true, problem: crowded } : end;
}

const crowded =
  'Some files were not searched: this process has too many files open. Search again, or narrow the search.';

async function searchTwice(options: SearchOptions, hits: SearchHits): Promise<SearchEnd> {
  const { place } = options;
  if (place.file) return await searchFile(options, hits, place.file.name);
  const enough = new AbortController();
  const unlink = linkAbort(options.context.signal, enough);
  const found = options.order === 'newest' ? new NewestNames(hits) : new NamesInOrder(options.context.clock);
  const listing = new AbortController();
  linkAbort(enough.signal, listing);
  let isCut = false;
  const first = listNames(options, listing.signal, (path) => found.add(path)).finally(() => found.end());
  const stopListing = () => {
    isCut = true;
    listing.abort();
  };
  const steps = { found, enough: enough.signal, stopListing };
  const second = await searchBatches(untilEnough(options, enough), hits, steps);
  if (second.isFailure) enough.abort();
  const listed = await first;
  unlink();
  if (second.isStopped || second.isFailure) return second;
  if (isCut && !enough.signal.aborted) return { ...second, isStopped: true };
  if (listed.isFailure) return listed;
  if (listed.isStopped && !enough.signal.aborted && !isCut)
    return {
      ...second,
      isFailure: true,
      problem: `Only the first ${maxNames} matching files were searched. Narrow the search.`,
    };
  const closed = listed.complaints.slice(0, maxComplaints).map((path) => path.replace(/^\.\//, ''));
  return { ...second, complaints: [...closed.filter((path) => hits.isClosed(path)), ...second.complaints] };
}

/** The first step is done as soon as the second has enough, and both stop at once. */
function untilEnough(options: SearchOptions, enough: AbortController): SearchOptions {
  const take: SearchOptions['take'] = (hit, rest) => {
    const isWanted = options.take(hit, rest);
    if (!isWanted) enough.abort();
    return isWanted;
  };
  return { ...options, take };
}

async function searchFile(options: SearchOptions, hits: SearchHits, name: string): Promise<SearchEnd> {
  const held = hits.hold(name);
  if (held) return await searchBatch(options, [held]);
  const problem = `${name} no longer exists, is not a regular file, or may not be shown.`;
  return { isStopped: false, isFailure: true, problem, complaints: [] };
}

const maxComplaints = 20;
/** For the first step. Files beyond it are ignored. */
const maxNames = 10_000;

interface Steps {
  found: FoundNames;
  /** No more is wanted. */
  enough: AbortSignal;
  /** The current names are enough. */
  stopListing(): void;
}

/** While ripgrep searches the files of one batch, those of the next are opened, unless they are unlikely to be needed. */
async function searchBatches(
  options: SearchOptions,
  hits: SearchHits,
  { found, enough, stopListing }: Steps,
): Promise<SearchEnd> {
  const complaints: string[] = [];
  let running = Promise.resolve(nothingFound);
  let count = 0;
  for (let size = options.fewest; ; size = Math.min(size * 4, maxAtOnce)) {
    if (count >= options.enough) await running;
    const batch = await found.next(size);
    const held = await holdAll(batch, hits, enough);
    count += held.length;
    if (count >= options.enough && !found.isEnded) stopListing();
    const end = await running;
    complaints.push(...end.complaints);
    if (batch.length === 0 || end.isStopped || end.isFailure) {
      closeAll(held);
      return { ...end, complaints };
    }
    running = searchBatch(options, held);
  }
}

const nothingFound: SearchEnd = { isStopped: false, isFailure: false, complaints: [] };
/** This many are opened before checking whether more are wanted. */
const heldAtATime = 32;

async function holdAll(paths: readonly string[], hits: SearchHits, enough: AbortSignal): Promise<HeldHit[]> {
  const held: HeldHit[] = [];
  for (const [index, path] of paths.entries()) {
    if (index % heldAtATime === heldAtATime - 1) await new Promise((resolve) => setImmediate(resolve));
    if (enough.aborted) break;
    const hit = hits.hold(path);
    if (hit) held.push(hit);
  }
  return held;
}

function closeAll(held: readonly HeldHit[]): void {
  for (const { descriptor } of held) closeSync(descriptor);
}

/** One name per line, since a line is passed on at once; no name contains a newline. Sorting by path takes one thread. */
function listNames(
  { program, place, context, pattern, filters, order }: SearchOptions,
  signal: AbortSignal,
  add: (path: string) => number,
): Promise<SearchEnd> {
  const how = order === 'path' ? ['--sort=path', '--line-buffered'] : [];
  const args = [...everywhere, ...filters, '--files-with-matches', ...how, ...pattern, '--', './'];
  return search(program, args, {
    ...{ cwd: place.real, separator: '\n', context, signal },
    take: (path) => add(path.replace(/^\.\//, '')) < maxNames,
  });
}

async function searchBatch(options: SearchOptions, held: readonly HeldHit[]): Promise<SearchEnd> {
  try {
    return held.length === 0 ? nothingFound : await searchFiles(options, held);
  } finally {
    closeAll(held);
  }
}

/** No memory map of a file, which may shrink meanwhile. Ignore files were already applied. */
async function searchFiles(options: SearchOptions, held: readonly HeldHit[]): Promise<SearchEnd> {
  const names = new Map(held.map((hit, index) => [formatHitName(options.place, hit, index), hit]));
  const inOrder = isSorted(options) ? takeInOrder(options.take, held) : undefined;
  const take = inOrder?.take ?? options.take;
  const threads = options.order === 'path' && !inOrder ? ['--threads=1'] : [];
  const how = [...threads, '--no-mmap', '--no-ignore', '--with-filename', '--null'];
  const args = [...how, ...options.output, ...options.pattern, '--', ...names.keys()];
  const end = await search(options.program, args, {
    ...{ cwd: chooseDirectory(options.place), separator: options.separator, context: options.context },
    descriptors: held.map(({ descriptor }) => descriptor),
    take(part) {
      const { name, rest } = options.separator === '\0' ? { name: part, rest: '' } : splitName(part);
      const hit = names.get(name ?? '');
      if (name !== undefined && !hit) return true;
      return take(hit && { path: hit.path, time: hit.stat.mtimeMs }, rest);
    },
  });
  const isStopped = end.isStopped || (!end.isFailure && inOrder?.give() === false);
  return { ...end, isStopped, complaints: end.complaints.flatMap((name) => names.get(name)?.path ?? []) };
}

/** With one thread, files come in the given order. One line of each is sorted faster than that. */
function isSorted({ order, output }: SearchOptions): boolean {
  return order === 'path' && output.includes('--count');
}

/** Keeps a line of each file until `give`, which passes them on in file order, and returns false at the end. */
function takeInOrder(take: SearchOptions['take'], held: readonly HeldHit[]) {
  const lines = new Map<string, { hit: { path: string; time: number }; rest: string }>();
  return {
    take(hit: { path: string; time: number } | undefined, rest: string): boolean {
      if (hit) lines.set(hit.path, { hit, rest });
      return true;
    },
    give: () =>
      held.every(({ path }) => {
        const line = lines.get(path);
        return !line || take(line.hit, line.rest);
      }),
  };
}

/** The directory of a process's own descriptors: the kernel resolves them fastest from there. */
function chooseDirectory({ real }: SearchPlace): string {
  return process.platform === 'linux' ? dirname(descriptorPath(firstDescriptor)) : real;
}

/** Without `/proc`, files have only their names. */
function formatHitName({ real, file }: SearchPlace, { path }: HeldHit, index: number): string {
  return process.platform === 'linux' ? `./${firstDescriptor + index}` : (file?.real ?? join(real, path));
}

/**
 * A NUL ends the name of a file; separators between groups of lines have none. A file that turns out not to be text has a
 * remark in place of lines.
 */
function splitName(part: string): { name?: string; rest: string } {
  const end = part.indexOf('\0');
  if (end !== -1) return { name: part.slice(0, end), rest: part.slice(end + 1) };
  const [, name, rest] = /^(\.?\/.*?): ((?:binary file matches|WARNING: stopped).*)$/s.exec(part) ?? [];
  return name === undefined || rest === undefined ? { rest: part } : { name, rest };
}
