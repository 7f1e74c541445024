import type { AgentDefinition } from '../agents/definition.ts';
import { type AgentMemory, agentMemory } from '../knowledge/agent-memory.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * What an agent of this definition keeps between its runs. What a repository's file says of it has power only where it
 * is trusted: until then the notes that the repository holds are shown as data, and nothing is written unasked; notes in
 * the user's own home are neither shown nor written.
 */
export function memoryOf(
  { name, memory, source, trusted }: AgentDefinition,
  around: Pick<Surroundings, 'root' | 'home' | 'userHome'>,
): AgentMemory | undefined {
  if (memory === undefined) return undefined;
  const mayWrite = source !== 'project' || trusted === true;
  if (memory === 'user' && !mayWrite) return undefined;
  return agentMemory(name, memory, mayWrite, around);
}
