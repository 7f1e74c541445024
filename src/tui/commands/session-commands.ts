import { localMinute } from '../../lib/text/local-time.ts';
import { findFacts } from '../../models/facts.ts';
import type { SessionOptions } from '../../session/options.ts';
import { findSession, listSessions, type SessionSummary } from '../../store/sessions.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import { compact, prompt } from '../submit.ts';
import type { SlashCommand } from './command.ts';
import { findLayout } from './places.ts';

export const compactCommand: SlashCommand = {
  name: 'compact',
  argument: '[what to dwell on]',
  description: 'replace the conversation so far by a summary',
  run(args, desk) {
    compact(desk, args);
  },
};

export const clearCommand: SlashCommand = {
  name: 'clear',
  description: 'begin anew; the conversation so far can be resumed',
  async run(_, desk) {
    const before = desk.session.id;
    const wasUsed = await isUsed(desk, before);
    if (await desk.change(asItIs(desk)))
      desk.tell(`A new session.${wasUsed ? ` The one before: /resume ${before}` : ''}`);
  },
};

export const forkCommand: SlashCommand = {
  name: 'fork',
  description: 'go on in a copy; this session stays as it is',
  async run(_, desk) {
    const before = desk.session.id;
    if (!(await isUsed(desk, before))) return desk.tell('There is nothing to copy: nothing was said yet.');
    if (await desk.change({ ...asItIs(desk), resume: { from: 'id', id: before }, fork: true }))
      desk.tell(`This is a copy now. The one before: /resume ${before}`);
  },
};

/** Whether there is something in it that could be gone on with. */
async function isUsed(desk: Desk, id: string): Promise<boolean> {
  const found = await findSession(findLayout(desk), id);
  return found.ok && found.value.messageCount > 0;
}

/** What was changed since the start, with keys and commands, holds on. */
function asItIs({ session }: Desk): Pick<SessionOptions, 'permissionMode' | 'model'> {
  const { permissionMode, model } = session.info();
  return { permissionMode, model };
}

/** Each is looked into before any is shown. */
const maxListed = 200;

export const resumeCommand: SlashCommand = {
  name: 'resume',
  argument: '[id]',
  description: 'go on with an earlier session',
  async run(args, desk) {
    if (args !== '') return goOn(desk, args);
    const { cwd, id } = desk.session.info();
    // One more than is shown, and the present one, which is not.
    const found = await listSessions(findLayout(desk), cwd, maxListed + 2);
    const others = found.filter((session) => session.id !== id);
    const rows = others.slice(0, maxListed).map((session) => ({
      value: session.id,
      label: session.title,
      note: formatNote(session),
    }));
    const older = others.length > rows.length ? '\nThere are older ones: cadre sessions lists them all.' : '';
    if (rows.length === 0) return desk.tell('There is no earlier session in this directory.');
    desk.open({
      kind: 'pick',
      title: `Go on with which session?${older}`,
      rows,
      selected: 0,
      pick: ({ value }) => void goOn(desk, value),
    });
  },
};

/** What tells it from others of the same title, the surest first: a narrow screen cuts the end. */
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
    return desk.warn(`Nothing was said in the session ${found.value.id}: there is nothing to go on with.`);
  await desk.change({ resume: { from: 'id', id } });
}

export const planCommand: SlashCommand = {
  name: 'plan',
  argument: '[what to plan]',
  description: 'plan mode: look and think, change nothing until the plan is approved',
  run(args, desk) {
    if (!desk.send({ type: 'set_permission_mode', mode: 'plan' })) return;
    if (args !== '') prompt(desk, createEditor(args));
  },
};

export const modelCommand: SlashCommand = {
  name: 'model',
  argument: '[name]',
  description: 'which model answers; without a name: the models there are',
  async run(args, desk) {
    if (args !== '') {
      const before = desk.session.info().model;
      if (!desk.send({ type: 'set_model', model: args })) return;
      desk.describe();
      return tellModel(desk, before);
    }
    desk.hint('One moment …');
    const list = await desk.world.report(['models']);
    desk.laterPage('Models', `Now: ${desk.session.info().model}\nAnother one: /model NAME\n\n${list}`);
  },
};

/** A gateway may serve any name, and only its first answer tells. */
function tellModel(desk: Desk, before: string): void {
  const { model } = desk.session.info();
  const [provider = '', ...id] = model.split('/');
  const doubt = `From here on ${model} is asked, a model that nothing is known of: if there is none of that name, the next request fails. /model lists what there is; back to the one before: /model ${before}`;
  if (findFacts(provider, id.join('/')).known) desk.tell(`From here on ${model} answers.`);
  else desk.warn(doubt);
}
