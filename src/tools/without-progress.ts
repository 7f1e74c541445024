import type { ToolProgress, ToolResult } from '../protocol/tool.ts';

/** The run of a tool that has no progress to show before its result. */
// biome-ignore lint/correctness/useYield: that is the point.
export async function* withoutProgress(
  work: () => Promise<ToolResult>,
): AsyncGenerator<ToolProgress, ToolResult> {
  return await work();
}
