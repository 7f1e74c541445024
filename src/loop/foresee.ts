import { followWork } from '../lib/follow-work.ts';
import { formatError } from '../lib/result.ts';
import { judge } from '../permissions/context.ts';
import { readFilter } from '../permissions/read-filter.ts';
import type { Access, AgentEvent, CallPreview, ToolContext, ToolProgress } from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import type { Judged } from './judge-call.ts';
import type { PreparedCall } from './prepare-call.ts';

/**
 * Why a call that would be asked about is certain to fail. Undefined if it may succeed, and if the agent may not read
 * what it touches: the failure would reveal what is there.
 */
export async function foreseeFailure(
  agent: AgentContext,
  call: PreparedCall,
  accesses: readonly Access[],
  targets: Judged['targets'],
): Promise<string | undefined> {
  const { tool, input } = call;
  if (!tool.foresee || !accesses.every((access) => mayBeRead(agent, access))) return undefined;
  try {
    return await tool.foresee(input, buildLookContext(agent, call, targets));
  } catch {
    // A bug of the tool shows when it runs.
    return undefined;
  }
}

/** What a call would do, for the question about it. Undefined where its input says that. */
export async function* previewCall(
  agent: AgentContext,
  call: PreparedCall,
  targets: Judged['targets'],
): AsyncGenerator<AgentEvent, CallPreview | undefined> {
  const { tool, id: toolUseId } = call;
  try {
    return yield* followWork<AgentEvent, CallPreview | undefined>(async (publish) => {
      const report = (progress: ToolProgress) =>
        publish(markEvent(agent, { type: 'tool_progressed', toolUseId, toolName: tool.name, progress }));
      return tool.preview?.(call.input, { ...buildLookContext(agent, call, targets), report });
    });
  } catch (error) {
    return { fails: `${call.tool.name} failed unexpectedly: ${formatError(error)}` };
  }
}

function buildLookContext(
  { agentId, clock, signal, hands, permissions }: AgentContext,
  { id: toolUseId, tool }: PreparedCall,
  targets: Judged['targets'],
): ToolContext {
  const mayRead = readFilter(permissions, tool.name);
  const judged = (path: string) => targets.get(path);
  return { ...hands, agentId, clock, signal, toolUseId, mayRead, judged };
}

function mayBeRead({ permissions }: AgentContext, access: Access): boolean {
  if (access.kind !== 'read' && access.kind !== 'write') return false;
  const { path } = access;
  const read = { tool: 'Read', accesses: [{ kind: 'read', path } as const], input: { file_path: path } };
  return judge(permissions, read).behaviour === 'allow';
}
