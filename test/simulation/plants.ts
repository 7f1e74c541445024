import type { Disk } from '../../src/lib/files/disk.ts';
import { ok } from '../../src/lib/result.ts';
import type { Kernel } from '../../src/session/kernel.ts';
import type { Restored } from '../../src/session/restore.ts';
import type { Plant } from './world.ts';

/** Mistakes that the simulator must find. Each is built in through a port or around a part, never in the source itself. */
export const plants = {
  /** A disk cache that nobody asked for: a write returns before its bytes are kept, and they follow with the next one. */
  'an announcement before it is durable': { disk: writeBehind },
  /** At the end of a run the agent goes to sleep on what it saw at its beginning. */
  'a lost wake': { kernel: sleepAfterRun },
  /** A process that was paused believes that it still has the session. */
  'a stale epoch accepted': {
    claim: (claim) => Object.assign(Object.create(claim), { check: () => ok(undefined) }),
  },
  'a double claim': { disk: linkOver },
  /** Whatever did not end by itself continues, also if it was reported as dead. */
  'a dead agent that runs again': { restored: reviveAll },
  /** Prompts that were taken and not read are dropped by the next process. */
  'a prompt that was taken and lost': { restored: (restored) => ({ ...restored, waiting: [] }) },
} satisfies Record<string, Plant>;

function reviveAll(restored: Restored): Restored {
  const { suspended, agents } = restored;
  if (!suspended?.lead) return restored;
  const { lead } = suspended;
  const newest = new Map(agents.map((record) => [record.task.id, record.task]));
  const revived = [...newest.values()].filter(({ status }) => status !== 'completed' && status !== 'failed');
  return { ...restored, suspended: { lead, agents: revived.map((task) => ({ task, suspended: lead })) } };
}

function writeBehind(disk: Disk): Disk {
  return {
    ...disk,
    open(path, how) {
      const file = disk.open(path, how);
      if (how.access !== 'append') return file;
      let waiting: Uint8Array | undefined;
      const write = (bytes: Uint8Array, start: number) => {
        if (waiting) file.write(waiting, 0);
        waiting = bytes.slice(start);
        return bytes.length - start;
      };
      return {
        ...{
          write,
          truncate: (size) => file.truncate(size),
          stat: () => file.stat(),
          close: () => file.close(),
        },
        ...{ read: (buffer, position) => file.read(buffer, position), chmod: (mode) => file.chmod(mode) },
        ...{
          readSoon: (buffer, position) => file.readSoon(buffer, position),
          chown: (uid, gid) => file.chown(uid, gid),
        },
        ...{ sync: () => file.sync(), syncSoon: () => file.syncSoon() },
      };
    },
  };
}

function sleepAfterRun({ inbox }: Kernel): void {
  const isEmpty = inbox.isEmpty.bind(inbox);
  const take = inbox.takeForRun.bind(inbox);
  let looks = 0;
  inbox.takeForRun = () => {
    looks = 2;
    return take();
  };
  inbox.isEmpty = () => looks-- > 0 || isEmpty();
}

/** The agent looks into its inbox, and for a moment takes that answer for the next one. */
export function sleepOnOldAnswer({ inbox }: Kernel): void {
  const isEmpty = inbox.isEmpty.bind(inbox);
  let seen: boolean | undefined;
  inbox.isEmpty = () => {
    seen ??= isEmpty();
    queueMicrotask(() =>
      queueMicrotask(() => {
        seen = undefined;
      }),
    );
    return seen;
  };
}

/** A reader that does not look at epochs: as if no record had one. */
export function hideEpochs(disk: Disk): Disk {
  const hide = (bytes: Uint8Array) =>
    Buffer.from(
      Buffer.from(bytes)
        .toString('latin1')
        .replaceAll(/,"epoch":\d+/g, (found) => ' '.repeat(found.length)),
      'latin1',
    );
  return {
    ...disk,
    open(path, how) {
      const file = disk.open(path, how);
      if (how.access !== 'read' || !path.endsWith('.jsonl')) return file;
      const read = (buffer: Uint8Array, position: number) => {
        const count = file.read(buffer, position);
        buffer.set(hide(buffer.subarray(0, count)));
        return count;
      };
      return Object.assign(Object.create(file), { read, stat: () => file.stat(), close: () => file.close() });
    },
  };
}

/** A file system on which a second name replaces a file that has it: two processes can then win the same number. */
export function linkOver(disk: Disk): Disk {
  return {
    ...disk,
    link(path, second) {
      if (disk.stat(second) !== undefined) disk.unlink(second);
      disk.link(path, second);
    },
  };
}
