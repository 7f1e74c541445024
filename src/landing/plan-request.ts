import { failure, ok, type Result, usage } from '../lib/result.ts';
import { boundText, visible } from '../lib/text/text.ts';
import { nameable, ownSettings } from '../workspace/git/git.ts';
import { describeDiffstat } from '../workspace/worktrees/changes.ts';
import { listFilteredAt } from '../workspace/worktrees/filtered.ts';
import { isInUse } from '../workspace/worktrees/in-use.ts';
import { listOrigin } from '../workspace/worktrees/origin.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import { bindGit, type Git } from '../workspace/worktrees/repository.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import { findWorktrees, readCandidate } from './candidates.ts';
import { renderLanding } from './render.ts';
import { renderLayer } from './render-plan.ts';
import { type Layer, stack, type Target } from './stack.ts';
import type { Ground } from './types.ts';
import { openReports, titleWork } from './work-message.ts';

/** Exactly what a pull request would bring: the commits are made already. */
export interface RequestPlan {
  record: WorktreeRecord;
  layer: Layer;
  /** The branch of the remote that it is for. */
  base: string;
  /** Its name there. */
  branch: string;
  /** Where it is pushed to. */
  url: string;
  /** Where that branch is, as last seen; undefined if it is new. */
  known: string | undefined;
  title: string;
  body: string;
}

const remote = 'origin';
const maxBody = 20_000;

/** A worktree's work on top of what the remote has, as last fetched: nothing that the user has not pushed comes with it. */
export async function planRequest(
  asked: Ground,
  name: string,
  { onto, title }: { onto?: string | undefined; title?: string | undefined },
): Promise<Result<RequestPlan>> {
  const ground = { ...asked, findReport: openReports(asked.world.home) };
  const found = findWorktrees(ground, [name]);
  if (!found.ok) return found;
  const [record] = found.value;
  if (!record) return usage(`There is no worktree ${name}.`);
  if (isInUse(record, ground.world.home))
    return failure(`${record.slug}: its agent is working in it.`, 'Wait until it is done.');
  const git = bindGit(ground.world, ground.repository.top);
  const url = await findRemote(git, ground);
  if (!url.ok) return url;
  const base = await findBase(git, onto);
  if (!base.ok) return base;
  const layer = await putOnBase(record, base.value, ground);
  if (!layer.ok) return layer;
  const stored = await checkStored(layer.value, git, ground);
  if (!stored.ok) return stored;
  const ref = `refs/remotes/${remote}/${record.branch}`;
  const known = await git(['rev-parse', '--verify', '--quiet', ref], { alsoGood: [1] });
  if (!known.ok) return known;
  return ok({
    ...{ record, layer: layer.value, base: base.value.name, branch: record.branch, url: url.value },
    known: known.value.trim() || undefined,
    title: title ?? titleWork(record),
    body: await composeBody(record, layer.value, base.value.commit, git, await ground.findReport(record)),
  });
}

/** Pushing runs programs that a configuration names: those of the user, not of the repository. */
const pushPrograms =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\..*|remote\..*\.(?:receivepack|uploadpack|vcs)|url\..*)$/is;

async function findRemote(git: Git, { repository: { top }, world }: Ground): Promise<Result<string>> {
  const url = await git(['remote', 'get-url', '--push', remote]);
  if (!url.ok)
    return usage(
      `The repository has no remote ${remote}.`,
      `git remote add ${remote} URL; git fetch ${remote}`,
    );
  const options = { cwd: top, env: world.env, clock: world.clock };
  const listed = await ownSettings(options);
  const names = listed.ok ? nameable(listed.value, options) : listed;
  if (!names.ok) return names;
  const held = names.value.find((name) => pushPrograms.test(name));
  return held === undefined
    ? ok(url.value.trim())
    : usage(
        `The repository's own configuration sets ${visible(held)}, which decides what a push runs or where it goes.`,
        'Move the setting to your own configuration (git config --global), or push the branch yourself.',
      );
}

async function findBase(
  git: Git,
  onto: string | undefined,
): Promise<Result<{ name: string; commit: string }>> {
  const head = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { alsoGood: [1] });
  const usual = await git(['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`], {
    alsoGood: [1],
  });
  const current = head.ok ? head.value.trim() : '';
  const fallback = usual.ok ? usual.value.trim().slice(remote.length + 1) : '';
  for (const name of onto === undefined ? [current, fallback] : [onto]) {
    const found =
      name === ''
        ? undefined
        : await git(['show-ref', '--hash', '--verify', `refs/remotes/${remote}/${name}`]);
    if (found?.ok) return ok({ name, commit: found.value.trim() });
  }
  return usage(
    `${remote} has no branch ${onto ?? (current || 'to ask for')}, as last fetched.`,
    `Name one with --onto, or run git fetch ${remote} first.`,
  );
}

async function putOnBase(
  record: WorktreeRecord,
  { name, commit }: { name: string; commit: string },
  ground: Ground,
): Promise<Result<Layer>> {
  const target: Target = { branch: `${remote}/${name}`, commit };
  const candidate = await readCandidate(record, ground, commit);
  if (!candidate.ok) return candidate;
  if (candidate.value.obstacle !== undefined)
    return failure(`${record.slug} cannot be offered as it is: ${candidate.value.obstacle}.`);
  const stacked = await stack([candidate.value], target, ground);
  if (!stacked.ok) return stacked;
  const { layers, others } = stacked.value;
  if (layers[0]) return ok(layers[0]);
  return others[0]
    ? failure(
        `The work does not fit on ${target.branch}:\n${renderLanding(others[0], target.branch)}`,
        `cadre worktree return ${record.slug} sends it back to its agent. It may also need commits of yours that are not pushed.`,
      )
    : usage(`${record.slug} has nothing that ${target.branch} does not have.`);
}

/** Their content is not in git's objects, and only the hook of Git LFS would push it. */
async function checkStored({ commit, stat }: Layer, git: Git, { world }: Ground): Promise<Result<void>> {
  const paths = stat.files.map(({ path }) => path);
  const filtered = await listFilteredAt(commit, paths, git, world);
  if (!filtered.ok) return filtered;
  const large = paths.filter((path) => filtered.value.get(path) === 'lfs');
  return large.length === 0
    ? ok(undefined)
    : usage(
        `${nameFiles(large)}: files of Git LFS are not pushed by this command.`,
        'Push the branch of the worktree yourself.',
      );
}

async function composeBody(
  record: WorktreeRecord,
  { commit, stat }: Layer,
  base: string,
  git: Git,
  report = '',
): Promise<string> {
  const listed = await git(['log', '--reverse', '--format=- %s', `${base}..${commit}`]);
  const commits = listed.ok ? listed.value.trim() : '';
  const parts = [
    visible(report).trim(),
    commits,
    `${describeDiffstat(stat)}.`,
    listOrigin(record).join('\n'),
  ];
  return boundText(parts.filter((part) => part !== '').join('\n\n'), maxBody);
}

export function renderRequest({ layer, base, branch, url, known, title }: RequestPlan, now: number): string {
  const where = known === undefined ? 'a new branch' : 'a branch that is replaced';
  return [
    `Pull request "${visible(title)}" for ${base}, from ${branch}: ${where} at ${visible(url)}`,
    renderLayer(layer, [], now).replace(/^to land {3}/, 'to push   '),
  ].join('\n');
}

const maxPushMs = 10 * 60_000;

/** Exactly the planned commit. A branch that somebody else has moved since is not overwritten. */
export async function pushRequest(
  { branch, layer, known }: RequestPlan,
  { repository, world }: Ground,
): Promise<Result<void>> {
  const lease = `--force-with-lease=refs/heads/${branch}:${known ?? ''}`;
  const args = [
    'push',
    '--no-verify',
    '--no-recurse-submodules',
    lease,
    remote,
    `${layer.commit}:refs/heads/${branch}`,
  ];
  const pushed = await bindGit(world, repository.top)(args, { timeoutMs: maxPushMs, transports: 'all' });
  if (pushed.ok) return ok(undefined);
  const { message } = pushed.problem;
  const hint = message.includes('stale info')
    ? `Somebody else has moved the branch ${branch} since: git fetch ${remote} shows what is there. Once it is fetched, it is replaced.`
    : 'Check that git push works here without a prompt (an SSH agent, a credential helper).';
  return failure(message, hint);
}
