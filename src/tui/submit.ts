import type { SlashCommand } from './commands/command.ts';
import type { Desk } from './desk.ts';
import { displayText, type Editor, expandEditor, inputMode, isEmpty } from './editor/index.ts';

/** What was typed goes where it belongs: to a command of ours, to the shell, or to the agent. */
export async function submit(desk: Desk, commands: readonly SlashCommand[]): Promise<void> {
  const { editor } = desk.app.state;
  if (isEmpty(editor)) return;
  const text = displayText(editor);
  const mode = inputMode(editor);
  desk.world.history.add(text);
  desk.clearPrompt();
  if (mode === 'shell') return desk.shell.run(text.trim().slice(1).trim());
  const [, name, args] = /^\/([\w:.-]+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const command = mode === 'command' ? commands.find((one) => one.name === name) : undefined;
  if (command) return void (await command.run((args ?? '').trim(), desk));
  prompt(desk, editor);
}

/** To the agent: at once, or at the next boundary of the turn that is under way. */
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

/** The newest prompt that nobody has read yet comes back, as it was written. False where there is none. */
export function takeBack(desk: Desk): boolean {
  const newest = desk.app.state.view.queued.at(-1);
  const sent = newest && desk.sent.get(newest.uuid);
  if (!sent || !desk.session.withdrawPrompt(newest.uuid)) return false;
  desk.sent.delete(newest.uuid);
  desk.shell.putBack(sent.ran);
  desk.app.take({ type: 'prompts_withdrawn', uuid: newest.uuid });
  desk.app.flush();
  desk.app.change({ editor: sent.editor });
  return true;
}
