import { fullRole, openCeiling } from '../permissions/ceiling.ts';
import { decide } from '../permissions/decide.ts';
import type { Access, AfterTool, HookedCall, Rule, ToolResult } from '../protocol/index.ts';
import { matchRules } from '../shell/rules/match.ts';
import type { AgentContext } from './agent-context.ts';
import { describeHookPlace } from './hook-place.ts';
import { type CheckedCall, type PreparedCall, prepareCall } from './prepare-call.ts';

/**
 * Asks the hooks before each of some calls. A changed input is prepared again, as if the model had written it: it is
 * what is judged, shown and run.
 */
export function hookCalls(agent: AgentContext, calls: readonly CheckedCall[]): Promise<CheckedCall[]> {
  return Promise.all(calls.map((call) => (call.ok ? hookCall(agent, call) : call)));
}

async function hookCall(agent: AgentContext, call: PreparedCall): Promise<CheckedCall> {
  const hooked = await agent.hooks?.beforeTool?.(describeCall(agent, call), describeHookPlace(agent));
  if (!hooked) return call;
  if (!hooked.input) return { ...call, hooked };
  const changed = prepareCall(agent, {
    type: 'tool_use',
    id: call.id,
    name: call.tool.name,
    input: hooked.input,
  });
  if (changed.ok) return { ...changed, hooked };
  return { ...changed, reason: `A hook changed the input of this call. ${changed.reason}` };
}

const nothing: AfterTool = { notes: [] };

/** Informs the hooks how a call ended, and returns their words. */
export async function hookResult(
  agent: AgentContext,
  call: PreparedCall,
  result: ToolResult,
  durationMs: number,
): Promise<AfterTool> {
  const { hooks, signal } = agent;
  const after = result.isError ? hooks?.afterToolFailure : hooks?.afterTool;
  if (!after) return nothing;
  return after(
    describeCall(agent, call),
    { result, durationMs, isInterrupt: signal.aborted },
    describeHookPlace(agent),
  );
}

export function describeCall(agent: AgentContext, { id, tool, input }: PreparedCall): HookedCall {
  return {
    toolUseId: id,
    toolName: tool.name,
    input,
    covers(rule) {
      const accesses = tool.access(input, agent.hands.directory.current);
      return judgeCover(agent, { tool: tool.name, input, accesses }, rule);
    },
  };
}

/** As a rule that refuses, it covers whatever it may be about; as a grant, only what it is wholly about. */
function judgeCover(
  { permissions: { workspace } }: AgentContext,
  judged: { tool: string; input: Record<string, unknown>; accesses: Access[] },
  rule: Rule,
): 'no' | 'part' | 'whole' {
  const call = { ...judged, workspace };
  const accesses: Access[] = judged.accesses.length > 0 ? judged.accesses : [{ kind: 'none' }];
  const touches = accesses.some((access) => {
    const { deny, unclear } = matchRules([{ ...rule, behaviour: 'deny' }], call, access);
    return deny !== undefined || unclear !== undefined;
  });
  if (!touches) return 'no';
  const grant: Rule = { ...rule, behaviour: 'allow' };
  return decide(openCeiling, fullRole, 'default', [grant], call).behaviour === 'allow' ? 'whole' : 'part';
}
