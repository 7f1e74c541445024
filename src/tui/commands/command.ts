import type { Desk } from '../desk.ts';
import type { Editor } from '../editor/index.ts';

/** A slash command that the screen itself runs. */
export interface SlashCommand {
  readonly name: string;
  /** Taken as well, and not listed. */
  readonly otherName?: string;
  readonly description: string;
  /** Its arguments. */
  readonly argument?: string;
  /** Images may go with them. */
  readonly takesImages?: boolean;
  /** `written`: the arguments as they stand in the prompt, for one that goes on to the agent. */
  run(args: string, desk: Desk, written: Editor): void | Promise<void>;
}
