import { ok } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { FileLeases, FileTouch, LeaseHolder } from '../protocol/lease.ts';
import type { Leases } from './leases.ts';
import type { WatchedChange, WatchedFiles } from './watched-files.ts';

export interface FileLeasesOptions {
  leases: Leases;
  /** Shared by all agents of a session. */
  watched: WatchedFiles;
  /** Changed while a call of an agent ran. Reported once for each call. */
  touched(agentId: string | null, toolUseId: string, files: FileTouch[]): void;
  /** For the holder of a lease that another agent ignored. */
  tellHolder(agentId: string | null, text: string): void;
}

interface OpenWatch {
  agentId: string | null;
  changes: Map<string, WatchedChange>;
}

/**
 * The view of each agent's tools: leases for files they write, and a check of all files that agents wrote around each
 * command. The author of a change made outside the tools is unknown; the agents whose commands ran meanwhile are known.
 */
export function openFileLeases(options: FileLeasesOptions): (agentId: string | null) => FileLeases {
  const { leases, watched } = options;
  const open = new Set<OpenWatch>();

  /** Each change is attributed to every command that ran when it was noticed. */
  const look = () => {
    const changes = watched.changes();
    for (const change of changes) {
      for (const { changes } of open) changes.set(change.path, change);
      tellHolders(change);
    }
  };
  const tellHolders = ({ path, kind }: WatchedChange) => {
    for (const { holder } of leases.list().filter((lease) => lease.path === path)) {
      const runners = [...new Set([...open].map(({ agentId }) => agentId))];
      // A holder whose own command runs probably did it itself; it has to read the file before its next edit anyway.
      if (runners.length === 0 || runners.includes(holder.agentId)) continue;
      const who = runners.map((id) => (id === null ? 'the main agent' : `the agent ${id}`)).join(' and ');
      options.tellHolder(
        holder.agentId,
        `${visibleLine(path, 500)}, which is leased to you, was ${kind} during a command run by ${who}. Read it again before you edit it.`,
      );
    }
  };
  const describeTouch = (agentId: string | null, { path, kind }: WatchedChange): FileTouch => {
    const other = leases.list().find((lease) => lease.path === path && lease.holder.agentId !== agentId);
    return { path, kind, ...(other ? { holder: other.holder } : {}) };
  };

  return (agentId) => ({
    conflict: (path) => leases.conflict(agentId, path),
    take(path, before) {
      const taken = leases.take(agentId, path, before);
      if (!taken.ok) return taken;
      return ok({
        written(hash) {
          watched.watch(path, hash);
          taken.value.written();
        },
        notWritten: () => taken.value.notWritten(),
      });
    },
    watch(toolUseId) {
      look();
      const own: OpenWatch = { agentId, changes: new Map() };
      open.add(own);
      return {
        end() {
          if (!open.has(own)) return [];
          look();
          open.delete(own);
          const files = [...own.changes.values()].map((change) => describeTouch(agentId, change));
          if (files.length > 0) options.touched(agentId, toolUseId, files);
          return files.flatMap(({ path, kind, holder }) =>
            holder
              ? [
                  `While this ran, ${visibleLine(path, 500)} was ${kind}, which is leased to ${describeHolder(holder)}. If your command did this, leave the file to that agent from now on.`,
                ]
              : [],
          );
        },
      };
    },
  });
}

export function describeHolder({ agentId, type, description }: LeaseHolder): string {
  if (agentId === null) return 'the main agent';
  const what = description === undefined ? '' : ` "${visibleLine(description, 100)}"`;
  return `the agent ${agentId} (${visibleLine(type, 60)}${what})`;
}
