import { statfsSync } from 'node:fs';

/**
 * ext, xfs, btrfs, f2fs, bcachefs: the first write through a mapping changes the time, and so does the first after each
 * write-back.
 */
const tellingTypes = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0xca451a4e];

/**
 * Whether the time of a file's last change shows that a program began to write to it through a mapping (`mmap`). In memory
 * (tmpfs) it does not; for others, such as overlay file systems, it is unknown.
 */
export function tellsMappedWrites(directory: string): boolean {
  try {
    return process.platform === 'linux' && tellingTypes.includes(statfsSync(directory).type >>> 0);
  } catch {
    return false;
  }
}
