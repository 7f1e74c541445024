import { z } from 'zod';
import { hashBytes } from '../lib/hash.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { Git } from '../workspace/worktrees/repository.ts';
import { type Bundle, groupRows, packHistory, unpackHistory } from './bundle.ts';
import type { Engine } from './engine.ts';
import { parseQuietly } from './job.ts';
import { isSignedBy, type JobKey } from './keys.ts';

/**
 * A repository is a stream of bundles on the engine, which all its submitters add to and every worker reads: each bundle has only what
 * the ones before it lack. A worker does not trust the engine for it: each is signed.
 */
const bundleSchema = z.object({
  tip: z.string().regex(/^[0-9a-f]{40,64}$/),
  needs: z.array(z.string().regex(/^[0-9a-f]{40,64}$/)),
  hash: z.string(),
  pieces: z.number().int().positive(),
  key: z.string(),
  signature: z.string(),
});

type BundleHead = z.output<typeof bundleSchema>;

const purpose = 'cadre bundle 1\n';
const headStream = 'bundles';
const pageRows = 8;

/** Of the first commits: the same in every clone. */
export async function nameRepository(git: Git, commit: string): Promise<Result<string>> {
  const roots = await git(['rev-list', '--max-parents=0', commit, '--']);
  if (!roots.ok) return roots;
  return ok(`repository-${hashBytes(roots.value.split('\n').sort().join('\n')).slice(0, 40)}`);
}

/** Sends what the engine lacks of the history of a ref. */
export async function sendHistory(
  engine: Engine,
  key: JobKey,
  repository: string,
  { git, ref, tip }: { git: Git; ref: string; tip: string },
): Promise<Result<void>> {
  const heads = await readHeads(engine, repository);
  if (!heads.ok) return heads;
  // Only what this key sent: a worker may not trust the others.
  const own = usableHeads(heads.value, new Set([key.name]), repository).map((head) => head.tip);
  if (own.includes(tip)) {
    // It is used once more, and stays.
    const used = await engine.append(repository, []);
    return used.ok ? ok(undefined) : used;
  }
  const has: string[] = [];
  for (const one of own.slice(-50)) if ((await git(['cat-file', '-e', `${one}^{commit}`])).ok) has.push(one);
  const packed = await packHistory(git, ref, has);
  if (!packed.ok) return packed;
  return packed.value
    ? storeBundle(engine, key, repository, { tip, needs: has, ...packed.value })
    : ok(undefined);
}

async function storeBundle(
  engine: Engine,
  key: JobKey,
  repository: string,
  { tip, needs, pieces }: Bundle & { tip: string; needs: string[] },
): Promise<Result<void>> {
  const hash = hashBytes(pieces.join('\n'));
  const rows = pieces.map((body, at) => ({ stream: hash, key: `${at}`, body }));
  for (const group of groupRows(rows)) {
    const stored = await engine.append(repository, group);
    if (!stored.ok) return stored;
  }
  const signature = key.sign(purpose + JSON.stringify([repository, tip, needs, hash, pieces.length]));
  const body = JSON.stringify({ tip, needs, hash, pieces: pieces.length, key: key.name, signature });
  // Last: a head is there only if its pieces are.
  const stored = await engine.append(repository, [{ stream: headStream, key: `${key.name} ${hash}`, body }]);
  return stored.ok ? ok(undefined) : stored;
}

/** Brings a commit with its history into a repository. */
export async function receiveHistory(
  engine: Engine,
  known: ReadonlySet<string>,
  repository: string,
  { git, tip }: { git: Git; tip: string },
): Promise<Result<void>> {
  const has = async (commit: string) => (await git(['cat-file', '-e', `${commit}^{commit}`])).ok;
  if (await has(tip)) return ok(undefined);
  const heads = await readHeads(engine, repository);
  if (!heads.ok) return heads;
  for (const head of listNeeded(usableHeads(heads.value, known, repository), tip)) {
    if (await has(head.tip)) continue;
    const pieces = await readPieces(engine, repository, head);
    if (!pieces.ok) return pieces;
    const unpacked = await unpackHistory(git, pieces.value);
    if (!unpacked.ok) return unpacked;
  }
  return (await has(tip))
    ? ok(undefined)
    : failure(
        `The engine does not have the commit ${tip} of ${repository}, signed by a key that is trusted here.`,
      );
}

/** Those that lead to a commit, in the order in which they must be unpacked. */
function listNeeded(heads: readonly BundleHead[], tip: string): BundleHead[] {
  const wanted = new Set([tip]);
  const needed: BundleHead[] = [];
  for (const head of heads.toReversed())
    if (wanted.has(head.tip)) {
      needed.unshift(head);
      for (const one of head.needs) wanted.add(one);
    }
  return needed;
}

async function readHeads(engine: Engine, repository: string): Promise<Result<BundleHead[]>> {
  const heads: BundleHead[] = [];
  for (let after = 0; ; ) {
    const rows = await engine.read(repository, headStream, after, 100);
    if (!rows.ok) return rows;
    for (const { body } of rows.value) {
      const head = bundleSchema.safeParse(parseQuietly(body));
      if (head.success) heads.push(head.data);
    }
    const last = rows.value.at(-1);
    if (!last) return ok(heads);
    after = last.seq;
  }
}

/** Signed by a known key, for this repository. */
function usableHeads(
  heads: readonly BundleHead[],
  known: ReadonlySet<string>,
  repository: string,
): BundleHead[] {
  return heads.filter(({ tip, needs, hash, pieces, key, signature }) => {
    const text = purpose + JSON.stringify([repository, tip, needs, hash, pieces]);
    return known.has(key) && isSignedBy(key, text, signature);
  });
}

async function readPieces(engine: Engine, repository: string, head: BundleHead): Promise<Result<string[]>> {
  const pieces: string[] = [];
  while (pieces.length < head.pieces) {
    const rows = await engine.read(repository, head.hash, pieces.length, pageRows);
    if (!rows.ok) return rows;
    if (rows.value.length === 0) break;
    pieces.push(...rows.value.map(({ body }) => body));
  }
  return hashBytes(pieces.join('\n')) === head.hash
    ? ok(pieces)
    : failure(`A bundle of ${repository} is damaged on the engine: its content does not match its hash.`);
}
