import type { LineTerminal, Typed } from '../../headless/io.ts';
import { watchStops } from './stop-signals.ts';

/** Reads one line from the user. A termination signal ends the program here, once the terminal is restored. */
export async function readAnswer(terminal: LineTerminal, question: string, hidden = false): Promise<Typed> {
  const stops = watchStops();
  const typed = await terminal.readLine(question, { fresh: false, hidden, signal: stops.signal });
  stops.release();
  const code = stops.code();
  if (code !== undefined) process.exit(code);
  return typed;
}
