import type { SessionOptions } from '../../session/options.ts';
import { findSession } from '../../store/sessions.ts';
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
