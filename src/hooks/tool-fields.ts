import {
  type HookedCall,
  type HookedEnd,
  type HookedTask,
  isMcpToolName,
  type Question,
  textOf,
} from '../protocol/index.ts';

/** The fields of a call that hooks read, by the names that other products use. */
export function callFields({ toolName, toolUseId, input }: HookedCall): Record<string, unknown> {
  return { ...toolFields(toolName, input), tool_use_id: toolUseId };
}

export function endFields(
  event: 'PostToolUse' | 'PostToolUseFailure',
  { result, durationMs, isInterrupt }: HookedEnd,
): Record<string, unknown> {
  const duration_ms = Math.round(durationMs);
  if (event === 'PostToolUseFailure')
    return { error: textOf(result.content), is_interrupt: isInterrupt, duration_ms };
  return { tool_response: result.data ?? result.content, duration_ms };
}

export function questionFields({ toolName, input, suggestions }: Question): Record<string, unknown> {
  const permission_suggestions = suggestions.map((rule) => ({
    type: 'addRules',
    rules: [{ toolName: rule.tool, ruleContent: rule.specifier }],
    behavior: rule.behaviour,
    destination: 'session',
  }));
  return { ...toolFields(toolName, input), permission_suggestions };
}

export function taskFields(item: HookedTask): Record<string, unknown> {
  return {
    task_id: item.id,
    task_subject: item.subject,
    task_description: item.description,
    teammate_name: item.teammateName,
    team_name: item.teamName,
  };
}

/** A command is a command, whichever tool runs it: a guard for `Bash` guards those as well. */
export function nameForHooks({ toolName, input }: Pick<HookedCall, 'toolName' | 'input'>): string {
  return toolName === 'Monitor' && typeof input.command === 'string' ? 'Bash' : toolName;
}

function toolFields(toolName: string, input: Record<string, unknown>): Record<string, unknown> {
  const server = isMcpToolName(toolName) ? toolName.split('__')[1] : undefined;
  return {
    tool_name: nameForHooks({ toolName, input }),
    tool_input: input,
    mcp_server: server === undefined ? undefined : { name: server },
  };
}
