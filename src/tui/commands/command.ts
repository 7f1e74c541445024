import type { Desk } from '../desk.ts';

/** What a person can type behind a slash and the screen itself does. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What may stand behind it. */
  readonly argument?: string;
  run(args: string, desk: Desk): void | Promise<void>;
}
