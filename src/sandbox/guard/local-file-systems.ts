import { statfsSync } from '../../lib/files/exact-files.ts';

/** ext, xfs, btrfs, tmpfs, f2fs, overlay, zfs, bcachefs. */
const localTypes = [
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x794c7630, 0x2fc12fc1, 0xca451a4e,
];

/** Whether change times there come from this machine's clock. */
export function isLocal(path: string): boolean {
  try {
    return localTypes.includes(statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}
