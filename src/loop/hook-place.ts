import type { HookPlace } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';

/** The agent's current state, as every hook gets it. */
export function describeHookPlace({ hands, permissions, signal }: AgentContext): HookPlace {
  return { cwd: hands.directory.current, permissionMode: permissions.mode, signal };
}
