/** A command that Cadre itself runs: of a hook, the status line, an MCP server, all outside the sandbox, or a gate. */
export interface HarnessCommand {
  readonly command: string;
  /** The setting that names it, and its file. */
  readonly by: string;
}

export type ListHarnessCommands = () => readonly HarnessCommand[];
