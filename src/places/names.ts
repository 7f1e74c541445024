import type { Rule } from '../protocol/permission.ts';
import { canonicalToolName, isMcpToolName } from '../protocol/tool-names.ts';
import { matchesName } from './name-pattern.ts';

/** Matches a tool's name against a name, an alias, `mcp__server` (all of its tools) or a pattern with `*`. */
export function matchesToolName(pattern: string, tool: string): boolean {
  const wanted = canonicalToolName(pattern);
  if (wanted === tool) return true;
  if (wanted.includes('*')) return matchesName(wanted, tool);
  return (
    isMcpToolName(wanted) && !wanted.slice('mcp__'.length).includes('__') && tool.startsWith(`${wanted}__`)
  );
}

/** Whether a rule covers everything its tool does. */
export function isWholeTool(rule: Rule): boolean {
  return rule.specifier === undefined || rule.specifier === '*' || rule.specifier === ':*';
}

/** The same, with no place left to which it does not apply. */
export function coversAll(rule: Rule): boolean {
  return isWholeTool(rule) && rule.except === undefined;
}
