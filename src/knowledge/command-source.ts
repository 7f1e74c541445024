import type { Result } from '../lib/result.ts';

/** A slash command as a list shows it. */
export interface CommandEntry {
  name: string;
  description: string;
  argumentHint?: string;
}

/**
 * Commands that come from elsewhere than files: the prompts of an MCP server, for example. Asked again each time, since
 * they may come and go while a session runs. What it gives is text from outside; whoever asks labels it.
 */
export interface CommandSource {
  /** What the commands come from, for the label: `mcp server "x"`. */
  readonly from: string;
  list(): readonly CommandEntry[];
  /** Fetches what a command that was typed needs before it can be known; with a text where it cannot be had. */
  prepare?(name: string, signal: AbortSignal): Promise<string | undefined>;
  expand(name: string, args: string, signal: AbortSignal): Promise<Result<string>>;
}
