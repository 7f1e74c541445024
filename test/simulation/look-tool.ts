import { z } from 'zod';
import { defineTool, type Tool, textResult } from '../../src/protocol/index.ts';

/** Changes nothing. */
export const lookTool: Tool = defineTool({
  ...{ name: 'Look', description: 'Look, simulated', schema: z.strictObject({}) },
  access: () => [{ kind: 'none' }],
  concurrent: () => true,
  summary: () => 'Look',
  // biome-ignore lint/correctness/useYield: nothing to report on the way.
  async *run() {
    return textResult('seen');
  },
}) as Tool;
