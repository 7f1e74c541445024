import type { View, ShownQuestion } from '../view/index.ts';
import { type Completion, type Editor, emptyEditor } from './editor/index.ts';
import type { WrittenTexts } from './printer.ts';
import type { Dialog } from './questions/dialog.ts';
import type { Read } from './questions/read.ts';
import type { Rest } from './screen/live-lines.ts';
import type { ShellRun } from './screen/shell-lines.ts';

/** All that the screens are drawn from. It never changes; each change makes another one. */
export interface ScreenState {
  readonly view: View;
  /** Written once, above all that moves. */
  readonly written: WrittenTexts;
  readonly rest?: Rest | undefined;
  readonly editor: Editor;
  /** What is being written to agents, by their ids: it stays when one looks elsewhere. */
  readonly letters?: ReadonlyMap<string, Editor> | undefined;
  readonly menu?: Menu | undefined;
  readonly asking?: Asking | undefined;
  /** Commands of the person's own that run. */
  readonly shells?: readonly ShellRun[] | undefined;
  readonly panel?: Panel | undefined;
  /** Said below the prompt until the next key. */
  readonly hint?: string | undefined;
  /** What the user's own command printed for the status line. */
  readonly status?: readonly string[] | undefined;
  readonly columns: number;
  readonly rows: number;
  /** What the clock said when it was last looked at. */
  readonly now: number;
}

export function letterTo({ letters }: ScreenState, agentId: string): Editor {
  return letters?.get(agentId) ?? emptyEditor();
}

/** What could stand where something is being typed. */
export interface Menu {
  readonly completion: Completion;
  readonly items: readonly MenuItem[];
  readonly selected: number;
}

export interface MenuItem {
  readonly value: string;
  readonly note: string;
}

/** The question that is shown. */
export interface Asking {
  readonly entry: ShownQuestion;
  readonly dialog: Dialog;
  /** It has the keys. Until then they go to the prompt. */
  readonly isFocused: boolean;
  /** Lines of it that are scrolled away. */
  readonly down: number;
  /** How much of it has been on the screen before. */
  readonly read?: Read | undefined;
}

/** A full screen in front of the conversation. */
export type Panel =
  | {
      readonly kind: 'tasks';
      /** What the cursor is on, wherever its row stands by now; the first one as long as nobody has chosen. */
      readonly selected: string | null;
      /** It is to be stopped, if the person says so again. */
      readonly confirming?: string;
      readonly said?: string;
    }
  | {
      readonly kind: 'zoom';
      readonly agentId: string;
      /** Lines from the end; 0 follows what happens. */
      readonly up: number;
      readonly said?: string;
      /** The agent is to be stopped, if the person says so again. */
      readonly confirming?: boolean;
    }
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly text: string;
      readonly down: number;
      /** The row of the task panel that it was opened from. */
      readonly row?: string;
    }
  | {
      readonly kind: 'pick';
      readonly title: string;
      readonly rows: readonly PickRow[];
      readonly selected: number;
      pick(row: PickRow): void;
    };

export interface PickRow {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
}
