import type { HookPlace } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';

/** What every hook is told of the agent as it is now. */
export function describeHookPlace({ hands, permissions, signal }: AgentContext): HookPlace {
  return { cwd: hands.directory.current, permissionMode: permissions.mode, signal };
}
