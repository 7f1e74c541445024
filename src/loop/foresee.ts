import { judge } from '../permissions/context.ts';
import { readFilter } from '../permissions/read-filter.ts';
import type { Access } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import type { Judged } from './judge-call.ts';
import type { PreparedCall } from './prepare-call.ts';

/**
 * Why a call that would be asked about is certain to fail. Undefined if it may succeed, and if the agent may not read
 * what it touches: the failure would reveal what is there.
 */
export async function foreseeFailure(
  agent: AgentContext,
  { id: toolUseId, tool, input }: PreparedCall,
  accesses: readonly Access[],
  targets: Judged['targets'],
): Promise<string | undefined> {
  if (!tool.foresee || !accesses.every((access) => mayBeRead(agent, access))) return undefined;
  const { agentId, clock, signal, hands, permissions } = agent;
  const mayRead = readFilter(permissions, tool.name);
  const judged = (path: string) => targets.get(path);
  try {
    return await tool.foresee(input, { ...hands, agentId, clock, signal, toolUseId, mayRead, judged });
  } catch {
    // A bug of the tool shows when it runs.
    return undefined;
  }
}

function mayBeRead({ permissions }: AgentContext, access: Access): boolean {
  if (access.kind !== 'read' && access.kind !== 'write') return false;
  const { path } = access;
  const read = { tool: 'Read', accesses: [{ kind: 'read', path } as const], input: { file_path: path } };
  return judge(permissions, read).behaviour === 'allow';
}
