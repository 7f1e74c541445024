import { TeamMemory } from '../../team/memory.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { Kernel } from '../kernel.ts';

/** The notes that a team shares. The secrets that this session knows are refused there. */
export function openMemory(
  { memory: directory, leases }: TeamPlace,
  { place: { machine, clock, secrets } }: Kernel,
  told: (text: string) => void,
): TeamMemory {
  return new TeamMemory({ directory, leases, machine, clock, secrets, told });
}
