import { basename } from 'node:path';

/** The language of a shell: bash's own, or that of a plain `sh`, which may be dash, busybox or another. */
export function findDialect(shell: string): 'bash' | 'sh' {
  return basename(shell) === 'bash' ? 'bash' : 'sh';
}
