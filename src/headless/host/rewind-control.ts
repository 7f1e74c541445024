import { describeValue } from '../../lib/fields/describe-value.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type { Session } from '../../session/session.ts';
import type { ControlRefusal } from './control.ts';
import type { ControlRequest } from './wire.ts';

/** Files as they were at a prompt of the host. The conversation stays: a host that wants another one resumes. */
export async function rewindFiles(
  session: Session,
  { user_message_id, dry_run }: ControlRequest['request'],
): Promise<Result<object, ControlRefusal>> {
  if (typeof user_message_id !== 'string' || user_message_id === '')
    return fail({ error: 'rewind_files: expected user_message_id, the uuid of a prompt.' });
  // Anything but a clear no would change files that the host only wants to ask about.
  if (typeof (dry_run ?? false) !== 'boolean')
    return fail({
      error: `rewind_files: expected dry_run to be true or false; found ${describeValue(dry_run)}.`,
    });
  const wish = { to: user_message_id, what: 'files' } as const;
  const done = dry_run === true ? await session.previewRewind(wish) : await session.rewind(wish);
  if (!done.ok) return ok({ canRewind: false, error: done.problem.message });
  const { restored, removed, refused, insertions, deletions, isIncomplete, beyond } = done.value;
  const others = refused.filter(({ isLink }) => !isLink);
  const changed = [...restored, ...removed];
  const problems = [
    ...others.map(({ path, reason }) => `${path}: ${reason}`),
    ...(isIncomplete ? ['Other files may be missing or changed.', ...beyond] : []),
  ];
  return ok({
    // If none of the files could be restored, the whole request has failed.
    canRewind: changed.length > 0 || others.length === 0,
    error: problems.length > 0 ? problems.join('\n') : undefined,
    filesChanged: changed,
    insertions,
    deletions,
    skippedLinks: dry_run === true ? undefined : refused.length - others.length,
  });
}
