import { ok, type Result } from '../lib/result.ts';
import { isEntryName } from '../workspace/git/names.ts';
import type { Git } from '../workspace/worktrees/repository.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import { readable } from './moving/byte-path.ts';

/**
 * Why commits cannot land whose trees hold names that no file can have, such as `..` or `a/b` as one name. Git makes no such
 * trees, but stores them when it is given their bytes, and then fails on them or leads programs out of the checkout.
 */
export async function explainUnusableNames(
  git: Git,
  from: string,
  to: string,
): Promise<Result<string | undefined>> {
  const listed = await git([
    ...['rev-list', '--objects', '--no-object-names', '--filter=object:type=tree'],
    `${from}..${to}`,
  ]);
  if (!listed.ok) return listed;
  const ids = listed.value.split('\n').filter((id) => id !== '');
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += treesAtOnce) {
    const input = `${ids.slice(at, at + treesAtOnce).join('\n')}\n`;
    const read = await git(['cat-file', '--batch'], { input, bytes: true });
    if (!read.ok) return read;
    for (const tree of listTrees(read.value))
      for (const name of findUnusable(tree, to.length / 2)) found.add(readable(name));
  }
  if (found.size === 0) return ok(undefined);
  const names = [...found].sort().map((name) => JSON.stringify(name));
  return ok(
    `its commits contain names that no directory can have: ${nameFiles(names)}; recreate the commits without them`,
  );
}

/** Their bytes come at once, and what git prints has a limit. */
const treesAtOnce = 100;

/** The content of the trees in the output: a line with id, type and size, the content, and a newline. */
function* listTrees(output: string): Generator<string> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [, type = '', size = 0] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(output.slice(at, end)) ?? [];
    const after = end + 1 + Number(size);
    if (end === -1 || type === '') return;
    if (type === 'tree') yield output.slice(end + 1, after);
    at = after + 1;
  }
}

/** An entry is its mode, a space, its name, a zero byte and the bytes of an id. */
function findUnusable(tree: string, idBytes: number): string[] {
  const seen = new Set<string>();
  const unusable: string[] = [];
  for (let at = 0; at < tree.length; ) {
    const [space, end] = [tree.indexOf(' ', at), tree.indexOf('\0', at)];
    // Cut off: git reads no such tree.
    const name = space === -1 || end < space ? '' : tree.slice(space + 1, end);
    if (!isEntryName(name) || seen.has(name)) unusable.push(name);
    seen.add(name);
    at = end === -1 ? tree.length : end + 1 + idBytes;
  }
  return unusable;
}
