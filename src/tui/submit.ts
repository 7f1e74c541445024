import { existsSync } from 'node:fs';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import { isAtWork, type View } from '../view/index.ts';
import { compactionId } from './app.ts';
import type { SlashCommand } from './commands/command.ts';
import type { Desk } from './desk.ts';
import {
  createEditor,
  displayText,
  type Editor,
  expandEditor,
  expandText,
  hasImage,
  inputMode,
  isEmpty,
  recordPrompt,
} from './editor/index.ts';

/** Sends the typed text where it belongs: to one of our commands, to the shell, or to the agent. */
export async function submit(desk: Desk, commands: readonly SlashCommand[]): Promise<void> {
  const { editor } = desk.app.state;
  if (isEmpty(editor)) return;
  const text = expandText(editor);
  const mode = inputMode(editor);
  const [, name = '', args = ''] = mode === 'command' ? (slashed.exec(text.trim()) ?? []) : [];
  const command = commands.find((one) => one.name === name) ?? findByOtherName(name, desk, commands);
  const mistake =
    command || name === '' ? findStrayImage(editor, mode, command) : findMistake(name, desk, commands);
  // It stays in the prompt, to be fixed.
  if (mistake !== undefined) return desk.warn(mistake);
  desk.world.history.add(recordPrompt(editor));
  desk.clearPrompt();
  if (mode === 'shell') return desk.shell.run(text.trim().slice(1).trim());
  if (command) return void (await command.run(args.trim(), desk, cutName(editor)));
  const letter = readLetter(text, desk.app.state.view);
  if (letter) return sendLetter(desk, letter);
  prompt(desk, editor);
}

/** `@name text` for a running agent or a member of the open team, and `@all text` for all members. Anything else is a prompt. */
function readLetter(text: string, { team, agents }: View): Letter | undefined {
  const [, name = '', message = ''] = /^@([\w.-]+):?\s+(\S[\s\S]*)$/.exec(text.trim()) ?? [];
  if (message === '') return undefined;
  const agent = [...agents.values()].find((one) => one.name === name && isAtWork(one.state));
  if (!team.isOpen) return agent && { to: agent.id, shown: name, message };
  if (name === 'all') return { to: '*', shown: 'all', message };
  const member = team.members.find((one) => one.name === name && one.kind !== 'lead');
  if (member) return { to: name, shown: name, message };
  return agent && { to: agent.id, shown: name, message };
}

interface Letter {
  to: string;
  /** The receiver, as the user wrote it. */
  shown: string;
  message: string;
}

async function sendLetter(desk: Desk, { to, shown, message }: Letter): Promise<void> {
  const sent = await desk.session.messageAgent(to, message);
  if (sent.ok) desk.tell(`You → ${shown}: ${message}\n${sent.value}`);
  else desk.warn(`Not sent to ${shown}: ${sent.problem.message}`);
}

/** A command or skill of the user's with that name goes before it. */
function findByOtherName(name: string, desk: Desk, commands: readonly SlashCommand[]) {
  const isTaken = desk.session.info().commands.some((one) => one.name === name);
  return isTaken ? undefined : commands.find(({ otherName }) => otherName === name);
}

const slashed = /^\/([\p{L}\p{N}_:.-]+)\s*([\s\S]*)$/u;

/** The error for an unknown command. A file of that name at the root is not a command. */
function findMistake(name: string, desk: Desk, commands: readonly SlashCommand[]): string | undefined {
  const given = desk.session.info().commands.map((one) => one.name);
  const isGiven = given.includes(name) || given.filter((one) => one.endsWith(`:${name}`)).length === 1;
  // A server that is not connected yet may have it: the session asks the server.
  if (isGiven || name.startsWith('mcp__') || existsSync(`/${name}`)) return undefined;
  const near = nearNames(name, [...commands.map((one) => one.name), ...given]).map((one) => `/${one}`);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return `Unknown command /${visibleLine(name, 60)}.${meant} /help lists all commands. Put a space before it to send it as text.`;
}

/** The error for an image where only text is read. */
function findStrayImage(
  editor: Editor,
  mode: ReturnType<typeof inputMode>,
  command: SlashCommand | undefined,
): string | undefined {
  const readsText = mode === 'shell' || (command && !command.takesImages);
  if (!readsText || !hasImage(editor)) return undefined;
  const reader = command ? `/${command.name}` : 'a shell command';
  return `An image can only be sent to the agent: ${reader} reads text. Remove the image, or send it in a prompt.`;
}

/** The prompt without the name of the command. */
function cutName(editor: Editor): Editor {
  const text = editor.text.replace(/^\/\S+\s*/, '');
  return { ...editor, text, cursor: text.length };
}

/** To the agent: at once, or at the next boundary of the running turn. */
export function prompt(desk: Desk, editor: Editor): void {
  const uuid = desk.session.promptId();
  const { content } = expandEditor(editor);
  const ran = desk.shell.take();
  const typed = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const whole = ran.length === 0 ? content : [...typed, ...ran];
  const sent = desk.send({ type: 'prompt', content: whole, ...(uuid === undefined ? {} : { uuid }) });
  if (!sent) return void desk.shell.putBack(ran);
  if (uuid === undefined) return;
  const { queued } = desk.app.state.view;
  for (const known of desk.sent.keys())
    if (!queued.some((waiting) => waiting.uuid === known)) desk.sent.delete(known);
  desk.sent.set(uuid, { editor, ran });
  desk.app.take({ type: 'prompt_sent', uuid, text: displayText(editor) });
}

/** A requested compaction waits like a prompt. There is at most one: the newest request wins. */
export function compact(desk: Desk, instructions: string): void {
  if (!desk.send({ type: 'compact', ...(instructions === '' ? {} : { instructions }) })) return;
  const text = `/compact ${instructions}`.trim();
  desk.sent.set(compactionId, { editor: createEditor(text), ran: [] });
  desk.app.take({ type: 'prompts_withdrawn', uuid: compactionId });
  desk.app.take({ type: 'prompt_sent', uuid: compactionId, text });
}

/** Takes back the newest unread prompt, as it was written. False if there is none. */
export function takeBack(desk: Desk): boolean {
  const newest = desk.app.state.view.queued.at(-1);
  const sent = newest && desk.sent.get(newest.uuid);
  if (!sent || !withdraw(desk, newest.uuid)) return false;
  desk.sent.delete(newest.uuid);
  desk.shell.putBack(sent.ran);
  desk.app.take({ type: 'prompts_withdrawn', uuid: newest.uuid });
  desk.app.flush();
  desk.app.change({ editor: sent.editor });
  return true;
}

function withdraw({ session }: Desk, uuid: string): boolean {
  return uuid === compactionId ? session.withdrawCompaction() : session.withdrawPrompt(uuid);
}
