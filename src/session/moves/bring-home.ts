import { existsSync } from 'node:fs';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { Command, MovedPrompt, MovedTo } from '../../protocol/index.ts';
import { unpackHistory } from '../../remote/bundle.ts';
import type { Engine } from '../../remote/engine.ts';
import { nameNewsBell, nameWork, parseQuietly, streams } from '../../remote/job.ts';
import { type JobKey, readKnownKeys } from '../../remote/keys.ts';
import { openCursor, type SealedRow, sendRow } from '../../remote/sealed-rows.ts';
import { type CarriedFiles, type CarriedWorktree, type JobState, readJobState } from '../../remote/steps.ts';
import { openWaiter } from '../../remote/wait.ts';
import { createSessionLayout } from '../../store/layout.ts';
import type { SessionSummary } from '../../store/sessions.ts';
import { createWorktree } from '../../workspace/worktrees/create.ts';
import { readRecord, type WorktreeRecord } from '../../workspace/worktrees/record.ts';
import { releaseWorktree } from '../../workspace/worktrees/remove.ts';
import {
  bindGit,
  findRepository,
  type Repository,
  type WorktreeWorld,
} from '../../workspace/worktrees/repository.ts';
import { claimSession } from '../owner.ts';
import { checkOut, hasFiles, placeWorktree, readFiles } from '../remote/carried-files.ts';
import { leadLog } from '../remote/restore-logs.ts';
import type { Surroundings } from '../surroundings.ts';
import { type HomeFiles, mergeLogs } from './merge-logs.ts';
import { noteMove } from './move-index.ts';

export interface HomeWish {
  engine: Engine;
  key: JobKey;
  job: MovedTo;
  session: Pick<SessionSummary, 'id' | 'path' | 'projectDirectory' | 'cwd'>;
  /** How long its worker may take to stop. Then its last finished step counts. */
  patienceMs: number;
}

/**
 * Brings a session back to the machine that it came from: its worker stops at the next step, or is refused from then on, and what it has
 * stored is put in place here. It can be repeated: the word on who continues is written last.
 */
export async function bringHome(
  around: Pick<Surroundings, 'home' | 'clock' | 'machine' | 'environment'>,
  wish: HomeWish,
): Promise<Result<HomeFiles>> {
  const { session, job, engine, key } = wish;
  const files = createSessionLayout(session.projectDirectory, session.id);
  const { home, clock, machine } = around;
  const parts = {
    home,
    sessionId: session.id,
    machine,
    directory: files.directory,
    transcript: files.transcript,
  };
  const claim = claimSession({ ...parts, clock });
  if (!claim.ok) return claim;
  try {
    const world = { home, env: { ...around.environment }, clock };
    const known = readKnownKeys(home);
    if (!known.ok) return known;
    const recalled = await recall(wish, clock, (signer) => known.value.has(signer));
    if (!recalled.ok) return recalled;
    const work = { jobId: job.jobId, submitter: key.name };
    const state = await readJobState(engine, work, (signer) => known.value.has(signer));
    if (!state.ok) return state;
    const repository = await findRepository(session.cwd ?? '.', world);
    if (!repository.ok) return repository;
    const placed = await placeFiles({ ...wish, world, repository: repository.value, state: state.value });
    if (!placed.ok) return placed;
    const unread = await listUnread(wish, state.value);
    if (!unread.ok) return unread;
    const written = mergeLogs(
      files,
      state.value,
      { ...wish, unread: unread.value },
      repository.value,
      placed.value,
    );
    if (!written.ok) return written;
    await noteMove(engine, key, { session: session.id, job: null, title: '', from: job.jobId });
    await engine.remove(job.jobId);
    await engine.ring(job.jobId);
    await bindGit(world, repository.value.top)(['update-ref', '-d', `refs/cadre/remote/${job.jobId}`]);
    return placed;
  } finally {
    claim.value.release();
  }
}

/** Asks its worker to stop, and waits a while; then nobody else stores anything of it. */
async function recall(
  { engine, key, job, patienceMs }: HomeWish,
  clock: Surroundings['clock'],
  accepts: (signer: string) => boolean,
): Promise<Result<void>> {
  const asked = await sendRow(engine, key, job.jobId, { stream: streams.recall, key: 'recall', body: '{}' });
  if (!asked.ok) return asked;
  const waiter = openWaiter(engine, clock, (topic) => topic === nameNewsBell(job.jobId));
  const readEnd = openCursor(engine, job.jobId, streams.result, accepts, nameWork(job.jobId, key.name));
  const until = clock.monotonic() + patienceMs;
  try {
    for (;;) {
      const end = await readEnd();
      if (!end.ok) return end;
      if (end.value.length > 0) return ok(undefined);
      const left = until - clock.monotonic();
      if (left <= 0) break;
      await waiter.wait(Math.min(1000, left));
    }
  } finally {
    waiter.close();
  }
  // As another worker would: a higher epoch, and rows of the one before it are refused.
  const fenced = await engine.claim(job.jobId);
  return fenced.ok ? ok(undefined) : fenced;
}

interface Placing extends HomeWish {
  world: WorktreeWorld;
  repository: Repository;
  state: JobState;
}

async function placeFiles(placing: Placing): Promise<Result<HomeFiles>> {
  const { world, repository, state, session, job } = placing;
  const { files, bundles } = state;
  if (!files)
    return failure(
      `The engine does not have the files of the job ${job.jobId}.`,
      `If it has lost them, a copy of the session can continue from where it left: cadre --resume ${session.id} --fork-session`,
    );
  const git = bindGit(world, repository.top);
  for (const pieces of bundles) {
    const unpacked = await unpackHistory(git, pieces);
    if (!unpacked.ok) return unpacked;
  }
  const sent = await readSent(placing);
  for (const worktree of files.worktrees) {
    const record = readRecord(world.home, repository.common, worktree.slug);
    if (!record || !existsSync(record.path)) {
      const made = await placeWorktree({ top: repository.top, session: session.id }, worktree, world);
      if (!made.ok) return made;
      continue;
    }
    const placed = await updateWorktree(record, worktree, sent, world);
    if (!placed.ok) return placed;
    // Whoever continues takes it.
    const released = await releaseWorktree(record, world);
    if (!released.ok) return released;
  }
  return placeCheckout(placing, files, sent);
}

async function updateWorktree(
  { path, slug }: WorktreeRecord,
  worktree: CarriedWorktree,
  sent: CarriedFiles | undefined,
  world: WorktreeWorld,
): Promise<Result<void>> {
  if (await hasFiles(path, worktree, world)) return ok(undefined);
  const before = sent?.worktrees.find((one) => one.slug === slug);
  if (before && (await hasFiles(path, before, world))) return checkOut(path, worktree, world);
  return failure(
    `The worktree ${slug} was changed here while its agent worked on it elsewhere.`,
    `Land it or drop it (cadre worktree land ${slug}), then repeat the command.`,
  );
}

/** The files as they were sent. */
async function readSent({ engine, job, key }: Placing): Promise<CarriedFiles | undefined> {
  const isSeed = ({ signer, key: name }: SealedRow) => signer === key.name && name.startsWith('0-');
  const first = await readJobState(engine, { jobId: job.jobId, submitter: key.name }, () => true, isSeed);
  return first.ok ? first.value.files : undefined;
}

/** In place, if the checkout is as it was left; otherwise as a worktree beside it. */
async function placeCheckout(
  { repository, world, session, job }: Placing,
  files: CarriedFiles,
  sent: CarriedFiles | undefined,
): Promise<Result<HomeFiles>> {
  const { top } = repository;
  if (await hasFiles(top, files, world)) return ok({ kind: 'checkout' });
  const now = await readFiles(top, world);
  if (!now.ok) return now;
  const isUntouched = sent !== undefined && (await hasFiles(top, sent, world));
  if (isUntouched) {
    const moved = await replaceFiles(top, { from: sent.tip, ...files }, world);
    return moved.ok ? ok({ kind: 'checkout' }) : moved;
  }
  const slug = `moved-${job.jobId.slice(-8).toLowerCase()}`;
  const known = readRecord(world.home, repository.common, slug);
  if (known) return ok({ kind: 'worktree', path: known.path, slug });
  const made = await createWorktree(
    {
      ...{ cwd: top, slug, session: session.id, agentId: null, title: 'Files of a session that came back' },
      from: sent?.tip ?? files.head,
      ...(sent && sent.tip !== sent.head ? { carries: true as const } : {}),
      fill: { copyDirectories: [], linkDirectories: [], sandboxed: false },
    },
    world,
  );
  if (!made.ok) return made;
  const { record } = made.value;
  const out = await checkOut(record.path, files, world);
  const released = out.ok ? await releaseWorktree(record, world) : out;
  return released.ok ? ok({ kind: 'worktree', path: record.path, slug }) : released;
}

/** Git refuses to overwrite a file that is not as it was sent. */
async function replaceFiles(
  top: string,
  { from, head, tip }: { from: string; head: string; tip: string },
  world: WorktreeWorld,
): Promise<Result<void>> {
  const git = bindGit(world, top);
  const steps = [
    ['read-tree', from],
    ['update-index', '-q', '--refresh'],
    ['read-tree', '-m', '-u', from, tip],
    ['reset', '--quiet', head],
  ];
  for (const args of steps) {
    const done = await git(args, { alsoGood: args[0] === 'update-index' ? [1] : [] });
    if (!done.ok) return done;
  }
  return ok(undefined);
}

/** Prompts that came too late for its worker. */
async function listUnread(
  { engine, key, job }: HomeWish,
  { logs }: JobState,
): Promise<Result<MovedPrompt[]>> {
  const rows = await openCursor(engine, job.jobId, streams.commands, (signer) => signer === key.name)();
  if (!rows.ok) return rows;
  const text = logs.get(leadLog) ?? '';
  return ok(
    rows.value.flatMap(({ key: name, body }): MovedPrompt[] => {
      const command = parseQuietly(body) as Command | undefined;
      if (command?.type !== 'prompt') return [];
      const { uuid = name, delivery = 'queue', isVerbatim, isQuiet, content } = command;
      if (text.includes(`"uuid":${JSON.stringify(uuid)}`)) return [];
      return [
        {
          content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
          ...{ uuid, delivery },
          ...(isVerbatim ? { isVerbatim } : {}),
          ...(isQuiet ? { isQuiet } : {}),
        },
      ];
    }),
  );
}
