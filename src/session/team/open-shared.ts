import { TeamMemory } from '../../team/memory.ts';
import { openSharedFiles, type SharedFiles } from '../../team/shared-files.ts';
import type { SessionCrew } from './crew.ts';

/** The notes that a team shares. The secrets that this session knows are refused there. */
export function openMemory(crew: SessionCrew): TeamMemory {
  const { machine, clock, secrets } = crew.kernel.place;
  const { memory: directory, leases } = crew.office.place;
  return new TeamMemory({ directory, leases, machine, clock, secrets, told: (text) => crew.warn(text) });
}

/** Who writes which file, for all processes of a team. */
export function openFiles(crew: SessionCrew): SharedFiles {
  const { machine, clock } = crew.kernel.place;
  const { office, own } = crew;
  const nameHolder = (agentId: string | null) =>
    `${office.findByAgent(agentId)?.claim.name ?? own.claim.name}@${office.name}`;
  return openSharedFiles({ place: office.place, machine, clock, nameHolder });
}
