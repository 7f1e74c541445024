import { tickMs } from '../../lib/files/change-time.ts';
import type { ReferenceChange } from '../../workspace/git/reference-changes.ts';
import type { BegunCommand } from './journal.ts';

/** One command, from its start until all that it changed was looked for. */
export interface CommandWindow extends BegunCommand {
  isBackground: boolean;
  /** Files whose change was noted as its work. */
  files: number;
  /** Paths that are not covered and changed meanwhile. */
  uncovered: Set<string>;
  /** What is lost of git's own data, in sentences. */
  lost: Set<string>;
  /** What was put right of git's own data, or can be, in sentences. */
  repaired: Set<string>;
  /** References of git that lead elsewhere since. */
  moved: ReferenceChange[];
  /** Ends when git's data was looked at after its end. */
  checked?: Promise<void>;
}

/** Who changed a file, by the time of its change. */
export type Author = { by: 'command'; window: CommandWindow } | { by: 'unknown' } | { by: 'before' };

/**
 * A command in the background runs beside the user's own work. Changes in its first two minutes are attributed to it, as for
 * a command in the foreground; later changes may be the user's.
 */
export const backgroundMs = 120_000;

/** Commands that run, or whose work was not looked for yet. */
export class CommandWindows {
  readonly all = new Set<CommandWindow>();
  /** The last one of which all that its times tell was noted. */
  #last: CommandWindow | undefined;

  begin(command: BegunCommand): CommandWindow {
    const window = createWindow(command);
    this.all.add(window);
    return window;
  }

  close(window: CommandWindow): void {
    this.all.delete(window);
    this.#last = window;
  }

  /** The last command of an earlier process. */
  remember(command: BegunCommand): void {
    this.#last = createWindow(command);
  }

  /** Who wrote to a file without changing its times. Of several that cannot be told: the last one is named. */
  findMappedAuthor(): Author {
    const window = [...this.all].at(-1) ?? this.#last;
    return window ? { by: 'command', window } : { by: 'before' };
  }

  /** Those that have ended by now. */
  ended(): CommandWindow[] {
    return [...this.all].filter(({ until }) => until !== undefined);
  }

  /** `isGone`: bringing back a file that no longer exists loses no work. */
  findAuthor(time: number, isGone: boolean): Author {
    const started = [...this.all].filter(({ at }) => at - tickMs <= time);
    if (started.length === 0) return { by: 'before' };
    const window = started.findLast((one) => time <= findEnd(one, isGone));
    return window ? { by: 'command', window } : { by: 'unknown' };
  }
}

function createWindow(command: BegunCommand): CommandWindow {
  return {
    ...command,
    isBackground: false,
    files: 0,
    uncovered: new Set(),
    lost: new Set(),
    repaired: new Set(),
    moved: [],
  };
}

function findEnd(
  { at, until = Number.POSITIVE_INFINITY, isBackground }: CommandWindow,
  isGone: boolean,
): number {
  return isBackground && !isGone ? Math.min(until, at + backgroundMs) : until;
}
