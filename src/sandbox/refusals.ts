import type { ConfinedCommand, Launch } from '../protocol/sandbox.ts';
import { hidesRefusal, refusedLine } from './refusal.ts';

const maxKept = 50;

/** Refusals inside the sandbox in a session, so that the user who is asked to let a command out sees why. */
export class Refusals {
  readonly #lines = new Map<string, string>();
  readonly #userHome: string;

  constructor(userHome: string) {
    this.#userHome = userHome;
  }

  /** The command, watched for its end. */
  watch(launch: Launch, confined: ConfinedCommand): ConfinedCommand {
    return {
      ...confined,
      finish: (end) => {
        const command = launch.args.at(-1) ?? '';
        if (end.failed || hidesRefusal(command, end.output, this.#userHome))
          this.#note(command, refusedLine(end.output));
        return confined.finish(end);
      },
    };
  }

  /** The shell gets the command after a prefix that records its directory. */
  of(command: string): string | undefined {
    for (const [text, line] of this.#lines)
      if (text === command || text.endsWith(`; ${command}`)) return line;
    return undefined;
  }

  #note(command: string, line: string | undefined): void {
    this.#lines.delete(command);
    if (line === undefined) return;
    this.#lines.set(command, line);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > maxKept && oldest !== undefined) this.#lines.delete(oldest);
  }
}
