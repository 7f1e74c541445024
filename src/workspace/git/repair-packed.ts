import { join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { findPacked, type KeptFile } from './essentials.ts';
import { parsePackedLine } from './packed.ts';
import type { ReferenceState } from './reference-changes.ts';
import { isReferenceName, parseCommit } from './references.ts';

/**
 * The packed references for a file that git can no longer read. A command may have packed references before it broke the
 * file, which are then nowhere else: those from before and those that can still be read are all kept. Undefined where the
 * old file, or none, is enough.
 */
export function repairPacked(before: ReferenceState, now: ReferenceState): Partial<KeptFile> | undefined {
  const path = join(before.shared, 'packed-refs');
  const old = before.essentials.get(path);
  // Too large to be kept.
  if (old && !old.bytes) return undefined;
  const packed = findPacked(before.essentials, before);
  const present = readLoose(now);
  const missing = [...readLoose(before), ...readIntact(path)].filter(
    ([name, id]) => !present.has(name) && packed.get(name) !== id,
  );
  if (missing.length === 0) return undefined;
  const lines = [...new Map([...packed, ...missing])].map(([name, id]) => `${id} ${name}\n`);
  const { mode, uid, gid } = old ?? before.references.files.get(join(before.own, 'HEAD')) ?? {};
  const owner = mode === undefined || uid === undefined || gid === undefined ? {} : { mode, uid, gid };
  return { bytes: Buffer.from(lines.join(''), 'latin1'), ...owner };
}

/** The references to commits that are files of their own. */
function readLoose({ shared, references }: ReferenceState): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, { text }] of references.files) {
    const id = parseCommit(text);
    const name = path.slice(shared.length + 1);
    // As git writes them in the file.
    if (id !== undefined && path.startsWith(`${shared}/refs/`)) found.set(encodeName(name), id);
  }
  return found;
}

function encodeName(name: string): string {
  return Buffer.from(name).toString('latin1');
}

/** The whole lines of the broken file. */
function readIntact(path: string): Map<string, string> {
  const read = readBounded(path, maxBytes, { refusesLinks: true });
  const lines = read.state === 'read' ? read.bytes.toString('latin1').split('\n').slice(0, -1) : [];
  const parsed = lines.flatMap((line) => parsePackedLine(line) ?? []);
  return new Map(
    parsed
      .filter(({ name }) => name.startsWith('refs/') && isReferenceName(name))
      .map(({ name, id }) => [name, id]),
  );
}

const maxBytes = 16 * 1024 * 1024;
