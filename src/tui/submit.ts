import { randomUUID } from 'node:crypto';
import type { SlashCommand } from './commands/command.ts';
import type { Desk } from './desk.ts';
import { displayText, expandEditor, inputMode, isEmpty } from './editor/index.ts';

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
  prompt(desk, expandEditor(editor).content, text);
}

/** To the agent: at once, or at the next boundary of the turn that is under way. */
export function prompt(desk: Desk, content: ReturnType<typeof expandEditor>['content'], text: string): void {
  const uuid = randomUUID();
  const ran = desk.shell.take();
  const typed = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const whole = ran.length === 0 ? content : [...typed, ...ran];
  if (!desk.send({ type: 'prompt', content: whole, uuid })) return;
  desk.app.take({ type: 'prompt_sent', uuid, text });
}
