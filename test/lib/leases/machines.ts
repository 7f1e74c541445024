import { memoryDisk } from '../../../src/lib/files/memory-disk.ts';
import { countedIds } from '../../../src/lib/ids.ts';
import type { Machine } from '../../../src/lib/machine.ts';

/** Processes of one simulated machine: a disk, a time since the boot, and who is alive. */
export function simulatedMachines(disk = memoryDisk()) {
  const dead = new Set<number>();
  const ids = countedIds();
  let uptime = 1_000_000;
  return {
    disk,
    process: (pid: number, place: { host?: string; space?: string } = {}): Machine => ({
      ...{ disk, ids },
      self: () => ({ pid, start: '1' }),
      isAlive: (mark) => !dead.has(mark.pid),
      locality: () => ({ host: 'here', space: 'boot pid', ...place }),
      uptime: () => uptime,
    }),
    kill: (pid: number) => void dead.add(pid),
    pass: (ms: number) => {
      uptime += ms;
    },
  };
}
