import { isAtWork } from './agents.ts';
import type { Draft } from './draft.ts';
import type { Work } from './entry.ts';
import { listTeammates } from './team.ts';

/** How many edited files are told apart. */
const maxFiles = 1_000;

/** A run of the lead begins: a new request, or more work on the one before. */
export function openRequest(draft: Draft): void {
  const { session, cost } = draft.view;
  if (session.request) return;
  draft.setSession({ request: { startedAt: draft.at, microUsd: cost.microUsd, files: new Set() } });
}

/** What edits in worktrees change counts when it lands. */
export function noteEdit(draft: Draft, agentId: string | null, path: string): void {
  const { request, mode } = draft.view.session;
  // While it plans, the lead writes only the plan.
  if (mode === 'plan' && agentId === null) return;
  if (!request || request.files.has(path) || request.files.size >= maxFiles) return;
  if (agentId !== null && draft.agent(agentId).worktree) return;
  draft.setSession({ request: { ...request, files: new Set(request.files).add(path) } });
}

/** What it took, once a run of the lead has ended and none of its agents runs any more. */
export function closeRequest(draft: Draft): Work | null {
  const { session, cost, agents } = draft.view;
  const { request } = session;
  const inTeam = new Set(listTeammates(draft.view).map(({ agentId }) => agentId));
  if (!request || [...agents.values()].some(({ id, state }) => isAtWork(state) && !inTeam.has(id)))
    return null;
  draft.setSession({ request: null });
  const { startedAt, microUsd: before, files } = request;
  const microUsd = cost.microUsd === null || before === null ? null : Math.max(0, cost.microUsd - before);
  return { durationMs: Math.max(0, draft.at - startedAt), files: files.size, microUsd };
}
