import type { AgentKernel } from './kernel.ts';
import type { AgentSpec } from './spec.ts';

export type Isolation = 'worktree' | 'remote' | undefined;

type Wish = Pick<AgentSpec, 'request' | 'definition' | 'source'>;

/** Where an agent works apart from others: as its call says, else its definition, else the session. */
export function resolveIsolation(
  { request, definition, source }: Wish,
  { usualPlace }: Pick<AgentKernel, 'usualPlace'>,
): Isolation {
  const { isolation, host, worktree, standby, call } = request;
  const wished =
    isolation ??
    (worktree === undefined ? undefined : 'worktree') ??
    (host === undefined ? undefined : 'remote');
  if (wished) return wished === 'shared' ? undefined : wished;
  if (definition?.isolation) return definition.isolation;
  // A fork shares this conversation, a teammate its team's directory; a program says itself what it wants.
  const isFree = source !== 'fork' && standby === undefined && call !== undefined;
  return isFree && usualPlace === 'remote' ? usualPlace : undefined;
}
