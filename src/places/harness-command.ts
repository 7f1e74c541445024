/** A command that Cadre itself runs: of a hook, the status line, an MCP server, all outside the sandbox, or a gate. */
export interface HarnessCommand {
  readonly command: string;
  /** The setting that names it, and its file. */
  readonly by: string;
  /** It always runs outside the sandbox: what would take the place of a program or module that it looks for counts as well. */
  readonly looksForPrograms?: true;
}

export type ListHarnessCommands = () => readonly HarnessCommand[];
