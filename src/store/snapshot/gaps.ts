import type { Cover } from './cover.ts';
import type { SnapshotState } from './parts.ts';

/**
 * For the user: which changes of a command that starts now may not be undone. `isNew`: the reason for all commands was not
 * reported yet.
 */
export function describeGaps(
  { cover, incomplete }: SnapshotState,
  { isListed, isReady, isNew }: { isListed: boolean; isReady: boolean; isNew: boolean },
): string[] {
  return [
    ...(isNew ? [`/rewind may not restore everything that commands change here: ${incomplete}.`] : []),
    ...(isReady ? [] : [isListed ? describeUnread(cover) : unlisted]),
  ];
}

/** Counted only if it is said: there may be thousands of files. */
function describeUnread(cover: Cover): string {
  return `${cover.countUnread()} of ${cover.entries.size} files were not recorded yet when this command started. /rewind may not restore those that it changed or removed.`;
}

const unlisted =
  'The files were not all listed yet when this command started. /rewind may not restore what it changed or removed.';
