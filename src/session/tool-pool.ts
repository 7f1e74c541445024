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
