import type { Disk } from './disk.ts';

/** The text of a small file of our own; undefined where there is none, or not a regular file of at most so many bytes. */
export function readSmallText(path: string, maxBytes: number, disk: Disk): string | undefined {
  try {
    const file = disk.open(path, { access: 'read' });
    try {
      const { size } = file.stat();
      if (size > maxBytes) return undefined;
      const bytes = Buffer.alloc(size);
      let length = 0;
      for (let count = 1; count > 0; length += count) count = file.read(bytes.subarray(length), length);
      return bytes.toString('utf8', 0, length);
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

/** Makes a small file that must not exist yet. Throws the system's error. Not synced. */
export function writeNew(path: string, text: string, disk: Disk): void {
  const file = disk.open(path, { access: 'write', create: 'new' });
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += file.write(bytes, done);
  } finally {
    file.close();
  }
}

/** A missing file is not an error. */
export function removeQuietly(path: string, disk: Disk): void {
  try {
    disk.unlink(path);
  } catch {}
}

/** The names in a directory; none where it is missing or cannot be listed. */
export function listQuietly(directory: string, disk: Disk): string[] {
  try {
    return disk.list(directory);
  } catch {
    return [];
  }
}

/** In bytes; 0 where the system does not say: reading the file then says why. */
export function measureFile(path: string, disk: Disk): number {
  try {
    return disk.stat(path)?.size ?? 0;
  } catch {
    return 0;
  }
}

/** False also where the way to it is closed. */
export function isThere(path: string, disk: Disk): boolean {
  try {
    return disk.stat(path) !== undefined;
  } catch {
    return false;
  }
}
