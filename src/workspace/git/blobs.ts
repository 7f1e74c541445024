import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { hashGitBlob } from '../../lib/hash.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';
import { isWithin } from '../paths.ts';
import { findGitDirectory } from './directory.ts';
import { type GitOptions, git } from './git.ts';
import { findGitData } from './objects.ts';
import { findObstacles } from './obstacles.ts';

/** A wanted object, and its size if known. */
export interface WantedBlob {
  id: string;
  size: number;
}

/** Limit of git's output at once, so that memory stays bounded. */
const maxBatch = { objects: 500, bytes: 16 * 1024 * 1024 };

/** How long a rewind waits for git. */
const maxReadMs = 60_000;

interface Reading extends GitOptions {
  /** On the monotonic clock. */
  until: number;
  take(id: string, bytes: Uint8Array): void;
}

/**
 * The content of objects of a repository, by id. Objects that are missing, or do not match their id, are left out. Git gets
 * an empty repository in `place`, beside the objects of this one: its head, references, index and settings may be broken, and
 * the files of the checkout missing. `kept` has objects that the repository itself may have lost. Returns why git could not list its objects; undefined where it did.
 */
export async function readBlobs(
  root: string,
  wanted: readonly WantedBlob[],
  { place, kept, ...options }: Omit<GitOptions, 'cwd'> & { place: string; kept?: string },
  take: (id: string, bytes: Uint8Array) => void,
): Promise<string | undefined> {
  if (wanted.length === 0) return undefined;
  const found = findStores(root, kept);
  if (!found.ok) return found.problem.message;
  const [own, shared] = found.value;
  if (own === undefined) return undefined;
  const bare = makeEmptyRepository(place, wanted[0]?.id.length === 64);
  if (!bare.ok) return bare.problem.message;
  const reading: Reading = {
    ...{ ...options, cwd: root, workTree: { gitDirectory: bare.value, top: root }, bytes: true, take },
    ...{
      objects: { own, ...(shared === undefined ? {} : { shared }) },
      until: systemClock.monotonic() + maxReadMs,
    },
  };
  try {
    for (const batch of groupBatches(wanted)) {
      if (options.signal?.aborted) return undefined;
      if (!(await readBatch(batch, reading))) return 'it took too long';
    }
    return undefined;
  } finally {
    rmSync(bare.value, { recursive: true, force: true });
  }
}

/** Where the objects are: in the repository, unless something there would stop git, and beside it. */
function findStores(root: string, kept: string | undefined): Result<string[]> {
  const beside = kept !== undefined && statEntry(kept)?.isDirectory() ? [kept] : [];
  const data = findGitData(root);
  const objects = data && join(data.shared, 'objects');
  if (!data || objects === undefined || !statEntry(objects)?.isDirectory()) return ok(beside);
  const obstacle = findObstacles(data).find(({ path }) => isWithin(path, objects));
  // The kept ones first: git gives up at an object that is damaged, although another place has it.
  if (!obstacle) return ok([...beside, objects]);
  return beside.length > 0 ? ok(beside) : failure(`${obstacle.path} is ${obstacle.what}`);
}

/** The objects that git does not have, by id: all of them where it cannot say. */
export async function findMissingBlobs(
  root: string,
  ids: readonly string[],
  options: Omit<GitOptions, 'cwd'>,
): Promise<ReadonlySet<string>> {
  const missing = new Set(ids);
  const gitDirectory = findGitDirectory(root);
  if (gitDirectory === undefined) return missing;
  const place = { ...options, cwd: root, workTree: { gitDirectory, top: root } };
  const input = ids.map((id) => `${id}\n`).join('');
  const checked =
    ids.length === 0 ? undefined : await git(['cat-file', '--batch-check'], { ...place, input });
  for (const line of checked?.ok ? checked.value.split('\n') : []) {
    const [id = '', kind] = line.split(' ');
    if (kind === 'blob') missing.delete(id);
  }
  return missing;
}

/** The minimum that git accepts as a repository. */
export function makeEmptyRepository(place: string, hasLongIds: boolean): Result<string> {
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const directory = mkdtempSync(join(place, 'git-'));
    mkdirSync(join(directory, 'refs'));
    mkdirSync(join(directory, 'objects'));
    writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
    const format = hasLongIds ? '1\n[extensions]\n\tobjectFormat = sha256' : '0';
    writeFileSync(join(directory, 'config'), `[core]\n\trepositoryFormatVersion = ${format}\n`);
    return ok(directory);
  } catch (error) {
    return fail(describeFileError(error, place, 'write'));
  }
}

/** One object that is larger than expected, or damaged, affects only itself. False when the time is over. */
async function readBatch(batch: readonly WantedBlob[], reading: Reading): Promise<boolean> {
  const { until, take, ...options } = reading;
  const timeoutMs = until - systemClock.monotonic();
  if (timeoutMs <= 0) return false;
  const input = batch.map(({ id }) => `${id}\n`).join('');
  const read = await git(['cat-file', '--batch'], { ...options, timeoutMs, input });
  if (read.ok) takeObjects(Buffer.from(read.value, 'latin1'), take);
  if (read.ok || batch.length === 1 || options.signal?.aborted) return true;
  const half = Math.ceil(batch.length / 2);
  return (await readBatch(batch.slice(0, half), reading)) && (await readBatch(batch.slice(half), reading));
}

function groupBatches(wanted: readonly WantedBlob[]): WantedBlob[][] {
  const batches: WantedBlob[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const blob of wanted) {
    const last = batches.at(-1);
    if (!last || last.length >= maxBatch.objects || bytes + blob.size > maxBatch.bytes) {
      batches.push([blob]);
      bytes = blob.size;
    } else {
      last.push(blob);
      bytes += blob.size;
    }
  }
  return batches;
}

/** Each is a line `<id> blob <size>`, its bytes and a newline; a missing one is a line alone. */
function takeObjects(output: Buffer, take: (id: string, bytes: Uint8Array) => void): void {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end < 0) return;
    const [id = '', kind, size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    const bytes = output.subarray(at, at + Number(size));
    // A command may have put another object in its place.
    if (kind === 'blob' && hashGitBlob(bytes) === id) take(id, bytes);
    at += Number(size) + 1;
  }
}
