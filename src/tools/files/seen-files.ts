import { hashBytes } from '../../lib/hash.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { diffLines, renderHunks } from '../../lib/text/diff.ts';
import { explainUnread, type FileState, type FileStates } from '../../protocol/tool.ts';

/** Larger texts are known by their hash alone. */
const maxRemembered = 128 * 1024;
const maxDiffLines = 40;

export function rememberFile(
  files: FileStates,
  real: string,
  bytes: Uint8Array,
  text: string,
): Pick<FileState, 'hash'> {
  const state: FileState = { hash: hashBytes(bytes) };
  files.set(real, text.length <= maxRemembered ? { ...state, text } : state);
  return state;
}

/** Refuses to change a file that the agent has not seen in its current state. The refusal shows the changes of others. */
export function checkSeen(
  path: string,
  seen: FileState | undefined,
  now: { bytes: Uint8Array; text: string },
): Result<void> {
  if (!seen) return failure(explainUnread(path));
  if (seen.hash === hashBytes(now.bytes)) return ok(undefined);
  const changes =
    seen.text === undefined
      ? ''
      : ` Changes:\n${renderHunks(diffLines(seen.text, now.text), maxDiffLines)}\n`;
  return failure(
    `${path} has changed since it was read, so nothing was written.${changes} Read it again first.`,
  );
}
