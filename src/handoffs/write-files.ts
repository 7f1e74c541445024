import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describeFileError, writeAtomic } from '../lib/files/atomic.ts';
import { readBounded } from '../lib/files/read-bounded.ts';
import { maxTextSize } from '../lib/frontmatter/frontmatter.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { builtInFiles, fileKinds, readme } from './built-in.ts';

/** `kept`: a file with other content, which stays unless it may be replaced. */
export interface WrittenFile {
  file: string;
  what: 'written' | 'unchanged' | 'kept' | 'replaced';
}

/** Writes our files for a user to change, below `directory`, which must lie within `base` wherever links lead. */
export function writeBuiltInFiles(directory: string, base: string, replaces: boolean): Result<WrittenFile[]> {
  const files: [string, string][] = [
    ['README.md', readme],
    ...fileKinds.flatMap((kind) =>
      Object.entries(builtInFiles[kind]).map(([name, text]): [string, string] => [
        join(kind, `${name}.md`),
        text,
      ]),
    ),
  ];
  const written: WrittenFile[] = [];
  for (const [name, text] of files) {
    const file = join(directory, name);
    const done = writeFile(file, text, base, replaces);
    if (!done.ok) return done;
    written.push({ file, what: done.value });
  }
  return ok(written);
}

function writeFile(file: string, text: string, base: string, replaces: boolean): Result<WrittenFile['what']> {
  const folder = dirname(file);
  const real = resolveRealPath(folder);
  if (!isWithin(real, resolveRealPath(base)))
    return usage(
      `${relative(base, folder)} leads out of ${base}, to ${real}.`,
      'Remove the link, or choose another directory.',
    );
  const before = readBounded(file, maxTextSize, { refusesLinks: true });
  if (before.state === 'read' && before.bytes.toString('utf8') === text) return ok('unchanged');
  if (before.state !== 'missing' && !replaces) return ok('kept');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return fail(describeFileError(error, folder, 'create'));
  }
  const done = writeAtomic(file, text);
  return done.ok ? ok(before.state === 'missing' ? 'written' : 'replaced') : done;
}
