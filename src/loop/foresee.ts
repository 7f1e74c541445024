import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { followWork } from '../lib/follow-work.ts';
import { formatError } from '../lib/result.ts';
import { judge } from '../permissions/context.ts';
import { readFilter } from '../permissions/read-filter.ts';
import {
  type Access,
  type AgentEvent,
  type CallPreview,
  explainUnread,
  type RuleBehaviour,
  type ToolContext,
  type ToolProgress,
} from '../protocol/index.ts';
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
  if (!tool.foresee) return undefined;
  if (!accesses.every((access) => mayBeRead(agent, access)))
    return foreseeUnread(agent, call, accesses, targets);
  try {
    return await tool.foresee(input, buildLookContext(agent, call, targets));
  } catch {
    // A bug of the tool shows when it runs.
    return undefined;
  }
}

/**
 * The failure of a change to a file that the agent has not read, which says nothing about it: not even that it is there,
 * unless the agent may look for it.
 */
function foreseeUnread(
  agent: AgentContext,
  { tool, input }: PreparedCall,
  accesses: readonly Access[],
  targets: Judged['targets'],
): string | undefined {
  const unread = accesses.find((access) => {
    const real = access.kind === 'write' ? targets.get(access.path) : undefined;
    if (access.kind !== 'write' || real === undefined || agent.hands.files.get(real)) return false;
    return (
      tool.changesRead?.(input) === true ||
      (mayBeSeen(agent, access.path) && mayBeSeen(agent, real) && existsSync(real))
    );
  });
  return unread && 'path' in unread ? explainUnread(unread.path) : undefined;
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

function mayBeRead(agent: AgentContext, access: Access): boolean {
  if (access.kind !== 'read' && access.kind !== 'write') return false;
  return judgeLook(agent, 'Read', access.path) === 'allow';
}

/** Whether its name would be in a list of the directory. A link may lead to one that may not be listed. */
function mayBeSeen(agent: AgentContext, path: string): boolean {
  return (
    judgeLook(agent, 'Read', path) !== 'deny' &&
    judgeLook(agent, 'Glob', path) !== 'deny' &&
    judgeLook(agent, 'Glob', dirname(path)) === 'allow'
  );
}

function judgeLook({ permissions }: AgentContext, tool: 'Read' | 'Glob', path: string): RuleBehaviour {
  const input = tool === 'Read' ? { file_path: path } : { pattern: '*', path };
  return judge(permissions, { tool, accesses: [{ kind: 'read', path }], input }).behaviour;
}
