import type { Entry } from '../../view/index.ts';
import type { SlashCommand } from './command.ts';

export const copyCommand: SlashCommand = {
  name: 'copy',
  argument: '[code]',
  description: 'copy the last answer, or its last code block, to the clipboard',
  async run(args, desk) {
    if (args !== '' && args !== 'code') return desk.warn(`/copy ${args}: expected nothing, or "code".`);
    const answer = findLastAnswer(desk.app.state.view.lead.entries);
    if (answer === undefined) return desk.tell('There is no answer to copy yet.');
    const text = args === 'code' ? findLastCode(answer) : answer;
    if (text === undefined) return desk.tell('The last answer has no code block. /copy copies all of it.');
    const how = await desk.world.copy(text);
    const what = args === 'code' ? 'the last code block' : 'the last answer';
    desk.hint(describeCopied(what, text, how));
  },
};

export function describeCopied(what: string, text: string, how: string | undefined): string {
  const lines = text.split('\n').length;
  if (how === undefined)
    return `Not copied: it is too long for the terminal, and there is no clipboard program. /export writes a file.`;
  return `Copied ${what}, ${lines} ${lines === 1 ? 'line' : 'lines'} (${how})`;
}

/** The text after the last call, as the model wrote it. */
export function findLastAnswer(entries: readonly Entry[]): string | undefined {
  const last = entries.findLastIndex(({ kind }) => kind === 'text');
  const before = entries.slice(0, last + 1).findLastIndex(({ kind }) => kind === 'call' || kind === 'prompt');
  const texts = entries.slice(before + 1, last + 1).flatMap((one) => (one.kind === 'text' ? [one.text] : []));
  return texts.length === 0 ? undefined : texts.join('\n\n').trim();
}

/** Without its fences. */
export function findLastCode(markdown: string): string | undefined {
  const blocks = [...markdown.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1[`~]*[ \t]*$/gm)];
  return blocks.at(-1)?.[2]?.replace(/\n$/, '');
}
