import { fail, ok, type Result } from '../lib/result.ts';
import { type PermissionMode, permissionModes } from '../protocol/index.ts';
import type { Session } from '../session/session.ts';
import type { ControlRequest } from './wire.ts';

export interface Refusal {
  error: string;
  code?: string;
}

/** What a host asks of a session that is open. Every request is answered; an unknown one with an error. */
export function handleControl(session: Session, request: ControlRequest['request']): Result<object, Refusal> {
  switch (request.subtype) {
    case 'interrupt':
      return interrupt(session, request.cancel_queued === true);
    case 'set_permission_mode':
      return setMode(session, request.mode);
    case 'set_model':
      return sent(
        session.send({ type: 'set_model', model: typeof request.model === 'string' ? request.model : null }),
      );
    case 'stop_task':
      return sent(session.send({ type: 'stop_task', taskId: String(request.task_id) }));
    default:
      return fail({
        error: `This version does not know the request "${request.subtype}".`,
        code: 'unsupported_request',
      });
  }
}

function interrupt(session: Session, cancelQueued: boolean): Result<object, Refusal> {
  const cancelled = cancelQueued ? session.withdrawPrompts() : [];
  session.send({ type: 'interrupt' });
  return ok({ still_queued: session.queuedPrompts(), ...(cancelQueued ? { cancelled } : {}) });
}

function setMode(session: Session, mode: unknown): Result<object, Refusal> {
  const wanted = mode === 'manual' ? 'default' : mode;
  if (!isMode(wanted))
    return fail({
      error: `"${String(mode)}" is no permission mode; there are ${permissionModes.join(', ')}.`,
    });
  const changed = sent(session.send({ type: 'set_permission_mode', mode: wanted }));
  return changed.ok ? ok({ mode: wanted }) : changed;
}

function isMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}

function sent(result: Result<void>): Result<object, Refusal> {
  return result.ok ? ok({}) : fail({ error: result.problem.message });
}
