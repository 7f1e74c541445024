import { statfsSync } from '../lib/files/exact-files.ts';

/**
 * Whether a link in this directory has one target, whichever process follows it. In `/proc` it does not (`/proc/self/cwd` is
 * the directory of the process that asks), and what leads there (`/dev/fd`, `/dev/stdin`) passes through such a link.
 * Systems that mount on demand, and any that are not in the list, may answer each process differently as well.
 */
export function hasFixedLinks(directory: string): boolean {
  // Elsewhere there are no such links but those of the devices, and the numbers of file systems mean nothing.
  if (process.platform !== 'linux') return !/^\/dev(?:\/|$)/.test(directory);
  try {
    return storing.has(statfsSync(directory).type >>> 0);
  } catch {
    return false;
  }
}

/** File systems that store a link as it was made: numbers of linux/magic.h, and of those that it does not list. */
const storing: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0xca451a4e, 0x2fc12fc1], // ext, xfs, btrfs, f2fs, bcachefs, zfs
  ...[0x01021994, 0x858458f6, 0x794c7630, 0x61756673], // tmpfs, ramfs, overlayfs, aufs
  ...[0x3153464a, 0x52654973, 0x3434, 0x24051905, 0x72b6, 0x00011954], // jfs, reiserfs, nilfs, ubifs, jffs2, ufs
  ...[0x4d44, 0x2011bab0, 0x7366746e, 0x5346544e, 0x482b, 0x4244], // vfat, exfat, ntfs3, ntfs, hfs+, hfs
  ...[0x73717368, 0xe0f5e1e2, 0x28cd3d45, 0x7275, 0x9660, 0x15013346], // squashfs, erofs, cramfs, romfs, iso9660, udf
  ...[0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x01021997, 0x00c36400], // nfs, cifs, smb2, smb, 9p, ceph
  ...[0x0bd00bd0, 0x47504653, 0x7461636f, 0x01161970, 0xf15f, 0x5dca2df5], // lustre, gpfs, ocfs2, gfs2, ecryptfs, sdcardfs
  // What a server makes of a request is its own affair, but these are also the directories that virtual machines share.
  ...[0x65735546, 0x786f4256, 0xbacbacbc, 0x7c7c6673, 0x53464846], // fuse and virtiofs, vboxsf, vmhgfs, prl_fs, WSL
]);
