import type { Result } from '../lib/result.ts';

/** A slash command as a list shows it. */
export interface CommandEntry {
  name: string;
  description: string;
  argumentHint?: string;
}

/**
 * Commands from other sources than files, for example the prompts of an MCP server. Asked again each time, since they
 * may come and go while a session runs. The result is text from outside; the caller labels it.
 */
export interface CommandSource {
  /** The source of the commands, for the label: `mcp server "x"`. */
  readonly from: string;
  /**
   * Its commands do something rather than add text: where one fails, the prompt goes nowhere. A model that got it as typed would do
   * something else in its place.
   */
  readonly acts?: boolean;
  list(): readonly CommandEntry[];
  /** Recognised, but not listed: `expand` says why it cannot be used. */
  knows?(name: string): boolean;
  /** Fetches what a typed command needs before it can be recognised; returns a message if that fails. */
  prepare?(name: string, signal: AbortSignal): Promise<string | undefined>;
  expand(name: string, args: string, signal: AbortSignal): Promise<Result<string>>;
}
