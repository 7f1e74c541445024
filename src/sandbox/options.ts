import type { ListHarnessCommands } from '../places/harness-command.ts';
import type { Sandbox } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';

/** Options for opening a session's sandbox. */
export interface SandboxOptions {
  settings: SandboxSettings;
  home: string;
  userHome: string;
  /** The user's own, which may lead to credentials and to git's configuration. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Commands that Cadre runs for the user, outside. */
  commands?: ListHarnessCommands;
  /** Whether the user is root, from whom the system hides nothing. */
  isRoot: boolean;
  /** Paths in `home` that agents may read because they were given them. */
  given(): readonly string[];
  /** For this session: the private `/tmp`. */
  directory: string;
  /** Chooses the sandbox for this system; called for the first command. */
  choose(): Promise<Sandbox>;
  /** Shows a message to the user. */
  notify(text: string): void;
}
