import type { Io } from '../headless/io.ts';
import { ok, type Result, usage } from '../lib/result.ts';

/** Reads one line without showing it, from a terminal or a pipe. A secret is never an argument: others can see those. */
export async function readSecret(io: Io, question: string): Promise<Result<string>> {
  const text = io.inputKind === 'terminal' ? await readHidden(io, question) : await readPiped(io);
  const secret = text.trim();
  if (secret === '') return usage('No key came on standard input.', 'Type it at the prompt, or pipe it in.');
  return /\s/.test(secret) ? usage('A key is one word; this has white space in it.') : ok(secret);
}

async function readPiped(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function readHidden(io: Io, question: string): Promise<string> {
  await io.writeOut(question);
  process.stdin.setRawMode(true);
  let text = '';
  try {
    for await (const chunk of io.input)
      for (const character of Buffer.from(chunk).toString('utf8')) {
        if (character === '\r' || character === '\n' || character === '\u0004') return text;
        if (character === '\u0003') return '';
        text = character === '\u007f' ? text.slice(0, -1) : text + character;
      }
    return text;
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    await io.writeOut('\n');
  }
}
