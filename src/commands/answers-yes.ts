import type { Io } from '../headless/io.ts';

/** Reads a line from the terminal. Only a plain yes is one. */
export async function answersYes(io: Io): Promise<boolean> {
  let text = '';
  for await (const chunk of io.input) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('\n') || text.length > 1000) break;
  }
  process.stdin.pause();
  return /^\s*y(?:es)?\s*$/i.test(text);
}
