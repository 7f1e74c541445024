import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../../src/lib/files/atomic.ts';
import { openJsonlWriter, readJsonlTail } from '../../src/lib/jsonl/jsonl.ts';

export default function tryRefused(_args: unknown[], directory: string) {
  const closed = join(directory, 'closed');
  mkdirSync(closed);
  writeFileSync(join(closed, 'log'), '');
  chmodSync(closed, 0);
  try {
    return {
      write: writeAtomic(join(closed, 'a'), 'x'),
      directory: ensurePrivateDirectory(join(closed, 'b')),
      append: openJsonlWriter(join(closed, 'log'), 'existing'),
      read: readJsonlTail(join(closed, 'log'), 1),
    };
  } finally {
    chmodSync(closed, 0o700);
  }
}
