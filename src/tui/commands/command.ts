import type { Desk } from '../desk.ts';

/** A slash command that the screen itself runs. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** Its arguments. */
  readonly argument?: string;
  run(args: string, desk: Desk): void | Promise<void>;
}
