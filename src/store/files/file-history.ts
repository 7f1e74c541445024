import { type Clock, timestamp } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { FileHistoryRecord } from '../../protocol/record.ts';
import type { FileContent, FileHistory } from '../../protocol/tool.ts';
import { linkState, permissionBits } from './file-look.ts';
import { keepBytes } from './kept-bytes.ts';

/**
 * Keeps the content of files before and after each edit: first the bytes, once for each content, then the record that names
 * them. So a record never points at missing bytes, and an edit never comes before its record.
 */
export function createFileHistory(
  directory: string,
  append: (record: FileHistoryRecord) => Result<void>,
  clock: Clock,
  /** Fails once another process has the session: its files are no longer ours. */
  check: () => Result<void> = () => ok(undefined),
): FileHistory {
  return {
    async keep(path, before, toolUseId, change = {}) {
      const keep = (content: FileContent) => {
        const held = check();
        return held.ok ? keepContent(directory, content) : held;
      };
      const kept = keep(before);
      if (!kept.ok) return kept;
      const after = change.after === undefined ? ok(undefined) : keep(change.after);
      if (!after.ok) return after;
      const { agentId, mode, modeAfter, changedAt, cause } = change;
      return append({
        type: 'file-history',
        timestamp: timestamp(clock),
        toolUseId,
        path,
        before: kept.value,
        after: after.value,
        mode: mode === undefined ? undefined : mode & permissionBits,
        modeAfter: modeAfter === undefined ? undefined : modeAfter & permissionBits,
        changedAt,
        agentId: agentId || undefined,
        cause,
      });
    },
  };
}

function keepContent(directory: string, content: FileContent): Result<string | null> {
  if (content === null) return ok(null);
  return 'link' in content ? ok(linkState(content.link)) : keepBytes(directory, content);
}
