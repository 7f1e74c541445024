import type { AgentMemory } from '../knowledge/agent-memory.ts';
import { matchesToolName } from '../permissions/names.ts';
import type { Role } from '../permissions/types.ts';
import type { Tool } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';

const memoryTools = ['Read', 'Write', 'Edit'];

/**
 * What keeping a memory takes. Of these tools an agent gets those that it lacks, for the directory of its memory and
 * nothing else; what its definition disallows it does not get for that either.
 */
export function withMemory(
  memory: AgentMemory | undefined,
  all: readonly Tool[],
  { tools, role }: { tools: readonly Tool[]; role: Role },
  { disallowedTools }: AgentDefinition,
): { tools: readonly Tool[]; role: Role } {
  if (!memory?.mayWrite) return { tools, role };
  const added = all.filter(
    ({ name }) =>
      memoryTools.includes(name) &&
      !tools.some((tool) => tool.name === name) &&
      !disallowedTools.some((pattern) => matchesToolName(pattern, name)),
  );
  if (added.length === 0) return { tools, role };
  const names = added.map(({ name }) => name);
  // In the order of all tools, as everybody else's are.
  const both = all.filter((tool) => tools.includes(tool) || added.includes(tool));
  return {
    tools: both,
    role: {
      ...role,
      tools: role.tools === '*' ? '*' : [...role.tools, ...names],
      confined: { tools: names, to: [memory.directory] },
    },
  };
}
