import { tickMs } from '../../lib/files/change-time.ts';
import type { OperationChange } from '../../workspace/git/operations.ts';
import type { ReferenceChange } from '../../workspace/git/reference-changes.ts';
import type { StagedChange } from '../../workspace/git/staged.ts';
import type { BegunCommand } from './journal.ts';

/** One command, from its start until all its changes were looked for. */
export interface CommandWindow extends BegunCommand {
  isBackground: boolean;
  /** Number of files whose change was attributed to it. */
  files: number;
  /** Paths that are not covered and changed meanwhile. */
  uncovered: Set<string>;
  /** Lost parts of git's own data, in sentences. */
  lost: Set<string>;
  /** Parts of git's own data that were repaired, or can be, in sentences. */
  repaired: Set<string>;
  /** Git references that were moved. */
  moved: ReferenceChange[];
  /** Content that is no longer staged. */
  unstaged: StagedChange[];
  /** Merges and the like that it ended or began. */
  operations: OperationChange[];
  /** Objects of git behind what can be brought back. */
  offered: { root: string; ids: string[] }[];
  /** Resolves when git's data was checked after its end. */
  checked?: Promise<void>;
}

/** The author of a change to a file, by its time. */
export type Author =
  /** `isShared`: a command of another agent ran at that time too, so it may have been that one. */
  { by: 'command'; window: CommandWindow; isShared?: boolean } | { by: 'unknown' } | { by: 'before' };

/**
 * A command in the background runs beside the user's own work. Changes in its first two minutes are attributed to it, as for
 * a command in the foreground; later changes may be the user's.
 */
export const backgroundMs = 120_000;

/** Commands that are running, or whose changes were not looked for yet. */
export class CommandWindows {
  readonly all = new Set<CommandWindow>();
  /** The last command whose changes, judging by file times, are all recorded. */
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

  /** The author of a write that did not change file times. Among several it is unknown which: the last one is named. */
  findMappedAuthor(): Author {
    const window = [...this.all].at(-1) ?? this.#last;
    return window ? { by: 'command', window } : { by: 'before' };
  }

  /** Those that have ended by now. */
  ended(): CommandWindow[] {
    return [...this.all].filter(({ until }) => until !== undefined);
  }

  /**
   * `isGone`: of a file that no longer exists only the latest possible time is known, which is that of the last change of
   * its directory, so a command that started before counts as the author. Bringing such a file back loses no work.
   */
  findAuthor(time: number, isGone: boolean): Author {
    const started = [...this.all].filter(({ at }) => at - tickMs <= time);
    if (started.length === 0) return { by: 'before' };
    const during = started.filter((one) => time <= findEnd(one));
    const window = during.at(-1) ?? (isGone ? started.at(-1) : undefined);
    if (!window) return { by: 'unknown' };
    return { by: 'command', window, isShared: during.some(({ agentId }) => agentId !== window.agentId) };
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
    unstaged: [],
    operations: [],
    offered: [],
  };
}

function findEnd({ at, until = Number.POSITIVE_INFINITY, isBackground }: CommandWindow): number {
  return isBackground ? Math.min(until, at + backgroundMs) : until;
}
