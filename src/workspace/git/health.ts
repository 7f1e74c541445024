import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { resolveRealPath } from '../real-path.ts';
import { findPacked } from './essentials.ts';
import { type GitOptions, git } from './git.ts';
import { KeptObjects, locateKept } from './kept-objects.ts';
import { findGitData } from './objects.ts';
import { compareOperations, type OperationChange, type Operations, readOperations } from './operations.ts';
import {
  findReferenceChanges,
  mainHead,
  type ReferenceChange,
  type ReferenceState,
  word,
} from './reference-changes.ts';
import { parseBranch, parseCommit } from './references.ts';
import { type GitState, putReferenceBack, readGitState, repairGitData } from './repair.ts';
import { rescueObjects } from './rescue.ts';
import { findUnstaged, getIndexBytes, type StagedChange } from './staged.ts';
import { compareStashes, readStashes, type Stashes } from './stashes.ts';
import { GitStore, type MissingObjects } from './store.ts';

/** Effects of a command on git's own data. */
export interface GitDamage {
  /** Losses, in sentences. */
  said: string[];
  /** Repairs that were made, and those the user can make with one command. */
  repaired: string[];
  /** References that lead elsewhere now. */
  moved: ReferenceChange[];
  /** Content that is no longer staged. */
  unstaged: StagedChange[];
  /** Merges, rebases and the like that the command ended or began. */
  operations: OperationChange[];
  /** Objects behind what a sentence offers to bring back. */
  offered: { root: string; ids: string[] }[];
  /** Repositories that lost objects: content that only git had is lost too. */
  lost: string[];
}

interface Repository extends GitState {
  store: GitStore;
  /** Undefined where nothing is to be kept. */
  kept: KeptObjects | undefined;
  operations: Operations;
  /** The commit of the current branch. */
  commit: string | undefined;
  stashes: Stashes;
}

/** A history that takes longer to walk is not checked completely. */
const maxWalkMs = 5_000;
const maxAsked = 20_000;

/**
 * Notices when a command leaves a repository that git can no longer read. A command may commit, so it may write in git's own
 * directory; deleted objects cannot be restored, but the user must know.
 */
export class GitHealth {
  readonly #repositories = new Map<string, Repository>();
  readonly #kept = new Map<string, KeptObjects>();

  /** Our own directories: for objects that git may delete, and for what a command ended. Without them nothing is kept. */
  constructor(
    private readonly places?: { objects: string; operations: string },
    /** False once another process has the session: neither our directories nor git's data are changed then. */
    private readonly mayWrite = () => true,
  ) {}

  /**
   * Before a command: gives the files of objects that are new since the last time a second name there. After each step others
   * may run, as far as the caller lets them.
   */
  *keep(roots: Iterable<string>): Generator<void> {
    for (const root of roots) {
      const { store, kept } = this.#repositories.get(root) ?? {};
      store?.look();
      if (store && kept) yield* kept.keep(store.takeFresh());
    }
  }

  /** At the end of the session. */
  close(): void {
    for (const kept of this.#kept.values()) kept.close();
  }

  /** Before a command: records the state of the repositories with these tops. */
  look(roots: Iterable<string>): void {
    for (const root of roots) {
      const data = findGitData(root);
      // A newer format of references, which is not supported here.
      if (!data || statEntry(join(data.shared, 'reftable'))) continue;
      const known = this.#repositories.get(root);
      // Objects that disappeared between two commands are reported with those of the next: git is asked about them anyway.
      const store = known?.store ?? openStore(data.shared);
      const state = readGitState(data, known);
      const stashes = readStashes(data.shared, known?.stashes);
      const kept = known?.kept ?? this.#openKept(data.shared);
      const operations = readOperations(data.own);
      this.#repositories.set(root, { ...state, store, kept, stashes, operations, commit: findCommit(state) });
    }
  }

  /**
   * After a command, and before any other git runs: the differences from the last look, and the new state. Obstacles that
   * would stop git are removed, and files that git can no longer read get their old content back.
   */
  async compare(options: Pick<GitOptions, 'env' | 'signal'>): Promise<GitDamage> {
    const damage: GitDamage = {
      ...{ said: [], repaired: [], moved: [], unstaged: [], operations: [], offered: [], lost: [] },
    };
    // A worktree shares its stashes with the main checkout.
    const compared = new Set<string>();
    for (const [root, before] of this.#repositories) {
      if (!this.mayWrite()) return damage;
      const { said, ...repaired } = repairGitData(before);
      damage.repaired.push(...said);
      const place = buildOptions(root, before, options);
      const dangling = await putDanglingBack(before, repaired, place);
      damage.repaired.push(...dangling);
      const state = dangling.length === 0 ? repaired : readGitState(before, repaired);
      const { shared, store, kept } = before;
      const newest = findReference('refs/stash', state);
      const stashPlace = { root, shared, ...(newest === undefined ? {} : { newest }), ...locate(kept) };
      const stashes = await compareStashes(before.stashes, stashPlace, place);
      const operations = readOperations(before.own);
      const known = { store, kept, stashes: stashes.now, operations };
      const now: Repository = { ...state, ...known, commit: findCommit(state) };
      damage.repaired.push(...describeBranch(root, before, now));
      const moved = this.#findMoved(root, before, now);
      const areStashesNamed = stashes.said.length + stashes.repaired.length > 0;
      damage.moved.push(...moved.filter(({ name }) => name !== 'refs/stash' || !areStashesNamed));
      if (!compared.has(shared)) {
        damage.said.push(...stashes.said);
        damage.repaired.push(...stashes.repaired);
        if (stashes.ids.length > 0) damage.offered.push({ root, ids: stashes.ids });
      }
      compared.add(shared);
      this.#repositories.set(root, now);
      damage.unstaged.push(...(await findUnstaged(root, before, now, withKept(before, place))));
      const old = { ...before.operations, index: getIndexBytes(before) };
      damage.operations.push(...compareOperations(root, old, operations, this.places?.operations));
      await this.#compareObjects(root, before, place, damage);
    }
    return damage;
  }

  async #compareObjects(
    root: string,
    { store, kept, shared }: Repository,
    place: GitOptions,
    damage: GitDamage,
  ): Promise<void> {
    const missing = store.compare();
    const keepNew = () => kept && drain(kept.keep(store.takeFresh()));
    keepNew();
    if (missing.ids.length === 0 && missing.packs.length === 0) return;
    const lost = await describeLost(root, missing, place);
    if (lost !== undefined && kept && kept.putBack() > 0) {
      const still = await describeLost(root, missing, place);
      // What is there again is no longer missing.
      store.look();
      keepNew();
      if (still === undefined) {
        damage.repaired.push(describePutBack(root, missing));
        return;
      }
    }
    if (lost !== undefined) {
      damage.said.push(lost);
      damage.lost.push(root);
    } else if (kept && this.places) {
      const { env, signal, timeoutMs } = place;
      const options = { env, timeoutMs, scratch: this.places.objects, ...(signal ? { signal } : {}) };
      await rescueObjects(root, join(shared, 'objects'), missing, kept, options);
    }
  }

  #openKept(shared: string): KeptObjects | undefined {
    if (!this.places) return undefined;
    const known = this.#kept.get(shared);
    const kept =
      known ??
      new KeptObjects(locateKept(this.places.objects, shared), join(shared, 'objects'), this.mayWrite);
    this.#kept.set(shared, kept);
    return kept;
  }

  /** The head of a main checkout that is looked at itself is named there. */
  #findMoved(root: string, before: Repository, now: Repository): ReferenceChange[] {
    const isLookedAt = this.#repositories.values().some(({ own }) => resolveRealPath(own) === before.shared);
    return findReferenceChanges(root, before, now).filter(({ name }) => name !== mainHead || !isLookedAt);
  }
}

function buildOptions(
  root: string,
  { own }: Repository,
  options: Pick<GitOptions, 'env' | 'signal'>,
): GitOptions {
  return { ...options, cwd: root, timeoutMs: maxWalkMs, workTree: { gitDirectory: own, top: root } };
}

function locate(kept: KeptObjects | undefined): { kept?: string } {
  return kept && statEntry(kept.place) ? { kept: kept.place } : {};
}

/** Objects that git deleted meanwhile are found as well. */
function withKept({ shared, kept }: Repository, place: GitOptions): GitOptions {
  const { kept: beside } = locate(kept);
  return beside === undefined
    ? place
    : { ...place, objects: { own: join(shared, 'objects'), shared: beside } };
}

function findCommit(state: ReferenceState): string | undefined {
  const head = state.references.files.get(join(state.own, 'HEAD'))?.text;
  const branch = parseBranch(head);
  return branch === undefined ? parseCommit(head) : findReference(branch, state);
}

function findReference(name: string, { own, shared, references, essentials }: ReferenceState) {
  const text = references.files.get(join(shared, name))?.text;
  return parseCommit(text) ?? findPacked(essentials, { own, shared }).get(name);
}

/** References that look valid but name a missing commit: git cannot follow them either. */
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

/** Like the commits that a command made a moment ago. */
function isLoose(shared: string, id: string): boolean {
  return statEntry(join(shared, 'objects', id.slice(0, 2), id.slice(2)))?.isFile() === true;
}

function openStore(shared: string): GitStore {
  const store = new GitStore(join(shared, 'objects'));
  store.look();
  return store;
}

/** The branch of the checkout no longer exists, and the head still names it. */
function describeBranch(root: string, before: Repository, now: Repository): string[] {
  const head = join(before.own, 'HEAD');
  const { commit } = before;
  const branch = parseBranch(before.references.files.get(head)?.text);
  if (branch === undefined || commit === undefined || now.commit !== undefined) return [];
  if (parseBranch(now.references.files.get(head)?.text) !== branch) return [];
  return [
    `The command removed the current branch of the repository in ${show(root)}. It was at ${commit}. To restore it: git update-ref ${show(word(branch))} ${commit}`,
  ];
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}

/** Objects disappear when git packs or prunes them: only those that are needed and found nowhere are lost. */
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
  const removed = describeRemoved(root, { ids, packs });
  return isCut
    ? `${removed}. The check whether git can still read the whole repository did not finish: run git fsck.`
    : `${removed}, and git can no longer read the whole repository. Commits and files that existed only there are lost, unless a clone or a backup has them. Run git fsck to list them.`;
}

function describeRemoved(root: string, { ids, packs }: MissingObjects): string {
  const files = [
    ...(ids.length > 0 ? [`${ids.length} objects`] : []),
    ...(packs.length > 0 ? [`${packs.length} files with packed objects`] : []),
  ];
  return `The command removed or overwrote ${files.join(' and ')} of the repository in ${show(root)}`;
}

function describePutBack(root: string, missing: MissingObjects): string {
  return `${describeRemoved(root, missing)}, so git could no longer read the whole repository. They were put back.`;
}

function drain(steps: Iterable<void>): void {
  for (const _ of steps);
}

async function isAnyMissing(ids: readonly string[], place: GitOptions): Promise<boolean> {
  const input = ids.slice(0, maxAsked).map((id) => `${id}\n`);
  const asked = await git(['cat-file', '--batch-check'], { ...place, input: input.join('') });
  return !asked.ok || asked.value.includes(' missing\n');
}
