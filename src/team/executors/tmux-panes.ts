import { findPaneMark } from './pane-mark.ts';

/** One pane, as `list-panes` shows it. */
export interface TmuxPane {
  pane: string;
  window: string;
  session: string;
  pid: number;
  isDead: boolean;
  width: number;
  height: number;
  mark?: string;
}

/** The command comes last: it may contain anything. */
export const paneFormat = [
  '#{pane_id}',
  '#{window_id}',
  '#{session_id}',
  '#{pane_pid}',
  '#{pane_dead}',
  '#{pane_width}',
  '#{pane_height}',
  '#{pane_start_command}',
].join(' ');

const paneLine = /^(%\d+) (@\d+) (\$\d+) (\d+) ([01]) (\d+) (\d+) ?(.*)$/;

export function parsePanes(output: string): TmuxPane[] {
  return output.split('\n').flatMap((line) => {
    const [, pane, window, session, pid, isDead, width, height, command = ''] = paneLine.exec(line) ?? [];
    if (pane === undefined || window === undefined || session === undefined) return [];
    const mark = findPaneMark(command);
    return [
      {
        ...{ pane, window, session, pid: Number(pid), isDead: isDead === '1' },
        ...{ width: Number(width), height: Number(height) },
        ...(mark === undefined ? {} : { mark }),
      },
    ];
  });
}

/** The one with the most room, so that panes of a team stay about equal. */
export function chooseRoomiest(panes: readonly TmuxPane[]): TmuxPane | undefined {
  return panes.toSorted((one, other) => other.width * other.height - one.width * one.height)[0];
}

/** Characters are about twice as high as wide. */
export function chooseSplit({ width, height }: TmuxPane): '-h' | '-v' {
  return width > 2 * height * 1.5 ? '-h' : '-v';
}

/** tmux itself splits down to a single line, in which nothing can be read. */
const [minWidth, minHeight] = [30, 8];

/** Whether both halves of a pane are large enough to work in, with the border between them. */
export function canSplit({ width, height }: TmuxPane, direction: '-h' | '-v'): boolean {
  return direction === '-h' ? width > 2 * minWidth : height > 2 * minHeight;
}

/** tmux takes a semicolon at the end of an argument as the end of a command. */
export function escapeArgument(word: string): string {
  return word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word;
}

/** A pane on one server. */
export interface TmuxPlace {
  socket: string;
  pane: string;
}

/** The id of a pane that any process can use: pane ids alone repeat from server to server. */
export function formatTmuxId({ socket, pane }: TmuxPlace): string {
  return `${socket}:${pane}`;
}

export function parseTmuxId(id: string): TmuxPlace | undefined {
  const [, socket, pane] = /^(\/.+):(%\d+)$/.exec(id) ?? [];
  return socket === undefined || pane === undefined ? undefined : { socket, pane };
}
