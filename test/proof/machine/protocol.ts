/** What the warden, outside, and the driver, inside, tell each other: a line of JSON each. */
export type Order =
  /** Look at the whole machine; below `allowed` paths anything may have changed. A brief look leaves the kernel's settings to the next one. */
  | { kind: 'look'; allowed: readonly string[]; isBrief: boolean }
  /** Run a line without any protection, elsewhere, and say what it changes. */
  | {
      kind: 'control';
      command: string;
      cwd: string;
      environment: Readonly<Record<string, string>>;
      allowed: readonly string[];
    }
  | { kind: 'result'; result: unknown };

export interface Reply {
  damage: string[];
}

export type As = 'root' | 'user';

export interface WardenOptions {
  as: As;
  driver: string;
  full: boolean;
  seed: number;
  base: string;
}

/** Not below `/tmp`, where a sandbox has a directory of its own and much would be hidden. */
export const attackedPlace = '/var/lib/attacked';

export function userOf(as: As): { uid: number } {
  return { uid: as === 'root' ? 0 : 65_533 };
}
