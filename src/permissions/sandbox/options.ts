import type { Sandbox } from '../../protocol/sandbox.ts';
import type { SandboxSettings } from '../../settings/sandbox.ts';

/** What a session's sandbox is opened with. */
export interface SandboxOptions {
  settings: SandboxSettings;
  home: string;
  userHome: string;
  /** The user's own, in which git's configuration may be. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Of this session: the private `/tmp`. */
  directory: string;
  /** Finds the way to confine on this system; asked when the first command comes. */
  choose(): Promise<Sandbox>;
  /** Tells the user. */
  notify(text: string): void;
}
