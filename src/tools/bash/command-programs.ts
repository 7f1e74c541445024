import type { Programs } from '../../shell/programs.ts';
import { pathOutside } from '../../workspace/search-path.ts';
import { asksLoginShell } from './environment.ts';

/** Where the session's commands find their programs, as far as that is known. */
export interface CommandPrograms {
  current(): Programs;
  /** The search path that commands get. */
  settle(path: string): void;
}

export interface ProgramSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly shell: string | undefined;
  readonly userHome: string;
  places(): readonly string[];
}

/** The login shell is asked only when a command needs it; until then we use the path that we were started with. */
export function openCommandPrograms({ env, shell, userHome, places }: ProgramSources): CommandPrograms {
  let known: Programs | undefined;
  return {
    current() {
      known ??= {
        ...{ path: pathOutside(env.PATH ?? '', places(), userHome), userHome },
        isWhole: !asksLoginShell({ shell, env }),
      };
      return known;
    },
    settle(path) {
      known = { path, isWhole: true, userHome };
    },
  };
}
