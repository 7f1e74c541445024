import { visibleLine } from '../../lib/text.ts';
import type { SandboxPolicy } from '../../protocol/sandbox.ts';
import { isBelow } from './look.ts';
import { privatePath } from './temporary.ts';

/** Why a command cannot start in a directory, a real path; undefined where it exists inside. */
export function whyNotEntered(path: string, { paths }: SandboxPolicy): string | undefined {
  const around = paths.filter((entry) => isBelow(path, entry.path));
  const nearest = Math.max(-1, ...around.map((entry) => entry.path.length));
  const isHidden = around.some(({ path: place, access }) => place.length === nearest && access === 'none');
  if (isHidden) return `${visibleLine(path, 300)} does not exist in the sandbox`;
  const isPrivate = isBelow(path, privatePath) && !around.some((entry) => isBelow(entry.path, privatePath));
  return isPrivate ? `${visibleLine(path, 300)} exists in the sandbox only` : undefined;
}
