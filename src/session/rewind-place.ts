import { ok, type Result, usage } from '../lib/result.ts';
import type { FileHistory } from '../protocol/index.ts';
import type { Kernel } from './kernel.ts';
import type { RewindPlace } from './rewind.ts';
import type { LeadPermissions } from './settle-permissions.ts';

/** Where one goes back in a session that is open; a problem where that cannot be. */
export async function findRewindPlace(
  { identity, place: around, tape, log }: Kernel,
  permissions: LeadPermissions,
  history: FileHistory,
): Promise<Result<RewindPlace>> {
  if (tape) return usage('A session on a tape cannot be rewound.', 'Leave out --record and --replay.');
  if (log.path === null)
    return usage(
      'This session keeps no transcript, so that there is nothing to go back to.',
      'Start it without --no-session-persistence.',
    );
  const { apartFrom } = await import('./rewind-apart.ts');
  const { directories } = permissions.context().workspace;
  return ok({
    sessionId: identity.id,
    files: identity.files,
    roots: [around.root, around.cwd, ...directories],
    apart: apartFrom(around.home, identity.id, around.cwd),
    history,
    async settle() {
      await history.settleCommands?.();
      return [];
    },
    append: (record) => log.append(record),
    clock: around.clock,
    ids: around.ids,
  });
}
