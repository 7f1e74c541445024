import type { TeamMemory } from '../team/memory.ts';
import type { SessionFeature } from './opening.ts';
import type { LeadPermissions } from './permissions.ts';

/** The memory of the session's team, while it has one. */
export interface OpenTeamMemory {
  current(): TeamMemory | undefined;
  /**
   * From now on file tools write there without asking, by its rules, and what else writes there is inspected by one process of the
   * team. Until the returned function is called.
   */
  use(memory: TeamMemory, how: { inspects: boolean }): () => void;
}

export function teamMemoryFeature(permissions: LeadPermissions): SessionFeature<OpenTeamMemory> {
  return {
    name: 'team memory',
    open() {
      let memory: TeamMemory | undefined;
      const change = (next: TeamMemory | undefined) => {
        memory = next;
        permissions.shareNotes(next?.directory);
      };
      return {
        current: () => memory,
        use(next, { inspects }) {
          change(next);
          const unwatch = inspects ? next.watch() : undefined;
          return () => {
            unwatch?.();
            change(undefined);
          };
        },
      };
    },
  };
}
