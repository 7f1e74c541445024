import type { Disk, DiskFile } from '../../src/lib/files/disk.ts';

/** A disk on which `syncSoon` takes until the test lets it end. */
export function holdSyncs(disk: Disk): { disk: Disk; now: string[]; pending: (() => void)[] } {
  /** Files that were synced at once. */
  const now: string[] = [];
  const pending: (() => void)[] = [];
  const hold = (file: DiskFile, path: string): DiskFile => ({
    write: (bytes, start) => file.write(bytes, start),
    read: (buffer, position) => file.read(buffer, position),
    readSoon: (buffer, position) => file.readSoon(buffer, position),
    stat: () => file.stat(),
    truncate: (size) => file.truncate(size),
    chmod: (mode) => file.chmod(mode),
    chown: (uid, gid) => file.chown(uid, gid),
    sync() {
      now.push(path);
      file.sync();
    },
    syncSoon: () => new Promise<void>((resolve) => void pending.push(resolve)),
    close: () => file.close(),
  });
  return { disk: { ...disk, open: (path, how) => hold(disk.open(path, how), path) }, now, pending };
}
