import { visibleLine } from '../lib/text/text.ts';
import type { SandboxPolicy } from '../protocol/sandbox.ts';
import { isBelow } from './guard/look.ts';
import { privatePath } from './temporary.ts';

/** Their content inside differs from outside: `/proc/<pid>` of another process, for example. */
const ownTrees = ['/proc', '/dev'];

/** Why a command cannot start in a directory, a real path; undefined where it exists inside. */
export function whyNotEntered(path: string, { paths }: SandboxPolicy): string | undefined {
  const around = paths.filter((entry) => isBelow(path, entry.path));
  const nearest = Math.max(-1, ...around.map((entry) => entry.path.length));
  const isHidden = around.some(({ path: place, access }) => place.length === nearest && access === 'none');
  if (isHidden) return `${visibleLine(path, 300)} does not exist in the sandbox`;
  const isOwn = ownTrees.some(
    (tree) => isBelow(path, tree) && !around.some((entry) => isBelow(entry.path, tree)),
  );
  if (isOwn) return `the sandbox has its own ${visibleLine(path, 300)}`;
  const isPrivate = isBelow(path, privatePath) && !around.some((entry) => isBelow(entry.path, privatePath));
  return isPrivate ? `${visibleLine(path, 300)} exists in the sandbox only` : undefined;
}
