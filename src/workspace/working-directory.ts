import type { FileState, FileStates, WorkingDirectory } from '../protocol/tool.ts';

/** Where an agent works, which its own commands may move. */
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

/** What an agent has seen of files, on top of what it inherits. */
export function openFileStates(inherited: ReadonlyMap<string, FileState> = new Map()): FileStates {
  const states = new Map(inherited);
  return {
    get: (path) => states.get(path),
    set: (path, state) => void states.set(path, state),
    all: () => states,
    forget: () => states.clear(),
  };
}
