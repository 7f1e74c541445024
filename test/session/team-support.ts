import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MailMessage, ModelRequest } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { call, lastUserText, say } from '../../src/testing/index.ts';
import { openStory, type Script, type Story } from '../agents/support.ts';
import { place } from './support.ts';

export const create = call('TeamCreate', { team_name: 'crew' });

export function start(name: string, prompt: string, more = {}) {
  return call('Agent', { description: prompt, prompt, name, ...more });
}

export function write(to: string, message: unknown, more = {}) {
  return call('SendMessage', { to, message, ...more });
}

/** A lead that answers each prompt of the user with these turns, one after the other, and says "Noted." to everything else. */
export function leadThat(commands: Record<string, ReturnType<typeof call>[]>) {
  const left = new Map(Object.entries(commands).map(([prompt, turns]) => [prompt, [...turns]]));
  let current: ReturnType<typeof call>[] = [];
  return (request: ModelRequest) => {
    const said = [...left.keys()].find((prompt) => lastUserText(request).endsWith(prompt)) ?? '';
    current = left.get(said) ?? current;
    left.delete(said);
    return current.shift() ?? say('Noted.');
  };
}

export function mailOf({ events }: Pick<Story, 'events'>, state = 'written'): MailMessage[] {
  return events.flatMap((event) =>
    event.type === 'mail_moved' && event.state === state ? [event.mail] : [],
  );
}

export function kinds(story: Pick<Story, 'events'>): string[] {
  return mailOf(story).map(({ kind, from, to }) => `${from} ${kind} ${to}`);
}

export function states({ session }: Pick<Story, 'session'>): Record<string, string> {
  return Object.fromEntries((session.team()?.members ?? []).map(({ name, state }) => [name, state]));
}

/** All that an agent's last request holds, in words. */
export function heard(requests: readonly ModelRequest[]): string {
  return (requests.at(-1)?.messages ?? []).map(({ content }) => textOf(content)).join('\n');
}

/** The same session with its team in a copy of what is on disk now, as after `kill -9`: no process holds any address. */
export async function crashTeam(story: Pick<Story, 'at' | 'session'>, script: Script): Promise<Story> {
  const at = { ...place(), cwd: story.at.cwd };
  for (const part of ['projects', 'teams'])
    cpSync(join(story.at.home, part), join(at.home, part), { recursive: true });
  rmSync(join(at.home, 'teams', 'crew', 'leases'), { recursive: true });
  return openStory(script, { resume: { from: 'id', id: story.session.id } }, at);
}
