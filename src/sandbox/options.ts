import type { Sandbox } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/sandbox.ts';

/** What a session's sandbox is opened with. */
export interface SandboxOptions {
  settings: SandboxSettings;
  home: string;
  userHome: string;
  /** The user's own, which may lead to credentials and to git's configuration. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether the system keeps nothing from this user. */
  isRoot: boolean;
  /** What agents may read of `home`: they were told of it. */
  given(): readonly string[];
  /** Of this session: the private `/tmp`. */
  directory: string;
  /** Finds the way to confine on this system; asked when the first command comes. */
  choose(): Promise<Sandbox>;
  /** Tells the user. */
  notify(text: string): void;
}
