import { ok, type Result } from '../lib/result.ts';
import { openSession } from './open.ts';
import type { SessionOptions } from './options.ts';
import type { Session } from './session.ts';

/**
 * A new session that goes on with a copy of this one's conversation. The old one stays as it is, open or not; whoever
 * wants to be done with it closes it. `options` are those that the old one was opened with.
 */
export async function forkSession(session: Session, options: SessionOptions): Promise<Result<Session>> {
  const { transcriptPath } = session.info();
  const isStored = transcriptPath !== null && session.messages().length > 0;
  // What is nowhere on disk is handed over as it is.
  const conversation: Partial<SessionOptions> = isStored
    ? { resume: { from: 'id', id: session.id }, fork: true }
    : { inherited: session.messages().map(({ message }) => message) };
  return openSession({ ...asNow(session, options), ...conversation });
}

/**
 * A new session without a conversation, in place of this one, which is closed and can be resumed. What was chosen since
 * the start stays: model and permission mode.
 */
export async function clearSession(session: Session, options: SessionOptions): Promise<Result<Session>> {
  const opened = await openSession(asNow(session, options));
  if (!opened.ok) return opened;
  await session.close();
  return ok(opened.value);
}

function asNow(session: Session, options: SessionOptions): SessionOptions {
  const { resume: _, fork: __, sessionId: ___, inherited: ____, worktree: _____, ...rest } = options;
  const { model, permissionMode, cwd } = session.info();
  const named = typeof options.model === 'object' ? options.model : model;
  return { ...rest, cwd, model: named, permissionMode };
}
