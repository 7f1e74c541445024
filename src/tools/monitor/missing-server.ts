import { visibleLine } from '../../lib/text/text.ts';

/** The error for a server that a call names and that is not there. */
export function describeMissingServer(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? 'there are none' : `available: ${names.join(', ')}`;
  return `There is no MCP server ${visibleLine(name, 100)}; ${known}.`;
}
