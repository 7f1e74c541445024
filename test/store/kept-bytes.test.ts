import { expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { keepBytesSoon } from '../../src/store/files/kept-bytes.ts';
import { smallDisk } from '../support/index.ts';

const disk = smallDisk(256);

disk.test('G5 bytes that a full disk refuses leave no temporary file', async () => {
  const directory = join(disk.path, 'file-history');
  expect(keepBytesSoon(directory, new Uint8Array(10)).ok).toBe(true);
  await disk.whileFull(8_192, () => {
    expect(keepBytesSoon(directory, new Uint8Array(50_000))).toMatchObject({ ok: false });
    expect(readdirSync(directory)).toHaveLength(1);
  });
});
