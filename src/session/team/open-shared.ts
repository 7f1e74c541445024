import { TeamMemory } from '../../team/memory.ts';
import type { LocalMember, TeamOffice } from '../../team/office.ts';
import { openSharedFiles, type SharedFiles } from '../../team/shared-files.ts';
import type { Kernel } from '../kernel.ts';

interface SharingCrew {
  readonly kernel: Kernel;
  readonly office: TeamOffice;
  readonly own: LocalMember;
  warn(text: string): void;
}

/** The notes that a team shares. The secrets that this session knows are refused there. */
export function openMemory(crew: SharingCrew): TeamMemory {
  const { machine, clock, secrets } = crew.kernel.place;
  const { memory: directory, leases } = crew.office.place;
  return new TeamMemory({ directory, leases, machine, clock, secrets, told: (text) => crew.warn(text) });
}

/** Who writes which file, for all processes of a team. */
export function openFiles(crew: SharingCrew): SharedFiles {
  const { machine, clock } = crew.kernel.place;
  const { office, own } = crew;
  const nameHolder = (agentId: string | null) =>
    `${office.findByAgent(agentId)?.claim.name ?? own.claim.name}@${office.name}`;
  return openSharedFiles({ place: office.place, machine, clock, nameHolder });
}
