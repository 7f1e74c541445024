/**
 * Confined commands that run beside us and may write, of any session of this user. What is found where they can write need not
 * be the user's, and may be something else in the next moment.
 */
export interface RunningCommands {
  /** Whether one of them could make or change this path now. */
  mayWrite(path: string): boolean;
  /**
   * Whether one of them made a protected path, or could: it was not there, or was another, when the command began. So it
   * need not be there at this moment.
   */
  made(path: string): boolean;
  /** Whether one of them could change something of this work tree or directory now. */
  mayWorkIn(directory: string): boolean;
  /** The words before a program of ours by which it stays at these places; undefined where that is impossible here. */
  hold?: ((places: OwnPlaces) => readonly string[]) | undefined;
}

/** Where a program of ours may go: real paths that exist. */
export interface OwnPlaces {
  /** To be written. */
  open: readonly string[];
  /** Below those, and not to be written. */
  closed: readonly string[];
  /** What alone can be read besides, and the programs of the system; all that we can read where it is missing. */
  shown?: readonly string[];
  /** One of those or of the open ones, in which no link is followed where the system can do that. */
  linkless?: string;
}

/** Undefined at once where nothing runs, which is nearly always so. */
export type FindRunningCommands = () => Promise<RunningCommands> | undefined;

/** For the whole process, by our own directories: git is called in many places, and all of them mean the same commands. */
const finders = new Map<string, { find: FindRunningCommands; users: number }>();

/** From now on git, run by this process, takes them into account. Returns how to end that. */
export function addRunningCommands(home: string, find: FindRunningCommands): () => void {
  const known = finders.get(home) ?? { find, users: 0 };
  known.users++;
  finders.set(home, known);
  let isRemoved = false;
  return () => {
    if (isRemoved) return;
    isRemoved = true;
    known.users--;
    if (known.users === 0) finders.delete(home);
  };
}

export async function findRunningCommands(): Promise<RunningCommands | undefined> {
  const found = [...finders.values()].flatMap(({ find }) => find() ?? []);
  if (found.length === 0) return undefined;
  const all = await Promise.all(found);
  return {
    mayWrite: (path) => all.some((one) => one.mayWrite(path)),
    made: (path) => all.some((one) => one.made(path)),
    mayWorkIn: (directory) => all.some((one) => one.mayWorkIn(directory)),
    hold: all.find((one) => one.hold)?.hold,
  };
}
