import { lookAround } from '../session/surroundings.ts';
import { listSessions } from '../store/sessions.ts';

/** `cadre sessions`: newest first, with what is needed to resume one. */
export async function printSessions(flags: { json?: boolean; all?: boolean }): Promise<number> {
  const { layout, cwd } = lookAround({});
  const sessions = await listSessions(layout, flags.all ? undefined : cwd);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(sessions, null, 2)}\n`);
    return 0;
  }
  if (sessions.length === 0)
    process.stdout.write(`No sessions ${flags.all ? 'yet' : 'in this directory'}.\n`);
  for (const session of sessions)
    process.stdout.write(`${session.id}  ${age(session.modifiedAt)}  ${session.title}\n`);
  return 0;
}

function age(modifiedAt: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - modifiedAt) / 60_000));
  if (minutes < 60) return `${minutes} min`.padStart(8);
  const hours = Math.round(minutes / 60);
  return (hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`).padStart(8);
}
