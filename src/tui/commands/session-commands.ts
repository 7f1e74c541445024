import { localMinute } from '../../lib/text/local-time.ts';
import type { SessionOptions } from '../../session/options.ts';
import { findSession, listSessions, type SessionSummary } from '../../store/sessions.ts';
import type { Desk } from '../desk.ts';
import { compact, prompt } from '../submit.ts';
import type { SlashCommand } from './command.ts';
import { findLayout } from './places.ts';

export const compactCommand: SlashCommand = {
  name: 'compact',
  argument: '[what to focus on]',
  description: 'replace the conversation so far with a summary',
  run(args, desk) {
    compact(desk, args);
  },
};

export const clearCommand: SlashCommand = {
  name: 'clear',
  description: 'start a new session; this one can be resumed',
  async run(_, desk) {
    const before = desk.session.id;
    const wasUsed = await isUsed(desk, before);
    if (await desk.change(asItIs(desk)))
      desk.tell(`Started a new session.${wasUsed ? ` Previous session: /resume ${before}` : ''}`);
  },
};

export const forkCommand: SlashCommand = {
  name: 'fork',
  description: 'continue in a copy; this session stays as it is',
  async run(_, desk) {
    const before = desk.session.id;
    if (!(await isUsed(desk, before)))
      return desk.tell('There is nothing to copy: the conversation is empty.');
    if (await desk.change({ ...asItIs(desk), resume: { from: 'id', id: before }, fork: true }))
      desk.tell(`Now working in a copy. Previous session: /resume ${before}`);
  },
};

/** Whether it has anything to resume. */
async function isUsed(desk: Desk, id: string): Promise<boolean> {
  const found = await findSession(findLayout(desk), id);
  return found.ok && found.value.messageCount > 0;
}

/** Changes made since the start, with keys and commands, stay in effect. */
function asItIs({ session }: Desk): Pick<SessionOptions, 'permissionMode' | 'model'> {
  const { permissionMode, model } = session.info();
  return { permissionMode, model };
}

/** Each is read before any is shown. */
const maxListed = 200;

export const resumeCommand: SlashCommand = {
  name: 'resume',
  argument: '[id]',
  description: 'resume an earlier session',
  async run(args, desk) {
    if (args !== '') return goOn(desk, args);
    const { cwd, id } = desk.session.info();
    // One more than is shown, plus the current one, which is not.
    const found = await listSessions(findLayout(desk), cwd, maxListed + 2);
    const others = found.filter((session) => session.id !== id);
    const rows = others.slice(0, maxListed).map((session) => ({
      value: session.id,
      label: session.title,
      note: formatNote(session),
    }));
    const older = others.length > rows.length ? '\ncadre sessions also lists older ones.' : '';
    if (rows.length === 0) return desk.tell('No earlier session in this directory.');
    desk.open({
      kind: 'pick',
      title: `Resume which session?${older}`,
      rows,
      selected: 0,
      pick: ({ value }) => void goOn(desk, value),
    });
  },
};

/** Details that tell it from others with the same title, the most specific first: a narrow screen cuts the end. */
function formatNote({ modifiedAt, id, forkedFrom, lastPrompt }: SessionSummary): string {
  return [
    localMinute(modifiedAt),
    id.slice(0, 8),
    ...(forkedFrom === undefined ? [] : ['a copy']),
    ...(lastPrompt === undefined ? [] : [`last: ${lastPrompt}`]),
  ].join(' · ');
}

async function goOn(desk: Desk, id: string): Promise<void> {
  const found = await findSession(findLayout(desk), id);
  if (!found.ok) return desk.warn([found.problem.message, found.problem.hint].filter(Boolean).join(' '));
  if (found.value.messageCount === 0)
    return desk.warn(`The session ${found.value.id} has no messages, so there is nothing to resume.`);
  await desk.change({ resume: { from: 'id', id, inOwnDirectory: true } });
}

export const planCommand: SlashCommand = {
  name: 'plan',
  argument: '[what to plan]',
  description: 'plan mode: read and think, change nothing until the plan is approved',
  takesImages: true,
  run(args, desk, written) {
    if (!desk.send({ type: 'set_permission_mode', mode: 'plan' })) return;
    if (args !== '') prompt(desk, written);
  },
};
