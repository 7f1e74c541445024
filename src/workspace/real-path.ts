import { lstatSync, readlinkSync, realpathSync } from 'node:fs';

const mostLinks = 40;

/**
 * Where an absolute path leads, as the kernel follows it piece by piece, for a file that exists or is about to be made. A path that cannot be followed
 * (a loop) leads to the root, which is inside no workspace.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return followByHand(path);
  }
}

/** A link whose target does not exist yet still decides where a new file would appear. */
function followByHand(path: string): string {
  const ahead = piecesOf(path).reverse();
  let reached: string[] = [];
  let links = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === '..') {
      reached.pop();
      continue;
    }
    const next = `/${[...reached, part].join('/')}`;
    const target = linkTarget(next);
    if (target === undefined) {
      reached.push(part);
      continue;
    }
    if (++links > mostLinks) return '/';
    if (target.startsWith('/')) reached = [];
    ahead.push(...piecesOf(target).reverse());
  }
  return `/${reached.join('/')}`;
}

/** With every `..`: where it leads is known only when all before it was followed. */
function piecesOf(path: string): string[] {
  return path.split('/').filter((piece) => piece !== '' && piece !== '.');
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
