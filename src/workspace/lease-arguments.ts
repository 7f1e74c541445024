import { resolve } from 'node:path';
import { ok, type Result } from '../lib/result.ts';
import type { FileLeases, LeaseConflict, TakenLease } from '../protocol/lease.ts';
import { resolveRealPath } from './real-path.ts';
import { readFileStamp } from './watched-files.ts';

export interface ArgumentLeases {
  /** After the call: files it wrote are leased, the rest is released. Returns messages for the caller. */
  end(): string[];
}

interface Named extends TakenLease {
  path: string;
  stamp: string | null;
}

const maxPaths = 50;
const maxPathLength = 4096;
const maxDepth = 4;

/**
 * For a call to an external tool, of which only the arguments are known: each string that may name a file is leased while the
 * call runs, and afterwards if the file has changed.
 */
export function leaseArguments(
  leases: FileLeases,
  args: unknown,
  { root, toolUseId }: { root: string; toolUseId: string },
): Result<ArgumentLeases, LeaseConflict> {
  const watch = leases.watch(toolUseId);
  const named: Named[] = [];
  for (const path of new Set(findPaths(args, root))) {
    const taken = leases.take(path, undefined);
    if (!taken.ok) {
      for (const one of named) one.notWritten();
      watch.end();
      return taken;
    }
    named.push({ ...taken.value, path, stamp: readFileStamp(path) });
  }
  return ok({
    end() {
      for (const { path, stamp, written, notWritten } of named)
        if (readFileStamp(path) === stamp) notWritten();
        else written();
      return watch.end();
    },
  });
}

function findPaths(args: unknown, root: string): string[] {
  return listTexts(args, maxDepth)
    .filter((text) => text !== '' && text.length <= maxPathLength && !/[\0\n]/.test(text))
    .slice(0, maxPaths)
    .map((text) => resolveRealPath(resolve(root, text)));
}

function listTexts(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((inner) => listTexts(inner, depth - 1));
}
