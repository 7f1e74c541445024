import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes into a git index, with a valid checksum, that a file was seen as it is now on disk and holds another object. */
export function forgeIndex(root: string, name: string, blob: string): void {
  const file = join(root, '.git', 'index');
  const bytes = readFileSync(file).subarray(0, -20);
  const count = bytes.readUInt32BE(8);
  for (let at = 12, entry = 0; entry < count; entry++) {
    const length = bytes.readUInt16BE(at + 60) & 0xfff;
    if (bytes.toString('utf8', at + 62, at + 62 + length) === name) {
      seenFields(join(root, name)).forEach((value, index) => {
        bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), at + 4 * index);
      });
      bytes.write(blob, at + 40, 'hex');
    }
    at += Math.floor((62 + length + 8) / 8) * 8;
  }
  writeFileSync(file, Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
}

/** The ten numbers that git compares, in its order. */
function seenFields(path: string): bigint[] {
  const { ctimeNs, mtimeNs, dev, ino, mode, uid, gid, size } = lstatSync(path, { bigint: true });
  const second = 1_000_000_000n;
  return [
    ...[ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second],
    ...[dev, ino, mode, uid, gid, size],
  ];
}
