import { hashBytes } from '../lib/hash.ts';

/** The pattern that every provider accepts as the name of a tool. */
const maxLength = 64;

/** `mcp__<server>__<tool>` from letters, digits, `_` and `-` only. `server` is a name as `plainServer` makes it. */
export function formatToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${plain(tool)}`;
  return name.length <= maxLength ? name : marked(name, `mcp__${server}__${tool}`);
}

/** Names for all of them at once: two that would become the same are told apart by a mark of the original. */
export function nameTools(server: string, tools: readonly string[]): Map<string, string> {
  const plainNames = tools.map((tool) => formatToolName(server, tool));
  const count = new Map<string, number>();
  for (const name of plainNames) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    tools.map((tool, index) => {
      const name = plainNames[index] ?? '';
      return [tool, count.get(name) === 1 ? name : marked(name, `mcp__${server}__${tool}`)];
    }),
  );
}

/**
 * The part of tool names and rules that names a server. No `__` inside or at its ends: `mcp__a` must never mean a tool
 * of a server that is called `a__b`.
 */
export function plainServer(name: string, taken: ReadonlySet<string>): string {
  const short = plain(name).replace(/_+/g, '_').replace(/^_|_$/g, '').slice(0, 40) || 'server';
  return taken.has(short) ? `${short}-${hashBytes(name).slice(0, 6)}` : short;
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function marked(name: string, original: string): string {
  return `${name.slice(0, maxLength - 9)}_${hashBytes(original).slice(0, 8)}`;
}
