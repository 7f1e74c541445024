import type { RealPath } from '../lib/files/real-places.ts';
import type { BeforeTool, Decision, Tool, ToolUseBlock } from '../protocol/index.ts';
import { canonicalToolName, isMcpToolName } from '../protocol/tool-names.ts';
import type { AgentContext } from './agent-context.ts';

/** A call that is ready to be judged and run, or the reason why it cannot be. */
export type CheckedCall = PreparedCall | RejectedCall;

export interface PreparedCall {
  ok: true;
  id: string;
  tool: Tool;
  /** As validated: exactly what is judged, shown and run. */
  input: Record<string, unknown>;
  concurrent: boolean;
  summary: string;
  /** The facts that the judgement is based on, for the code that runs it. */
  neutralise?: Decision['neutralise'];
  /** The words of hooks before it. */
  hooked?: BeforeTool;
  confine?: Decision['confine'];
  within?: Decision['within'];
  /** Where its paths led when it was judged. */
  targets?: ReadonlyMap<string, RealPath>;
  /** What its preview showed, if somebody was asked. */
  previewed?: unknown;
  /** A person has seen and allowed it. */
  seen?: true;
}

export interface RejectedCall {
  ok: false;
  id: string;
  name: string;
  input: Record<string, unknown>;
  concurrent: true;
  reason: string;
}

function listTools({ tools }: AgentContext): string {
  if (tools.length === 0) return 'No tools are available: answer without one.';
  return `Available tools: ${tools.map(({ name }) => name).join(', ')}.`;
}

/** `answered`: the input comes from the user who allowed the call and may give what the model may not. */
export function prepareCall(agent: AgentContext, use: ToolUseBlock, answered = false): CheckedCall {
  if (use.invalidInput !== undefined) return reject(use, explainInvalid(use.name, use.invalidInput));
  const tool = byName(agent, use.name) ?? byName(agent, canonicalToolName(use.name));
  if (!tool) {
    const late = throughLateTool(agent, use);
    if (late) return prepareCall(agent, late, answered);
    return reject(use, `There is no tool "${use.name}". ${listTools(agent)}`);
  }
  const schema = (answered ? tool.answered : undefined) ?? tool.schema;
  const parsed = schema.safeParse(use.input);
  if (!parsed.success)
    return reject(use, `The input of ${tool.name} is invalid: ${explain(parsed.error.issues)}.`);
  const input = parsed.data as Record<string, unknown>;
  const other = tool.standsFor?.(input);
  if (other) return prepareCall(agent, { ...use, ...other }, answered);
  return {
    ok: true,
    id: use.id,
    tool,
    input,
    concurrent: tool.concurrent(input),
    summary: tool.summary(input),
  };
}

/**
 * A tool of a server that is still starting, called by its own name: the tool that represents such tools waits for the
 * server. A tool that is already known was withheld from this agent, and stays so.
 */
function throughLateTool(agent: AgentContext, use: ToolUseBlock): ToolUseBlock | undefined {
  const name = 'McpCall';
  const late = isMcpToolName(use.name) ? byName(agent, name) : undefined;
  const [, server = '', ...rest] = use.name.split('__');
  const input = { server, tool: rest.join('__'), arguments: use.input };
  return late && late.standsFor?.(input) === undefined ? { ...use, name, input } : undefined;
}

function byName({ tools, unlisted = [] }: AgentContext, name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? unlisted.find((tool) => tool.name === name);
}

function reject(use: ToolUseBlock, reason: string): RejectedCall {
  return { ok: false, id: use.id, name: use.name, input: use.input, concurrent: true, reason };
}

function explainInvalid(name: string, written: string): string {
  const shown = written.length > maxWritten ? `${written.slice(0, maxWritten)}…` : written;
  return `The input of ${name} is not a JSON object, so the call was not run. It began with: ${shown}\nSend the call again with a valid JSON object.`;
}

const maxWritten = 300;

function explain(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => ({ path, message: message.replace(/\.$/, '') }))
    .map((issue) =>
      issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ${issue.message}` : issue.message,
    )
    .join('; ');
}
