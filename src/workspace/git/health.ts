import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { findPacked } from './essentials.ts';
import { type GitOptions, git } from './git.ts';
import { findGitData } from './objects.ts';
import {
  findReferenceChanges,
  type ReferenceChange,
  type ReferenceState,
  word,
} from './reference-changes.ts';
import { parseBranch, parseCommit } from './references.ts';
import { type GitState, putReferenceBack, readGitState, repairGitData } from './repair.ts';
import { GitStore, type MissingObjects } from './store.ts';

/** What a command did to git's own data. */
export interface GitDamage {
  /** What was lost, in sentences. */
  said: string[];
  /** What was put right again, and what the user can bring back with one command. */
  repaired: string[];
  /** References that lead elsewhere. */
  moved: ReferenceChange[];
  /** Repositories that lost objects: content that only git had is lost too. */
  lost: string[];
}

interface Repository extends GitState {
  store: GitStore;
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
      if (!data || statEntry(join(data.shared, 'reftable'))) continue;
      const known = this.#repositories.get(root);
      // Those that went between two commands are found with those of the next: git is asked about them anyway.
      const store = known?.store ?? openStore(data.shared);
      const state = readGitState(data, known);
      this.#repositories.set(root, { ...state, store, commit: findCommit(state) });
    }
  }

  /**
   * After a command, and before any other git runs: what is other than at the last look, and how it is from now on. What
   * would stop git is taken out of its way, and what git can no longer read gets its old content again.
   */
  async compare(options: Pick<GitOptions, 'env' | 'signal'>): Promise<GitDamage> {
    const damage: GitDamage = { said: [], repaired: [], moved: [], lost: [] };
    for (const [root, before] of this.#repositories) {
      const { said, ...repaired } = repairGitData(before);
      damage.repaired.push(...said);
      const place = buildOptions(root, before, options);
      const dangling = await putDanglingBack(before, repaired, place);
      damage.repaired.push(...dangling);
      const state = dangling.length === 0 ? repaired : readGitState(before, repaired);
      const now: Repository = { ...state, store: before.store, commit: findCommit(state) };
      damage.repaired.push(...describeBranch(root, before, now));
      damage.moved.push(...findReferenceChanges(root, before, now));
      this.#repositories.set(root, now);
      const missing = before.store.compare();
      if (missing.ids.length === 0 && missing.packs.length === 0) continue;
      const lost = await describeLost(root, missing, place);
      if (lost === undefined) continue;
      damage.said.push(lost);
      damage.lost.push(root);
    }
    return damage;
  }
}

function buildOptions(root: string, { own }: Repository, options: Pick<GitOptions, 'env' | 'signal'>): GitOptions {
  return { ...options, cwd: root, timeoutMs: maxWalkMs, workTree: { gitDirectory: own, top: root } };
}

function findCommit({ own, shared, references, essentials }: ReferenceState): string | undefined {
  const head = references.files.get(join(own, 'HEAD'))?.text;
  const branch = parseBranch(head);
  if (branch === undefined) return parseCommit(head);
  const text = references.files.get(join(shared, branch))?.text;
  return parseCommit(text) ?? findPacked(essentials, { own, shared }).get(branch);
}

/** References that look right and name a commit that is nowhere: git can follow them no more than others. */
async function putDanglingBack(before: GitState, now: GitState, place: GitOptions): Promise<string[]> {
  const known = new Set([...before.references.files.values()].map(({ text }) => parseCommit(text)));
  const changed = [...now.references.files].flatMap(([path, { text }]) => {
    const id = parseCommit(text);
    return id === undefined || known.has(id) || isLoose(now.shared, id) ? [] : [{ path, id }];
  });
  if (changed.length === 0) return [];
  const input = changed.map(({ id }) => `${id}\n`).join('');
  const asked = await git(['cat-file', '--batch-check'], { ...place, input });
  if (!asked.ok) return [];
  const lines = asked.value.split('\n');
  return changed
    .filter((_, index) => lines[index]?.endsWith(' missing'))
    .map(({ path, id }) =>
      before.references.files.has(path)
        ? putReferenceBack(path, before)
        : `The command wrote ${show(path)}, which names ${id}: git has no such object. Remove the file.`,
    );
}

/** As the commits are that a command made a moment ago. */
function isLoose(shared: string, id: string): boolean {
  return statEntry(join(shared, 'objects', id.slice(0, 2), id.slice(2)))?.isFile() === true;
}

function openStore(shared: string): GitStore {
  const store = new GitStore(join(shared, 'objects'));
  store.look();
  return store;
}

/** The branch that the checkout is on is gone, and the head still names it. */
function describeBranch(root: string, before: Repository, now: Repository): string[] {
  const head = join(before.own, 'HEAD');
  const { commit } = before;
  const branch = parseBranch(before.references.files.get(head)?.text);
  if (branch === undefined || commit === undefined || now.commit !== undefined) return [];
  if (parseBranch(now.references.files.get(head)?.text) !== branch) return [];
  return [
    `The command removed the current branch of the repository in ${show(root)}. It was at ${commit}. To bring it back: git update-ref ${show(word(branch))} ${commit}`,
  ];
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}

/** Objects go when git packs or prunes them: only those that are needed and found nowhere are lost. */
async function describeLost(
  root: string,
  { ids, packs }: MissingObjects,
  place: GitOptions,
): Promise<string | undefined> {
  if (packs.length === 0 && !(await isAnyMissing(ids, place))) return undefined;
  const start = systemClock.monotonic();
  const walk = await git(['rev-list', '--quiet', '--objects', '--all', '--indexed-objects'], place);
  if (walk.ok || place.signal?.aborted) return undefined;
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
