import type { Io } from '../../headless/io.ts';
import { readWhole } from '../../headless/read-whole.ts';

/**
 * Shows text on the terminal itself, even if stdout is redirected, and asks about it once all of it was on
 * the screen. Only an explicit yes counts; without a user at a terminal there is none.
 */
export async function answersYes({ terminal }: Io, text: string, question: string): Promise<boolean> {
  if (!terminal) return false;
  const { signal } = new AbortController();
  const reading = await readWhole(terminal, text, signal);
  if (reading.kind === 'ended') return false;
  const typed = await terminal.readLine(`${reading.page}${question}`, { fresh: true, signal });
  return typed.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(typed.text);
}
