import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { Git } from './repository.ts';
import { countCommits, nameFiles } from './words.ts';

/** A submodule of the checkout, and the same one in a new worktree, which was cloned from it. */
export interface SubmodulePair {
  /** Git in the checkout's own copy. */
  original: Git;
  /** Git's data of that copy. */
  source: string;
  inside: Git;
}

/**
 * Gives a submodule the remotes of the one it was cloned from, with their branches as last fetched. The clone took the
 * user's local branches for those of the remote; none of them stays.
 */
export async function carryRemotes(pair: SubmodulePair): Promise<Result<void>> {
  const { inside } = pair;
  const listed = await pair.original(['for-each-ref', `--format=${refFormat}`, 'refs/remotes']);
  if (!listed.ok) return listed;
  const made = await inside(['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes']);
  if (!made.ok) return made;
  // In two steps: a new name may be below an old one.
  const dropped = await updateRefs(
    inside,
    splitLines(made.value).map((ref) => `delete ${ref}`),
  );
  if (!dropped.ok) return dropped;
  const refs = splitLines(listed.value).map((line) => line.split(' '));
  const creates = refs.flatMap(([ref, id, leadsTo]) => (leadsTo ? [] : [`create ${ref} ${id}`]));
  const created = await updateRefs(inside, creates);
  // Of a shallow repository the clone has only what the local branches lead to.
  const carried = created.ok ? created : await fetchRemotes(pair);
  if (!carried.ok) return carried;
  for (const [ref = '', , leadsTo] of refs)
    if (leadsTo) {
      const set = await inside(['symbolic-ref', ref, leadsTo]);
      if (!set.ok) return set;
    }
  return carryAddresses(pair);
}

const refFormat = '%(refname) %(objectname) %(symref)';

async function updateRefs(inside: Git, lines: readonly string[]): Promise<Result<string>> {
  if (lines.length === 0) return ok('');
  return inside(['update-ref', '--no-deref', '--stdin'], { input: `${lines.join('\n')}\n` });
}

async function fetchRemotes({ inside, source }: SubmodulePair): Promise<Result<string>> {
  const only = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--update-shallow',
  ];
  const refs = ['+refs/remotes/*:refs/remotes/*', '^refs/remotes/*/HEAD'];
  return inside(['fetch', ...only, source, ...refs], { transports: 'disk' });
}

/** Addresses and what is fetched from them; no programs, which a remote can name as well. */
async function carryAddresses({ inside, source }: SubmodulePair): Promise<Result<void>> {
  const names = await inside(['config', '--local', '--null', '--name-only', '--list']);
  if (!names.ok) return names;
  const sections = names.value
    .split('\0')
    .flatMap((name) => (/^(?:remote|branch)\../s.test(name) ? [name.slice(0, name.lastIndexOf('.'))] : []));
  for (const section of new Set(sections)) {
    const removed = await inside(['config', '--local', '--remove-section', section]);
    if (!removed.ok) return removed;
  }
  const wanted = '^remote\\..*\\.(url|pushurl|fetch)$';
  const listed = await inside(
    ['config', '--file', join(source, 'config'), '--null', '--get-regexp', wanted],
    {
      alsoGood: [1],
    },
  );
  if (!listed.ok) return listed;
  for (const entry of listed.value.split('\0').filter((text) => text.includes('\n'))) {
    const at = entry.indexOf('\n');
    const added = await inside(['config', '--local', '--add', '--', entry.slice(0, at), entry.slice(at + 1)]);
    if (!added.ok) return added;
  }
  return ok(undefined);
}

/** The commits that a new submodule is at, or has tags of, and that no branch of a remote leads to. */
export async function listStartTips(inside: Git): Promise<Result<string[]>> {
  const tips = await inside(['rev-list', '--no-walk=unsorted', 'HEAD', '--tags']);
  if (!tips.ok) return tips;
  const beyond = await inside(['rev-list', 'HEAD', '--tags', '--not', '--remotes']);
  if (!beyond.ok) return beyond;
  const own = new Set(splitLines(beyond.value));
  return ok([...new Set(splitLines(tips.value).filter((tip) => own.has(tip)))]);
}

/**
 * Why commits in a submodule would be lost, or recorded where nobody else could get them. `start`: what it had when its
 * worktree was made, which is nobody's work there.
 */
export async function describeUnpushed(
  git: Git,
  name: string,
  start: readonly string[],
): Promise<Result<string[]>> {
  const withoutTags = ['HEAD', '--exclude=refs/tags/*', '--all'];
  const isKnown = { input: start.map((tip) => `^${tip}\n`).join('') };
  const beyond = ['--not', '--remotes', '--stdin', '--ignore-missing'];
  const ahead = await git(['rev-list', '--count', ...withoutTags, ...beyond], isKnown);
  if (!ahead.ok) return ahead;
  const count = Number(ahead.value);
  if (count > 0)
    return ok([
      `${name} holds ${countCommits(count)} that no remote has, as last fetched: push ${count === 1 ? 'it' : 'them'}`,
    ]);
  const tagged = await git(['rev-list', '--tags', ...beyond], isKnown);
  if (!tagged.ok || tagged.value === '') return tagged.ok ? ok([]) : tagged;
  const own = new Set(splitLines(tagged.value));
  const format = '--format=%(objectname) %(*objectname) %(refname:strip=2)';
  const tags = await git(['for-each-ref', format, 'refs/tags']);
  if (!tags.ok) return tags;
  const names = splitLines(tags.value).flatMap((line) => {
    const [id = '', leadsTo = '', tag = ''] = line.split(' ');
    return own.has(id) || own.has(leadsTo) ? [tag] : [];
  });
  const tag = names.length === 1 ? 'tag' : 'tags';
  return ok([
    `${name} has the ${tag} ${nameFiles(names)}, which ${names.length === 1 ? 'is' : 'are'} on no remote branch as last fetched: ` +
      `push the branch of the commits, or remove the ${tag} with git tag -d`,
  ]);
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
