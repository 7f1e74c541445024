import { sayProblem } from '../lib/result.ts';
import { errorResult, type Tool, type ToolContext } from '../protocol/tool.ts';
import type { TeamMemory } from './memory.ts';

/**
 * A tool that writes files keeps to the rules of the team's memory there: one writer at a time, no secrets, bounded. Commands
 * are not covered: what they write is inspected afterwards, by the watch.
 */
export function guardMemory(tool: Tool, find: () => TeamMemory | undefined): Tool {
  return {
    ...tool,
    async *run(input, context) {
      const memory = find();
      const path = memory && findWritten(tool, input, context, memory);
      if (!memory || path === undefined) return yield* tool.run(input, context);
      const name = memory.nameFile(path) ?? path;
      const checked = memory.check(name, collectWritten(input));
      if (!checked.ok) return errorResult(sayProblem(checked.problem));
      const held = memory.hold(name);
      if (!held.ok) return errorResult(sayProblem(held.problem));
      try {
        const result = yield* tool.run(input, context);
        if (memory.inspect([name]).length === 0) return result;
        return errorResult(
          `${path} was taken out of the team's memory: it is too large, or contains a secret.`,
        );
      } finally {
        held.value();
      }
    },
  };
}

/** Where the call was judged to write, if that is in the memory. */
function findWritten(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  memory: TeamMemory,
): string | undefined {
  return tool
    .access(input, context.directory.current)
    .flatMap((access) => (access.kind === 'write' ? [context.judged(access.path) ?? access.path] : []))
    .find((path) => memory.contains(path));
}

/** All text of a call but what it takes away. */
function collectWritten(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.entries(input)
    .flatMap(([key, value]) => (key === 'old_string' || typeof value !== 'string' ? [] : [value]))
    .join('\n');
}
