import { refusedLine } from './refusal.ts';

const maxKept = 50;

/** Refusals inside the sandbox in a session, so that the user who is asked to let a command out sees why. */
export class Refusals {
  readonly #lines = new Map<string, string>();

  /** For the end of a command that was refused something. */
  note(command: string, output: string): void {
    const line = refusedLine(output);
    this.#lines.delete(command);
    if (line === undefined) return;
    this.#lines.set(command, line);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > maxKept && oldest !== undefined) this.#lines.delete(oldest);
  }

  /** The shell gets the command after a prefix that records its directory. */
  of(command: string): string | undefined {
    for (const [text, line] of this.#lines)
      if (text === command || text.endsWith(`; ${command}`)) return line;
    return undefined;
  }
}
