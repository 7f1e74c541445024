import type { CallEffect, Tool } from '../protocol/index.ts';

/**
 * What a call does to the world, for the journal: a call that can change something is recorded before it runs. Unless the tool says so
 * itself, one that may run beside others changes nothing, and every other may change anything.
 */
export function classifyCall(tool: Tool, input: Record<string, unknown>): CallEffect {
  return tool.effect?.(input) ?? (tool.concurrent(input) ? 'harmless' : 'unsafe');
}
