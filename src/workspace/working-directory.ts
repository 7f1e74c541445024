import type { FileState, FileStates, WorkingDirectory } from '../protocol/tool.ts';

/** The directory an agent works in, which its own commands may change. */
export function openDirectory(root: string, cwd: string): WorkingDirectory {
  let current = cwd;
  return {
    root,
    get current() {
      return current;
    },
    move(path) {
      current = path;
    },
  };
}

/** The file states an agent has seen, on top of those it inherits. */
export function openFileStates(inherited: ReadonlyMap<string, FileState> = new Map()): FileStates {
  const states = new Map(inherited);
  return {
    get: (path) => states.get(path),
    set: (path, state) => void states.set(path, state),
    all: () => states,
    forget: () => states.clear(),
  };
}
