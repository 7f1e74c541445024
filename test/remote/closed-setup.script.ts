import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSetupCache } from '../../src/session/remote/setup/setup-cache.ts';

/** Keeps what twelve setups have left, in directories that they closed. Returns what is kept in the end. */
export default async function keepClosed(_: unknown[], path: string): Promise<number> {
  const directory = join(path, 'setups');
  const inside = join(path, 'top/made/inside');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'a'), '');
  chmodSync(inside, 0o500);
  const cache = openSetupCache(directory, ['made'], (text) => {
    throw new Error(text);
  });
  for (let count = 10; count < 22; count++) await cache.keep(`${count}`.repeat(20), join(path, 'top'));
  chmodSync(inside, 0o700);
  const kept = readdirSync(directory);
  for (const key of kept) chmodSync(join(directory, key, '0/inside'), 0o700);
  return kept.length;
}
