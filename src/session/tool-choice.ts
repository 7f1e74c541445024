import { ok, type Result, usage } from '../lib/result.ts';
import { matchesToolName } from '../permissions/names.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import { canonicalToolName } from '../protocol/tool-names.ts';

/**
 * The tools that the model is shown, in their stable order. `only` names the built-in ones to keep; a tool that a
 * rule denies as a whole is left out, since showing it would only invite refusals.
 */
export function poolTools(
  builtIn: readonly Tool[],
  own: readonly Tool[],
  only: readonly string[] | undefined,
  rules: readonly Rule[],
): Result<Tool[]> {
  const kept = only === undefined || only.includes('default') ? ok([...builtIn]) : pick(builtIn, only);
  if (!kept.ok) return kept;
  const names = new Set(own.map((tool) => tool.name));
  const pool = [...kept.value.filter((tool) => !names.has(tool.name)), ...own];
  return ok(pool.filter((tool) => !isDenied(tool.name, rules)));
}

/**
 * The names that `--tools` leaves to the session as a whole: agents, forks and skills choose from these and nothing else.
 * Undefined where it does not limit them. Reading and stopping one's own background commands belongs to the shell.
 */
export function namesForAll(only: readonly string[] | undefined): string[] | undefined {
  if (only === undefined || only.includes('default')) return undefined;
  const wanted = only.map(canonicalToolName);
  return wanted.includes('Bash') ? [...new Set([...wanted, 'TaskOutput', 'TaskStop'])] : wanted;
}

/**
 * The session's ceiling on tools. Tools of the program that opened it are its own choice, and `--tools` says nothing of
 * MCP servers and of the form of an answer.
 */
export function toolCeiling(
  only: readonly string[] | undefined,
  own: readonly Tool[],
): { tools?: readonly string[] } {
  const names = namesForAll(only);
  return names ? { tools: [...names, ...own.map(({ name }) => name), ...unlimited] } : {};
}

const unlimited = ['SyntheticOutput', 'McpCall', 'ListMcpResourcesTool', 'ReadMcpResourceTool'];

function pick(tools: readonly Tool[], names: readonly string[]): Result<Tool[]> {
  const wanted = names.map(canonicalToolName);
  const unknown = names.find((_, index) => !tools.some((tool) => tool.name === wanted[index]));
  if (unknown !== undefined)
    return usage(
      `--tools: there is no tool "${unknown}".`,
      `The tools are ${tools.map((tool) => tool.name).join(', ')}.`,
    );
  return ok(tools.filter((tool) => wanted.includes(tool.name)));
}

export function isDenied(name: string, rules: readonly Rule[]): boolean {
  return rules.some(
    (rule) => rule.behaviour === 'deny' && rule.specifier === undefined && matchesToolName(rule.tool, name),
  );
}
