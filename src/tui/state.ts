import type { Entry, ShownCall, ShownQuestion, View } from '../view/index.ts';
import { type Completion, type Editor, emptyEditor } from './editor/index.ts';
import type { ChangeCache, ComparedFile } from './panels/compared-file.ts';
import type { LineCache } from './panels/zoom.ts';
import type { Dialog } from './questions/dialog.ts';
import type { Read } from './questions/read.ts';
import type { FindFull } from './screen/full-lines.ts';
import type { Rest } from './screen/live-lines.ts';
import type { ShellRun } from './screen/shell-lines.ts';
import type { WorkState } from './screen/work-table.ts';

/** Everything the screens are drawn from. Immutable; each change makes a new one. */
export interface ScreenState {
  readonly view: View;
  readonly rest?: Rest | undefined;
  /** Finished calls that more of the same kind may join. */
  readonly looks?: readonly ShownCall[] | undefined;
  readonly editor: Editor;
  /** Unsent messages to agents, by agent id: they stay when the user looks elsewhere. */
  readonly letters?: ReadonlyMap<string, Editor> | undefined;
  readonly menu?: Menu | undefined;
  readonly asking?: Asking | undefined;
  /** Running commands of the user. */
  readonly shells?: readonly ShellRun[] | undefined;
  readonly panel?: Panel | undefined;
  /** The cursor is in the rows below the prompt. */
  readonly roster?: RosterCursor | undefined;
  /** Shown below the prompt until the next key. */
  readonly hint?: string | undefined;
  /** The output of the user's status line command. */
  readonly status?: readonly string[] | undefined;
  readonly columns: number;
  readonly rows: number;
  /** The clock's time when it was last read. */
  readonly now: number;
}

export interface RosterCursor {
  readonly selected: string;
  /** The row will be stopped if the user confirms. */
  readonly isStopping?: boolean;
  readonly said?: string;
}

export function letterTo({ letters }: ScreenState, agentId: string): Editor {
  return letters?.get(agentId) ?? emptyEditor();
}

/** Suggestions at the cursor. */
export interface Menu {
  readonly completion: Completion;
  readonly items: readonly MenuItem[];
  readonly selected: number;
}

export interface MenuItem {
  readonly value: string;
  readonly note: string;
}

/** The question shown. */
export interface Asking {
  readonly entry: ShownQuestion;
  readonly dialog: Dialog;
  /** It has the keys. Until then they go to the prompt. */
  readonly isFocused: boolean;
  /** Lines scrolled away. */
  readonly down: number;
  /** How much of it has been on the screen before. */
  readonly read?: Read | undefined;
}

/** A full screen in front of the conversation. */
export type Panel =
  | {
      readonly kind: 'tasks';
      /** The item under the cursor, wherever its row is by now; the first one until the user chooses. */
      readonly selected: string | null;
      /** It will be stopped if the user confirms. */
      readonly confirming?: string;
      readonly said?: string;
    }
  | {
      readonly kind: 'zoom';
      readonly agentId: string;
      /** Lines from the end; 0 follows the output. */
      readonly up: number;
      readonly said?: string;
      /** The agent will be stopped if the user confirms. */
      readonly confirming?: boolean;
      /** Where it was opened from, if not from the task panel. */
      readonly under?: Panel | 'conversation';
    }
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly text: string;
      readonly down: number;
      /** The row of the task panel that it was opened from. */
      readonly row?: string;
      /** The panel that it was opened from. */
      readonly under?: Panel;
    }
  | {
      readonly kind: 'team';
      /** The member under the cursor; the first teammate until the user chooses. */
      readonly selected: string | null;
      /** Lines of mail from the end; 0 follows it. */
      readonly up: number;
      /** The agent that will be stopped if the user confirms. */
      readonly confirming?: string;
      readonly said?: string;
    }
  | {
      /** The calls of a workflow's run. */
      readonly kind: 'workflow';
      readonly runId: string;
      /** The id of the call under the cursor; the first one until the user chooses. */
      readonly selected: string | null;
      /** The row of the task panel that it was opened from. */
      readonly row?: string;
      readonly under?: Panel;
      /** The run will be stopped if the user confirms. */
      readonly isStopping?: boolean;
      readonly said?: string;
    }
  | {
      readonly kind: 'board';
      readonly selected: string | null;
    }
  | {
      /** A whole conversation, with nothing left out. */
      readonly kind: 'transcript';
      /** Whose it is; null is the session itself. */
      readonly agentId: string | null;
      /** Lines scrolled away; null follows the end. */
      readonly down: number | null;
      /** Entries before those that the view holds. */
      readonly earlier: readonly Entry[];
      readonly find: FindFull;
      readonly cache: LineCache;
      /** The text that is searched for; `isTyping` until return. */
      readonly query?: string;
      readonly isTyping?: boolean;
      /** The line that was found last. */
      readonly match?: number;
      readonly said?: string;
      readonly under?: Panel;
    }
  | {
      /** Files as they were and as they became. */
      readonly kind: 'changes';
      readonly title: string;
      readonly files: readonly ComparedFile[];
      readonly cache: ChangeCache;
      readonly down: number;
      readonly under?: Panel;
    }
  | {
      /** The work in a worktree. */
      readonly kind: 'review';
      readonly name: string;
      /** Whose it is; null is the session itself. */
      readonly agentId: string | null;
      readonly title: string;
      readonly lines: readonly ReviewLine[];
      /** Lines scrolled away. */
      readonly down: number;
      /** The row of the task panel that it was opened from. */
      readonly row?: string;
      readonly said?: string;
      /** Asked about, with exactly what it shows. */
      readonly confirming?: {
        readonly question: string;
        carry(): Promise<{ readonly text: string; readonly isGone?: true }>;
      };
      /** It has landed or was dropped: there is nothing left to do with it. */
      readonly isGone?: true;
      /** The words that it goes back with, as they are written. */
      readonly comment?: Editor;
    }
  | {
      /** A list to choose from. */
      readonly kind: 'pick';
      readonly title: string;
      readonly rows: readonly PickRow[];
      /** Among the rows that the search finds. */
      readonly selected: number;
      /** The text typed to search. */
      readonly query?: string;
      /** What return does, if it does not choose: `edits`. */
      readonly verb?: string;
      /** Shown if there are no rows. */
      readonly empty?: string;
      readonly said?: string;
      readonly actions?: readonly PickAction[];
      /** Choosing changes something in place, and the list is opened again. */
      readonly staysOpen?: boolean;
      readonly under?: Panel;
      /** Where esc leads, if that has to be looked up again. */
      goBack?(): void;
      pick(row: PickRow): void;
    }
  | {
      /** One value that is typed. */
      readonly kind: 'field';
      readonly title: string;
      readonly about?: string;
      readonly placeholder: string;
      readonly editor: Editor;
      /** Why the value was refused. */
      readonly said?: string;
      readonly under?: Panel;
      /** Returns why the value is refused, or undefined once it is taken. */
      save(text: string): Promise<string | undefined>;
    };

export interface ReviewLine {
  readonly text: string;
  readonly style: 'text' | 'strong' | 'info' | 'added' | 'removed';
}

export interface PickRow {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  /** More about it, shown where there is room. */
  readonly preview?: string;
  /** The choice in effect now. */
  readonly isCurrent?: boolean;
  /** Its sign and colour, as in the table of work. */
  readonly state?: WorkState;
}

/** A key of a list, with ctrl: letters alone are for the search. */
export interface PickAction {
  readonly key: string;
  /** `ctrl-x removes` */
  readonly does: string;
  /** It is about the row under the cursor. */
  readonly isForRow: boolean;
  /** Whether this row has something to do it with; every row, unless given. */
  fits?(row: PickRow): boolean;
  run(row: PickRow | undefined): void;
}

/** Where esc leads from what a row opened: another panel, the conversation, or else the row of the task panel. */
export type Back = Panel | 'conversation';
