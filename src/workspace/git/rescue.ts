import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { makeEmptyRepository } from './blobs.ts';
import { type GitOptions, git } from './git.ts';
import { addPacks, type KeptObjects } from './kept-objects.ts';
import type { MissingObjects } from './store.ts';

interface Options extends Pick<GitOptions, 'env' | 'signal' | 'timeoutMs'> {
  /** A directory of ours for what git needs meanwhile. */
  scratch: string;
}

/** Where more objects are in files that disappeared, git is not asked about them: the files stay kept. */
const maxAsked = 500_000;

/** How long a rewind waits for git. */
const maxBringMs = 60_000;

/** The files of objects that disappeared, as they are named in a directory of objects. */
function nameFiles({ ids, packs }: MissingObjects): string[] {
  return [...ids.map((id) => `${id.slice(0, 2)}/${id.slice(2)}`), ...packs.map((name) => `pack/${name}`)];
}

/**
 * After git packed or pruned objects: those that it no longer has are put into one pack of their own, and all else about the
 * files that disappeared is given up, so that it takes no space.
 */
export async function rescueObjects(
  root: string,
  objects: string,
  missing: MissingObjects,
  kept: KeptObjects,
  options: Options,
): Promise<void> {
  const names = nameFiles(missing).filter((name) => kept.has(name));
  const ids = listIds(names, kept.place);
  if (names.length === 0) return;
  const gone = ids && (await findAbsent(root, objects, ids, options));
  if (gone?.length === 0) return kept.release(names);
  const made = gone && (await packKept(root, gone, kept.place, options));
  if (!made) return kept.need(names);
  kept.release(names);
  kept.need(made);
}

/** Of these objects those that a repository does not have, but its kept ones do: brought back. Returns what nobody has. */
export async function bringObjects(
  root: string,
  objects: string,
  ids: readonly string[],
  { place, isPreview, ...options }: Options & { place: string; isPreview: boolean },
): Promise<ReadonlySet<string>> {
  const absent = await findAbsent(root, objects, ids, options);
  if (absent?.length === 0) return new Set();
  const wanted = absent ?? ids;
  if (!statEntry(place)) return new Set(wanted);
  const lost = new Set(await findAbsent(root, place, wanted, options));
  const found = wanted.filter((id) => !lost.has(id));
  if (isPreview || found.length === 0) return lost;
  const isDone = await inEmptyRepository(options, ids[0], async (bare) => {
    const out = mkdtempSync(join(bare, 'out-'));
    const packed = await git(['pack-objects', '-q', '--revs', join(out, 'pack')], {
      ...inside(root, bare, options),
      ...{ objects: { own: objects, shared: place }, timeoutMs: maxBringMs },
      input: `${[...found, ...(await listTips(root, objects, options))].join('\n')}\n`,
    });
    return packed.ok && addPacks(out, objects);
  });
  return isDone ? lost : new Set(wanted);
}

/** What the present references need is there already. */
async function listTips(root: string, objects: string, options: Options): Promise<string[]> {
  const listed = await git(['for-each-ref', '--format=%(objectname)'], { env: options.env, cwd: root });
  const ids = listed.ok ? [...new Set(listed.value.split('\n').filter((id) => id !== ''))] : [];
  const absent = new Set(await findAbsent(root, objects, ids, options));
  return ids.filter((id) => !absent.has(id)).map((id) => `^${id}`);
}

/** The objects that are not in a directory of objects; undefined where git cannot say. */
async function findAbsent(
  root: string,
  objects: string,
  ids: readonly string[],
  options: Options,
): Promise<string[] | undefined> {
  if (ids.length === 0) return [];
  const asked = await inEmptyRepository(options, ids[0], (bare) =>
    // The type is in the object itself: one that was emptied is there by its name alone.
    git(['cat-file', '--batch-check=%(objecttype)'], {
      ...inside(root, bare, options),
      ...{ objects: { own: objects }, input: `${ids.join('\n')}\n` },
    }),
  );
  if (!asked?.ok) return undefined;
  return asked.value.split('\n').flatMap((line) => (line.endsWith(' missing') ? [line.slice(0, -8)] : []));
}

/** Returns the names of the files; undefined where that failed. */
async function packKept(
  root: string,
  ids: readonly string[],
  place: string,
  options: Options,
): Promise<string[] | undefined> {
  mkdirSync(join(place, 'pack'), { recursive: true, mode: 0o700 });
  const packed = await inEmptyRepository(options, ids[0], (bare) =>
    git(['pack-objects', '-q', join(place, 'pack', 'pack')], {
      ...inside(root, bare, options),
      ...{ objects: { own: place }, input: `${ids.join('\n')}\n` },
    }),
  );
  if (!packed?.ok) return undefined;
  const hashes = packed.value.split('\n').filter((line) => line !== '');
  return listNames(join(place, 'pack'))
    .filter((name) => hashes.some((hash) => name.startsWith(`pack-${hash}.`)))
    .map((name) => `pack/${name}`);
}

/** The ids of objects in these files, from the indexes of packs; undefined where there are too many, or one cannot be read. */
function listIds(names: readonly string[], place: string): string[] | undefined {
  const ids: string[] = [];
  for (const name of names) {
    if (!name.startsWith('pack/')) ids.push(name.replace('/', ''));
    else if (name.endsWith('.idx')) {
      const own = readPackIndex(join(place, name));
      if (!own || ids.length + own.length > maxAsked) return undefined;
      for (const id of own) ids.push(id);
    }
  }
  return [...new Set(ids)];
}

/** Version 2: a header, 256 counts, then the ids in order. */
function readPackIndex(path: string): string[] | undefined {
  const read = readBounded(path, maxIndex, { refusesLinks: true });
  if (read.state !== 'read' || read.bytes.length < 1032) return undefined;
  const { bytes } = read;
  if (bytes.readUInt32BE(0) !== 0xff744f63 || bytes.readUInt32BE(4) !== 2) return undefined;
  const count = bytes.readUInt32BE(8 + 255 * 4);
  const length = /-[0-9a-f]{64}\.idx$/.test(path) ? 32 : 20;
  if (count > maxAsked || bytes.length < 1032 + count * length) return undefined;
  return Array.from({ length: count }, (_, at) =>
    bytes.toString('hex', 1032 + at * length, 1032 + (at + 1) * length),
  );
}

const maxIndex = 64 * 1024 * 1024;

/** References, settings and filters of the real one may be anything. */
async function inEmptyRepository<T>(
  { scratch }: Options,
  id: string | undefined,
  act: (bare: string) => Promise<T>,
): Promise<T | undefined> {
  const bare = makeEmptyRepository(scratch, id?.length === 64);
  if (!bare.ok) return undefined;
  try {
    return await act(bare.value);
  } finally {
    rmSync(bare.value, { recursive: true, force: true });
  }
}

function inside(root: string, bare: string, { scratch: _, ...options }: Options): GitOptions {
  return { ...options, cwd: root, workTree: { gitDirectory: bare, top: root } };
}
