import type { Result } from '../../lib/result.ts';
import type { ExecutorType } from './executor.ts';

/** A pane to open. */
export interface PaneWish {
  /** The program and its arguments, each passed on as it is: no shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly team: string;
  readonly title: string;
  readonly colour: string;
  /** Found again in what `list` returns, where the terminal can tell. */
  readonly mark: string;
}

export interface OpenedPane {
  /** Leads to the pane from any process of the user. */
  readonly id: string;
  /** The process in it, where the terminal tells. */
  readonly pid?: number;
}

export interface SeenPane extends OpenedPane {
  /** The mark it was opened with. Absent where the terminal does not tell. */
  readonly mark?: string;
  /** Its process has ended, and only the pane is left. */
  readonly isDead?: boolean;
}

/** A terminal that shows teammates: the few things that are done to it. */
export interface PaneBackend {
  readonly type: Exclude<ExecutorType, 'in-process'>;
  /**
   * How a pane that was opened earlier is recognised. `mark`: the terminal tells its mark. `id`: an id is never given to another
   * pane. `process`: neither; it is ours for as long as our process runs in it.
   */
  readonly recognisedBy: 'mark' | 'id' | 'process';
  isAvailable(): Promise<Result<void>>;
  open(wish: PaneWish): Promise<Result<OpenedPane>>;
  title(id: string, title: string, colour: string): Promise<Result<void>>;
  /** Types one line, and Enter. */
  send(id: string, line: string): Promise<Result<void>>;
  /** The panes of the terminal that this process is in, and of the place where teams without a terminal are shown. */
  list(): Promise<Result<SeenPane[]>>;
  /** One pane, wherever it is. Undefined when it is gone. */
  find(id: string): Promise<Result<SeenPane | undefined>>;
  /** A pane that is gone is not a problem. */
  close(id: string): Promise<Result<void>>;
  hide?(id: string): Promise<Result<void>>;
  show?(id: string): Promise<Result<void>>;
}
