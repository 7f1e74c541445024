import { renderValue } from '../lib/fields/describe-value.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { visibleLine } from '../lib/text/text.ts';
import { judge } from '../permissions/context.ts';
import { rememberPaths } from '../places/paths.ts';
import type { Access, Decision } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import type { PreparedCall } from './prepare-call.ts';

export type JudgeCall = (call: PreparedCall, accesses: Access[]) => Judged;

export interface Judged {
  decision: Decision;
  /** Where the paths of the call led for this decision: the tool must find the same. */
  targets: ReadonlyMap<string, RealPath>;
}

/** From the current directory: an earlier call in the same message may have changed it. */
export function listAccesses(agent: AgentContext, { tool, input }: PreparedCall): Access[] {
  return tool.access(input, agent.hands.directory.current);
}

/** Whether there is a sandbox is found out with the first command. */
export async function buildJudgedCall(agent: AgentContext, accesses: readonly Access[]): Promise<JudgeCall> {
  const needsShell = accesses.some((access) => access.kind === 'shell');
  const sandbox = needsShell ? await agent.hands.shell.sandbox?.ready() : undefined;
  return ({ tool, input }, touched) => {
    const { permissions } = agent;
    // Looked up once, so that the judged facts are the ones compared later.
    const workspace = rememberPaths({ ...permissions.workspace, ...(sandbox ? { sandbox } : {}) });
    const judged = judge({ ...permissions, workspace }, { tool: tool.name, accesses: touched, input });
    const decision = sandbox ? withRefusal(agent, judged, input) : judged;
    const paths = touched.flatMap((access) => ('path' in access ? [access.path] : []));
    return { decision, targets: new Map(paths.map((path) => [path, workspace.realPath(path) as RealPath])) };
  };
}

/** A user who is asked to let a command out of the sandbox sees what it was refused inside. */
function withRefusal(agent: AgentContext, decision: Decision, input: Record<string, unknown>): Decision {
  const { command, dangerouslyDisableSandbox } = input;
  if (decision.behaviour !== 'ask' || dangerouslyDisableSandbox !== true) return decision;
  const line = agent.hands.shell.sandbox?.findRefusal?.(renderValue(command));
  if (line === undefined) return decision;
  return { ...decision, reason: `${decision.reason}; the sandbox blocked it: ${visibleLine(line, 200)}` };
}
