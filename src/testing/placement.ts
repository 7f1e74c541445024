import type { Placement } from '../agents/kernel.ts';
import type { AgentSpec } from '../agents/spec.ts';
import { noUsage } from '../protocol/index.ts';

/** A fake of a place where agents run: it runs nothing, gives the configured answers, and records its input. */
export interface MemoryPlacement extends Placement {
  readonly specs: readonly AgentSpec[];
}

export function memoryPlacement(name: string, answer: (spec: AgentSpec) => string): MemoryPlacement {
  const specs: AgentSpec[] = [];
  return {
    name,
    specs,
    async run(_, spec) {
      specs.push(spec);
      return {
        outcome: { kind: 'completed', text: answer(spec), turns: 1, usage: noUsage },
        toolUses: 0,
        totalTokens: 0,
        durationMs: 0,
        tools: { byName: {}, linesAdded: 0, linesRemoved: 0 },
      };
    },
  };
}
