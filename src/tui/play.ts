import type { Session } from '../session/session.ts';

/** Sends a tape's own commands to the session, in order; a prompt waits for the run before it. */
export async function playRecorded(session: Session): Promise<void> {
  for (const command of session.recorded()) {
    if (command.type === 'prompt') await session.settled();
    if (!session.send(command).ok) return;
  }
}
