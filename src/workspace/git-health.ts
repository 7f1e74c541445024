import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { escapeHarnessTags } from '../lib/harness-tags.ts';
import { visibleLine } from '../lib/text.ts';
import { type GitOptions, git } from './git.ts';
import { findGitData, type GitData } from './git-objects.ts';
import {
  branchIn,
  commitIn,
  findEmptied,
  findPacked,
  putReferenceBack,
  type References,
  readReferences,
} from './git-references.ts';
import { GitStore, type MissingObjects } from './git-store.ts';

/** What a command did to git's own data. */
export interface GitDamage {
  /** In sentences. */
  said: string[];
  /** Repositories that lost objects: content that only git had is lost too. */
  lost: string[];
}

interface Repository extends GitData {
  store: GitStore;
  references: References;
  /** Where the current branch led. */
  commit: string | undefined;
}

/** A history that takes longer to walk is not checked as a whole. */
const maxWalkMs = 5_000;
const maxAsked = 20_000;

/**
 * Notices when a command leaves a repository that git can no longer read. A command may commit, so that it may write in
 * git's own directory; what is gone from there nobody can bring back, but the user must know.
 */
export class GitHealth {
  readonly #repositories = new Map<string, Repository>();

  /** Before a command: how the repositories with these tops are. */
  look(roots: Iterable<string>): void {
    for (const root of roots) {
      const data = findGitData(root);
      // A newer way to keep references, which is not read here.
      if (!data || entryAt(join(data.shared, 'reftable'))) continue;
      const known = this.#repositories.get(root);
      // Those that went between two commands are found with those of the next: git is asked about them anyway.
      const store = known?.store ?? openStore(data.shared);
      const references = readReferences(data, known?.references);
      this.#repositories.set(root, { ...data, store, references, commit: findCommit(data, references) });
    }
  }

  /**
   * After a command: what is other than at the last look, and how it is from now on. A reference that the command emptied
   * gets its old text again.
   */
  async compare(options: Pick<GitOptions, 'env' | 'signal'>): Promise<GitDamage> {
    const damage: GitDamage = { said: [], lost: [] };
    for (const [root, repository] of this.#repositories) {
      const found = readReferences(repository, repository.references);
      const emptied = findEmptied(repository.references, found);
      damage.said.push(...putEmptiedBack(emptied, repository));
      const references = emptied.length === 0 ? found : readReferences(repository, found);
      const commit = findCommit(repository, references);
      damage.said.push(...describeBranch(root, repository, { references, commit }));
      this.#repositories.set(root, { ...repository, references, commit });
      const missing = repository.store.compare();
      if (missing.ids.length === 0 && missing.packs.length === 0) continue;
      const lost = await describeLost({ root, gitDirectory: repository.own }, missing, options);
      if (lost === undefined) continue;
      damage.said.push(lost);
      damage.lost.push(root);
    }
    return damage;
  }
}

function findCommit({ own, shared }: GitData, references: References): string | undefined {
  const head = references.get(join(own, 'HEAD'))?.text;
  const branch = branchIn(head);
  if (branch === undefined) return commitIn(head);
  return commitIn(references.get(join(shared, branch))?.text) ?? findPacked(shared, branch);
}

function openStore(shared: string): GitStore {
  const store = new GitStore(join(shared, 'objects'));
  store.look();
  return store;
}

function putEmptiedBack(emptied: readonly string[], { references }: Repository): string[] {
  return emptied.map((path) => {
    const text = references.get(path)?.text ?? '';
    const value = show(text.trim());
    return putReferenceBack(path, text)
      ? `The command overwrote ${show(path)}, so that git could no longer read it. Its old value (${value}) was put back.`
      : `The command overwrote ${show(path)}, and git can no longer read it. Its old value was: ${value}`;
  });
}

/** The branch that the checkout is on is gone, and the head still names it. */
function describeBranch(
  root: string,
  { own, references, commit }: Repository,
  now: Pick<Repository, 'references' | 'commit'>,
): string[] {
  const head = join(own, 'HEAD');
  const branch = branchIn(references.get(head)?.text);
  if (branch === undefined || commit === undefined || now.commit !== undefined) return [];
  if (branchIn(now.references.get(head)?.text) !== branch) return [];
  return [
    `The command removed the current branch of the repository in ${show(root)}. It was at ${commit}. To bring it back: git update-ref ${show(branch)} ${commit}`,
  ];
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}

/** Objects go when git packs or prunes them: only those that are needed and found nowhere are lost. */
async function describeLost(
  { root, gitDirectory }: { root: string; gitDirectory: string },
  { ids, packs }: MissingObjects,
  options: Pick<GitOptions, 'env' | 'signal'>,
): Promise<string | undefined> {
  const workTree = { gitDirectory, top: root };
  const place: GitOptions = { ...options, cwd: root, timeoutMs: maxWalkMs, workTree };
  if (packs.length === 0 && !(await isAnyMissing(ids, place))) return undefined;
  const start = systemClock.monotonic();
  const walk = await git(['rev-list', '--quiet', '--objects', '--all', '--indexed-objects'], place);
  if (walk.ok || options.signal?.aborted) return undefined;
  const isCut = systemClock.monotonic() - start >= maxWalkMs;
  const files = [
    ...(ids.length > 0 ? [`${ids.length} objects`] : []),
    ...(packs.length > 0 ? [`${packs.length} files with packed objects`] : []),
  ];
  const removed = `The command removed or overwrote ${files.join(' and ')} of the repository in ${show(root)}`;
  return isCut
    ? `${removed}. Whether git can still read all of it was not checked to the end: git fsck tells.`
    : `${removed}, and git can no longer read all of it. Commits and files that only git had are lost, unless a clone or a backup has them. git fsck says which.`;
}

async function isAnyMissing(ids: readonly string[], place: GitOptions): Promise<boolean> {
  const input = ids.slice(0, maxAsked).map((id) => `${id}\n`);
  const asked = await git(['cat-file', '--batch-check'], { ...place, input: input.join('') });
  return !asked.ok || asked.value.includes(' missing\n');
}
