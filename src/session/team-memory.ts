import type { TeamMemory } from '../team/memory.ts';
import type { SessionFeature } from './opening.ts';

/** The memory of the session's team, while it has one. */
export interface OpenTeamMemory {
  current(): TeamMemory | undefined;
  /** From now on writes of file tools in its directory keep to its rules; undefined when the team is left. */
  use(memory: TeamMemory | undefined): void;
}

export function teamMemoryFeature(): SessionFeature<OpenTeamMemory> {
  return {
    name: 'team memory',
    open() {
      let memory: TeamMemory | undefined;
      return {
        current: () => memory,
        use(next) {
          memory = next;
        },
      };
    },
  };
}
