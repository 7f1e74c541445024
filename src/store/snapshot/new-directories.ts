import { join } from 'node:path';
import { listEntries } from './directories.ts';
import { statEntry } from './entry.ts';
import { mayBeByCommand } from './ignore.ts';
import { isGenerated, isRepository } from './listing.ts';
import { otherPlaces, type SnapshotState } from './parts.ts';

/** More are not looked into for rules: what git then ignores there is named all the same. */
const maxDirectories = 2_000;

/**
 * Before git lists names: the rules of what it ignores are looked at, also those in directories that are new. A command
 * could hide what it makes by rules that it makes with it.
 */
export async function refreshRules(state: SnapshotState, changed: readonly string[]): Promise<void> {
  const { ignore, windows } = state;
  const authorAt = (time: number) => windows.findAuthor(time, false);
  const fresh = await findNewDirectories(state, changed);
  for (const directory of fresh) {
    const stat = isRepository(directory) ? statEntry(join(directory, '.git')) : undefined;
    if (stat && mayBeByCommand(authorAt(stat.ctimeMs))) ignore.holdRepository(directory);
  }
  ignore.refresh([...changed, ...fresh], authorAt);
}

async function findNewDirectories(state: SnapshotState, changed: readonly string[]): Promise<string[]> {
  const { cover, pace } = state;
  const places = otherPlaces(state);
  const found: string[] = [];
  for (let ahead = [...changed]; ahead.length > 0 && found.length < maxDirectories; ) {
    await pace.step();
    const entries = listEntries(ahead.pop() ?? '', places.miss) ?? [];
    const inside = entries.flatMap(({ path, isDirectory }) => {
      const isKnown = !isDirectory || cover.directories.has(path) || cover.directories.isOther(path);
      return isKnown || isGenerated(path) || cover.isApart(path, places) ? [] : [path];
    });
    found.push(...inside);
    ahead = [...ahead, ...inside];
  }
  return found;
}
