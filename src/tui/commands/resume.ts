import { formatWait } from '../../lib/text/duration.ts';
import { formatDay, localMinute } from '../../lib/text/local-time.ts';
import { findSession, listSessions, type SessionSummary } from '../../store/sessions.ts';
import type { Desk } from '../desk.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findLayout } from './places.ts';

/** Each is read before any is shown. */
const maxListed = 200;

export const resumeCommand: SlashCommand = {
  name: 'resume',
  argument: '[id]',
  description: 'resume an earlier session',
  run: (args, desk) => (args === '' ? pickSession(desk) : resume(desk, args, false)),
};

/** The earlier sessions of this directory, newest first. `fork`: continues in a copy of the chosen one. */
export async function pickSession(desk: Desk, fork = false): Promise<void> {
  const { cwd, id } = desk.session.info();
  // One more than is shown, plus the current one, which is not.
  const found = await listSessions(findLayout(desk), cwd, maxListed + 2);
  const others = found.filter((session) => session.id !== id);
  const older = others.length > maxListed ? '\ncadre sessions also lists older ones.' : '';
  if (others.length === 0) return desk.tell('No earlier session in this directory.');
  desk.open({
    kind: 'pick',
    title: `${fork ? 'Continue in a copy of which session?' : 'Resume which session?'}${older}`,
    rows: others.slice(0, maxListed).map((session) => describeRow(session, desk.app.clock.now())),
    selected: 0,
    verb: fork ? 'copies it' : 'resumes it',
    pick: ({ value }) => void resume(desk, value, fork),
  });
}

function describeRow(session: SessionSummary, now: number): PickRow {
  const { id, title, modifiedAt, forkedFrom, lastPrompt, messageCount, messageCountIsExact } = session;
  return {
    value: id,
    label: title,
    // The most specific first: a narrow screen cuts the end.
    note: [
      formatDay(modifiedAt, now),
      id.slice(0, 8),
      ...(session.movedTo ? [`on the worker ${session.movedTo.name}`] : []),
      ...(forkedFrom === undefined ? [] : ['a copy']),
      ...(lastPrompt === undefined ? [] : [`last: ${lastPrompt}`]),
    ].join(' · '),
    preview: [
      title,
      '',
      `Last used: ${localMinute(modifiedAt)}${describeAge(now - modifiedAt)}`,
      `Messages:  ${messageCountIsExact ? '' : 'about '}${messageCount}`,
      ...(forkedFrom === undefined ? [] : [`Copy of:   ${forkedFrom}`]),
      `Session:   ${id}`,
      ...(lastPrompt === undefined ? [] : ['', 'Last prompt:', lastPrompt]),
    ].join('\n'),
  };
}

/** Only where it says more than the time does. */
function describeAge(ms: number): string {
  return ms < 60_000 ? '' : ` (${formatWait(ms)} ago)`;
}

async function resume(desk: Desk, id: string, fork: boolean): Promise<void> {
  const found = await findSession(findLayout(desk), id);
  if (!found.ok) return desk.warn([found.problem.message, found.problem.hint].filter(Boolean).join(' '));
  if (found.value.messageCount === 0)
    return desk.warn(`The session ${found.value.id} has no messages, so there is nothing to resume.`);
  const { movedTo } = found.value;
  if (movedTo && !fork)
    return desk.warn(
      `The session ${found.value.id} runs on the worker ${movedTo.name}. Look at it in another terminal: cadre attach ${id}. Bring it here: cadre move ${id} --to here.`,
    );
  await desk.change({ resume: { from: 'id', id, inOwnDirectory: true }, ...(fork ? { fork } : {}) });
}
