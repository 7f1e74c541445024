import { homedir } from 'node:os';
import { planRequest, pushRequest, type RequestPlan } from '../../landing/plan-request.ts';
import type { Ground } from '../../landing/types.ts';
import { ownerVariable } from '../../lib/processes/process.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { type Forge, openForge } from '../../modes/forge.ts';

interface OpenedRequest {
  name: string;
  branch: string;
  base: string;
  commit: string;
  /** What the forge's program said, which is the address; null if the pull request was open already. */
  url: string | null;
}

interface RequestOptions {
  onto?: string | undefined;
  title?: string | undefined;
  draft?: boolean | undefined;
  /** False: nothing is pushed. */
  agree(plan: RequestPlan): Promise<boolean>;
  signal: AbortSignal;
}

/** Offers a worktree's work as a pull request, through the user's own `gh` or `glab`. Undefined if the user says no. */
export async function openPullRequest(
  ground: Ground,
  name: string,
  { agree, draft, signal, ...wish }: RequestOptions,
): Promise<Result<OpenedRequest | undefined>> {
  const plan = await planRequest(ground, name, wish);
  if (!plan.ok) return plan;
  // Before anything leaves the machine.
  const forge = await findForge(ground, signal);
  if (!forge.ok) return forge;
  if (!(await agree(plan.value))) return ok(undefined);
  const pushed = await pushRequest(plan.value, ground);
  if (!pushed.ok) return pushed;
  const { base, branch: head, title, body, known, layer, record } = plan.value;
  const opened = await forge.value.open({ base, head, title, body, isDraft: draft === true }, signal);
  const about = { name: record.slug, branch: head, base, commit: layer.commit };
  if (opened.ok) return ok({ ...about, url: opened.value.trim() });
  if (known !== undefined && /already exists/i.test(opened.problem.message))
    return ok({ ...about, url: null });
  return failure(
    `The branch ${head} was pushed, but no pull request was opened: ${opened.problem.message}`,
    `Open it on the page of the repository, or run this again.`,
  );
}

async function findForge({ repository, world }: Ground, signal: AbortSignal): Promise<Result<Forge>> {
  const forge = await openForge({
    environment: world.env,
    root: repository.main,
    userHome: world.env.HOME || homedir(),
    home: world.home,
    isRepository: true,
    owner: world.env[ownerVariable] ?? 'cadre',
    clock: world.clock,
  });
  if (!forge)
    return usage(
      'A pull request is opened with gh (GitHub) or glab (GitLab), and neither is installed.',
      'Install one and log in, or push the branch of the worktree yourself.',
    );
  const known = await forge.checkLogin(signal);
  return known.ok ? ok(forge) : known;
}
