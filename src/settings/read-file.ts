import { isUtf8 } from 'node:buffer';
import { isMissing } from '../lib/files/entry-at.ts';
import { describeFileReason } from '../lib/files/files.ts';
import { readReal } from '../lib/files/open-real.ts';
import { describeOtherWriter } from '../lib/files/private-home.ts';
import { getErrorCode, ok, type Result, usage } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { isFollowed, resolveOwnPath, resolveRealPath } from '../workspace/real-path.ts';

export interface FileWanted {
  path: string;
  /** Its content, for messages: settings, servers … */
  holds: string;
  largest: number;
  hint?: string;
  /** The repository that it belongs to, if any. */
  root?: string;
  /** It speaks for the user: what somebody else could write there is refused. */
  isUsers?: boolean;
}

export interface FileText {
  text: string;
  /** The target of a repository's file, if outside the repository. */
  leadsTo?: string;
}

/**
 * The text of a regular file; undefined if there is none. Its real path is resolved first, and only that is opened:
 * no link can replace it between the check and the read. Never blocks.
 */
export function readPlainFile({
  path,
  holds,
  largest,
  hint,
  root,
  isUsers,
}: FileWanted): Result<FileText | undefined> {
  // Most are missing, which one call tells.
  if (isMissing(path)) return ok(undefined);
  const real = root === undefined ? resolveOwnPath(path) : resolveRealPath(path);
  if (!isFollowed(path, real))
    return usage(`${path}: ${holds} cannot be read: its link cannot be followed to a file`, hint);
  const leavesRoot = root !== undefined && !isWithin(real, resolveRealPath(root));
  const found = readReal(real, largest);
  if (found.state === 'missing') return ok(undefined);
  if (found.state === 'moved')
    return usage(`${path}: ${holds} cannot be read: a link in its path changed during the read`, hint);
  if (found.state === 'failed') {
    // A file where a folder should be: nothing there.
    if (getErrorCode(found.error) === 'ENOTDIR') return ok(undefined);
    return usage(`${path}: ${holds} cannot be read: ${describeFileReason(found.error)}`, hint);
  }
  const { stat, bytes } = found.value;
  if (!bytes)
    return usage(
      `${path}: expected a ${holds} file, found ${stat.isDirectory() ? 'a directory' : 'something else'}`,
      'Move it away, or replace it with a file.',
    );
  const writer = isUsers ? describeOtherWriter(stat) : undefined;
  if (writer !== undefined)
    return usage(
      `${path} ${writer}, who could change what Cadre does for you.`,
      `Correct its owner and mode (chown, chmod go-w), or leave its layer out with --setting-sources.`,
    );
  if (stat.size > largest)
    return usage(`${path}: ${stat.size} bytes; the limit for a ${holds} file is ${largest}`);
  const text = bytes.toString('utf8');
  const strange = findStrangeBytes(bytes, text);
  // Read as another character, it would be part of a rule about another name.
  if (strange !== undefined)
    return usage(
      `${path}: expected a ${holds} file in UTF-8, found ${strange}`,
      'Save it as UTF-8 in your editor.',
    );
  return ok(leavesRoot ? { text, leadsTo: real } : { text });
}

function findStrangeBytes(bytes: Buffer, text: string): string | undefined {
  if (isUtf8(bytes)) return undefined;
  if (/^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))) return 'UTF-16';
  let at = 0;
  for (const part of text.split('\ufffd')) {
    at += Buffer.byteLength(part);
    if (bytes.toString('latin1', at, at + 3) !== '\xef\xbf\xbd') break;
    at += 3;
  }
  return `something else at byte ${at + 1}`;
}
