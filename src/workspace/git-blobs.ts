import { hashGitBlob } from '../lib/hash.ts';
import { type GitOptions, git } from './git.ts';
import { findGitDirectory } from './git-directory.ts';

/** An object that is wanted, and how large it is as far as is known. */
export interface WantedBlob {
  id: string;
  size: number;
}

/** Git prints no more than that at once, so that memory stays bounded. */
const maxBatch = { objects: 500, bytes: 16 * 1024 * 1024 };

/**
 * The content of objects of a repository, by id. What is missing, or does not match its id, is left out. Git runs
 * without looking at the files of the checkout, so an object is found also when all of them are gone.
 */
export async function readBlobs(
  root: string,
  wanted: readonly WantedBlob[],
  options: Omit<GitOptions, 'cwd'>,
  take: (id: string, bytes: Uint8Array) => void,
): Promise<void> {
  const gitDirectory = findGitDirectory(root);
  if (gitDirectory === undefined) return;
  const place = { ...options, cwd: root, workTree: { gitDirectory, top: root }, bytes: true };
  for (const batch of batchesOf(wanted)) {
    if (options.signal?.aborted) return;
    await readBatch(batch, place, take);
  }
}

/** Those of some objects that git does not have, by id: all of them where it cannot say. */
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

/** One object that is larger than expected costs only itself. */
async function readBatch(
  batch: readonly WantedBlob[],
  options: GitOptions,
  take: (id: string, bytes: Uint8Array) => void,
): Promise<void> {
  const input = batch.map(({ id }) => `${id}\n`).join('');
  const read = await git(['cat-file', '--batch'], { ...options, input });
  if (read.ok) return takeObjects(Buffer.from(read.value, 'latin1'), take);
  if (batch.length === 1 || options.signal?.aborted) return;
  const half = Math.ceil(batch.length / 2);
  await readBatch(batch.slice(0, half), options, take);
  await readBatch(batch.slice(half), options, take);
}

function batchesOf(wanted: readonly WantedBlob[]): WantedBlob[][] {
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
