/** A command that Cadre itself runs, outside the sandbox: of a hook, the status line, an MCP server, a gate. */
export interface OwnCommand {
  readonly command: string;
  /** The setting that names it, and its file. */
  readonly by: string;
}

export type ListOwnCommands = () => readonly OwnCommand[];
