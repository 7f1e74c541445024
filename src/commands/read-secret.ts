import type { Io } from '../headless/io.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { readAnswer } from './read-answer.ts';

/** Reads one line without echo, from a terminal or a pipe. A secret is never an argument: other processes can see those. */
export async function readSecret(io: Io, question: string): Promise<Result<string>> {
  const text = io.terminal ? await readHidden(io.terminal, question) : await readPiped(io);
  const secret = text.trim();
  if (secret === '') return usage('No key was given on stdin.', 'Type it at the prompt or pipe it in.');
  return /\s/.test(secret) ? usage('A key is one word; this one contains whitespace.') : ok(secret);
}

async function readPiped(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function readHidden(terminal: NonNullable<Io['terminal']>, question: string): Promise<string> {
  const typed = await readAnswer(terminal, question, true);
  return typed.kind === 'line' ? typed.text : '';
}
