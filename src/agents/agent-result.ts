import { countThings } from '../lib/text/count-things.ts';
import { errorResult, noUsage, type TaskEnd, type ToolResult, textResult } from '../protocol/index.ts';
import { describeCopyEnd, frameReport } from '../protocol/report-frame.ts';
import type { AgentRun } from './kernel.ts';
import { summarizeTools } from './progress.ts';
import { type AgentSpec, findOwner, formatType } from './spec.ts';

/** The run as the end of its task. An empty or cut-off answer is not `completed`. */
export function buildTaskEnd({
  outcome,
  totalTokens,
  toolUses,
  durationMs,
  tools,
  report,
}: AgentRun): TaskEnd {
  const status =
    outcome.kind === 'completed'
      ? 'completed'
      : outcome.kind === 'interrupted' || outcome.kind === 'killed'
        ? 'killed'
        : 'failed';
  return {
    status,
    outcome: outcome.kind,
    text: outcome.text,
    ...(report ? { report } : {}),
    ...(outcome.reason ? { reason: outcome.reason } : {}),
    usage: { totalTokens, toolUses, durationMs, requests: outcome.usage, tools },
  };
}

/** The tool result for a parent that waited for the agent. An agent's failure is a result, never a crash. */
export function renderResult(spec: AgentSpec, prompt: string, end: TaskEnd): ToolResult {
  const text = [...spec.notes, renderBody(end), renderWorktree(spec, end), renderFoot(spec, end)]
    .filter((part) => part !== '')
    .join('\n\n');
  const result = end.status === 'completed' ? textResult(text) : errorResult(text);
  return { ...result, data: describeResult(spec, prompt, end) };
}

/** The tool result for a parent whose agent continues in the background. */
export function launchedResult(
  spec: AgentSpec,
  prompt: string,
  outputFile: string,
  moved: boolean,
): ToolResult {
  const { id, notes, request, engine, place, parent } = spec;
  const { worktree } = place;
  const how = moved
    ? 'The agent is still running, now in the background.'
    : 'The agent runs in the background.';
  // A coordinator cannot read files.
  const canRead = parent.context.tools.some(({ name }) => name === 'Read');
  const text =
    `${how} Its id is ${id}; you will be notified when it ends, so do not wait or poll.` +
    (canRead ? ` Its output so far is in ${outputFile}.` : '');
  return textResult([...notes, text].join('\n\n'), {
    status: 'async_launched',
    isAsync: true,
    agentId: id,
    agentType: formatType(spec),
    description: request.description,
    resolvedModel: engine.model.id,
    prompt,
    outputFile,
    canReadOutputFile: canRead,
    ...(worktree ? { worktreePath: worktree.path, worktreeBranch: worktree.branch } : {}),
  });
}

function renderBody({ status, outcome, text, reason, report }: TaskEnd): string {
  if (status === 'completed') return frameReport(text, report);
  const said =
    text === '' ? 'It had produced no output yet.' : `Its last message:\n\n${frameReport(text, report)}`;
  return `The agent did not finish (${outcome ?? status}): ${reason ?? 'no reason given'}\n\n${said}`;
}

/** Its work reaches the main checkout only when it is landed. */
function renderWorktree({ place }: AgentSpec, { worktree: kept, copyOf }: TaskEnd): string {
  if (kept)
    return `[Its work is in the worktree ${kept.name} at ${kept.path}, branch ${kept.branch}: ${kept.diffstat}.]`;
  if (copyOf !== undefined) return `[${describeCopyEnd(copyOf)}]`;
  return place.worktree ? '[It changed nothing, so its worktree was removed.]' : '';
}

function renderFoot(spec: AgentSpec, { usage }: TaskEnd): string {
  const used = usage
    ? `; ${countThings(usage.toolUses, 'tool use')}, ${usage.totalTokens} tokens, ${Math.round(usage.durationMs / 1000)} s`
    : '';
  // Agents below the lead do not have this tool.
  const again = findOwner(spec) === null ? '. SendMessage to this id resumes the agent.' : '';
  return `[agentId: ${spec.id}${used}${again}]`;
}

function describeResult(
  spec: AgentSpec,
  prompt: string,
  { status, outcome, text, usage, worktree, report }: TaskEnd,
): object {
  return {
    status,
    outcome: outcome ?? status,
    agentId: spec.id,
    agentType: formatType(spec),
    content: [{ type: 'text', text }],
    ...(report ? { claims: report.claims } : {}),
    resolvedModel: spec.engine.model.id,
    totalToolUseCount: usage?.toolUses ?? 0,
    totalDurationMs: Math.round(usage?.durationMs ?? 0),
    totalTokens: usage?.totalTokens ?? 0,
    usage: {
      ...noUsage,
      ...usage?.requests,
      server_tool_use: null,
      service_tier: null,
      cache_creation: null,
    },
    ...(usage?.tools
      ? { toolsUsed: Object.keys(usage.tools.byName), toolStats: summarizeTools(usage.tools) }
      : {}),
    prompt,
    ...(worktree
      ? { worktreePath: worktree.path, worktreeBranch: worktree.branch, worktreeDiffstat: worktree.diffstat }
      : {}),
  };
}
