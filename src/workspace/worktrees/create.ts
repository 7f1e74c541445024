import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { timestamp } from '../../lib/clock.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { failure, formatError, ok, type Result, usage } from '../../lib/result.ts';
import { hideFromStatus } from '../git/hide-from-status.ts';
import { findRunningCommands } from '../running-commands.ts';
import { addWorktree } from './add.ts';
import { carriedCommit } from './carry.ts';
import { type FillOptions, fillWorktree } from './fill.ts';
import { checkFilters } from './filtered.ts';
import { repeatMeanwhile } from './half-made.ts';
import { formatBranch, readRecord, type WorktreeRecord, writeRecord } from './record.ts';
import { discardWorktree, holdRepository } from './remove.ts';
import {
  bindGit,
  findRepository,
  type Repository,
  resolveCommit,
  type WorktreeWorld,
  worktreesDirectory,
} from './repository.ts';
import { checkSlug } from './slug.ts';
import { findStanding, makeStanding } from './standing.ts';
import { listOriginals, openStarts } from './twins.ts';

/** The start of the work, where that differs from the caller's checkout. */
export interface WorktreeStart {
  /** A branch, a tag, a commit. */
  from?: string;
  /** Include the caller's uncommitted changes. */
  uncommitted?: boolean;
}

export interface WorktreeOrder extends WorktreeStart {
  /** `from` has uncommitted changes of the user, which are on no branch. */
  carries?: true;
  /** The caller's directory: work begins from what is checked out there. */
  cwd: string;
  /** The directory that the caller is held to; the same unless given. */
  root?: string;
  slug: string;
  session: string;
  agentId: string | null;
  agentName?: string;
  title?: string;
  /** When its agent was started, and as which of its session: several are started at the same moment. */
  started?: { at: string; ordinal: number };
  /** Nothing in it is work, whoever writes there. */
  scratch?: true;
  /** The name of the worktree that it is a copy of. */
  copyOf?: string;
  /** The checkout that ignored files come from; the caller's unless given. */
  ignoredFrom?: string;
  fill: FillOptions;
}

export interface NewWorktree {
  record: WorktreeRecord;
  /** Notes about what could not be copied. */
  notes: string[];
  /** For the agent that continues in it: what became of the earlier one, and what this one starts from. */
  news?: string;
}

/** Creates a worktree with its own branch, locked for this process. If anything fails, nothing half made is left. */
export async function createWorktree(
  order: WorktreeOrder,
  world: WorktreeWorld,
): Promise<Result<NewWorktree>> {
  const slug = checkSlug(order.slug);
  if (!slug.ok) return slug;
  const repository = await findRepository(order.cwd, world);
  if (!repository.ok) return repository;
  const start = await resolveCommit(order.from ?? 'HEAD', order.cwd, world);
  if (!start.ok) return start;
  const carried = order.uncommitted
    ? await carriedCommit(
        { top: repository.value.top, head: start.value, whose: nameCheckout(order, repository.value) },
        world,
        order.fill.refuses,
      )
    : ok({ commit: start.value, notes: [] });
  if (!carried.ok) return carried;
  const { commit: base, notes: held } = carried.value;
  const filters = await checkFilters({ top: repository.value.top, commit: base }, world);
  if (!filters.ok) return filters;
  const standing = findStanding(order, repository.value);
  const carries = base === start.value && !order.carries ? {} : ({ carries: true } as const);
  const record = { ...buildRecord(order, repository.value, base, world), ...standing, ...carries };
  const added = await repeatMeanwhile(world.clock, () => add(record, repository.value, world));
  if (!added.ok) return added;
  const { top } = repository.value;
  const { ignoredFrom = top } = order;
  const from = { ignored: ignoredFrom, ...(order.copyOf === undefined ? {} : { copied: top }) };
  const filled = await fillWorktree(from, record.path, order.fill, world);
  const stood = makeStanding(record);
  if (!stood.ok) {
    await discardWorktree(record, world);
    return stood;
  }
  world.step?.('filled');
  const ready: WorktreeRecord = { ...record, ...filled.record, state: 'ready' };
  const noted = writeRecord(world, ready);
  if (!noted.ok) {
    await discardWorktree(record, world);
    return noted;
  }
  world.step?.('ready');
  return ok({ record: ready, notes: [...held, ...filled.notes] });
}

function nameCheckout({ copyOf }: WorktreeOrder, { top, main }: Repository): string {
  if (copyOf !== undefined) return `the worktree ${copyOf}`;
  return top === main ? 'the main checkout' : `the checkout ${top}`;
}

function buildRecord(
  { slug, session, agentId, agentName, title, scratch, copyOf, started }: WorktreeOrder,
  { main, common, top }: Repository,
  base: string,
  { clock, home }: WorktreeWorld,
): WorktreeRecord {
  const starts = findStarts(top, main, home);
  return {
    ...{ format: 1, slug, base, main, common, session, agentId },
    ...(agentName === undefined ? {} : { agentName }),
    ...(title === undefined ? {} : { title }),
    ...(scratch ? { scratch } : {}),
    ...(copyOf === undefined ? {} : { copyOf }),
    ...(starts.length > 0 ? { starts } : {}),
    path: join(main, '.cadre', 'worktrees', slug),
    branch: formatBranch(slug),
    state: 'creating',
    owner: processMark(process.pid),
    createdAt: started?.at ?? timestamp(clock),
    ...(started ? { ordinal: started.ordinal } : {}),
  };
}

/** The caller's checkout, where that is not the main one; for one of our worktrees, what that one came from. */
function findStarts(top: string, main: string, home: string): string[] {
  if (top === main) return [];
  const originals = listOriginals(top, openStarts(home));
  return originals.length === 0 ? [top] : originals.filter((path) => path !== main);
}

async function add(
  record: WorktreeRecord,
  repository: Repository,
  world: WorktreeWorld,
): Promise<Result<void>> {
  const held = await holdRepository(record.common, world);
  if (!held.ok) return held;
  try {
    world.step?.('held');
    const free = await checkFree(record, repository, world);
    if (!free.ok) return free;
    const noted = writeRecord(world, record);
    if (!noted.ok) return noted;
    world.step?.('recorded');
    const hidden = hideFromStatus(repository.common, '/.cadre/worktrees/', await findRunningCommands());
    if (!hidden.ok) return hidden;
    world.step?.('hidden');
    const { path, branch, base } = record;
    const made = await addWorktree(record, ['--no-track', '-b', branch, path, base], world, repository.top);
    if (made.ok) {
      world.step?.('added');
      return ok(undefined);
    }
    held.value();
    await discardWorktree(record, world);
    return made;
  } finally {
    held.value();
  }
}

async function checkFree(
  { slug, path, branch, common, main }: WorktreeRecord,
  repository: Repository,
  world: WorktreeWorld,
): Promise<Result<void>> {
  const directory = worktreesDirectory(repository);
  if (!directory.ok) return directory;
  const hint = 'Choose another name; cadre worktree list shows the existing ones.';
  if (readRecord(world.home, common, slug)) return usage(`The worktree ${slug} already exists.`, hint);
  if (lstatSync(path, { throwIfNoEntry: false })) return usage(`${path} already exists.`, hint);
  const git = bindGit(world, main);
  const taken = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { alsoGood: [1] });
  if (!taken.ok) return taken;
  if (taken.value.trim() !== '') return usage(`The branch ${branch} already exists.`, hint);
  const clash = await git([
    'for-each-ref',
    '--format=%(refname)',
    'refs/heads/cadre',
    `refs/heads/cadre/${slug}`,
  ]);
  if (!clash.ok) return clash;
  const file = clash.value
    .split('\n')
    .find((ref) => ref === 'refs/heads/cadre' || ref === `refs/heads/cadre/${slug}`);
  if (file) {
    const name = file.slice('refs/heads/'.length);
    return usage(`The branch ${name} is in the way of ${branch}.`, `Rename it: git branch -m ${name} NAME.`);
  }
  try {
    mkdirSync(directory.value, { recursive: true, mode: 0o700 });
    return ok(undefined);
  } catch (error) {
    return failure(
      `${directory.value} cannot be made: ${formatError(error)}`,
      'Check who owns the directory.',
    );
  }
}
