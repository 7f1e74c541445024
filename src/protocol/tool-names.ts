/**
 * Other names for our tools in agent files, rules and flags. The only such table: code that reads a tool's name from a
 * file or a flag uses `canonicalToolName`.
 */
const aliases: ReadonlyMap<string, string> = new Map([
  ['read_file', 'Read'],
  ['FileRead', 'Read'],
  ['write_file', 'Write'],
  ['FileWrite', 'Write'],
  ['edit_file', 'Edit'],
  ['FileEdit', 'Edit'],
  ['list_files', 'Glob'],
  ['grep_search', 'Grep'],
  ['run_shell', 'Bash'],
  ['agent', 'Agent'],
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
  ['ListPeers', 'ListAgents'],
  ['Brief', 'SendUserMessage'],
  ['ListMcpResources', 'ListMcpResourcesTool'],
  ['ReadMcpResource', 'ReadMcpResourceTool'],
  ['ReadMcpResourceDir', 'ReadMcpResourceDirTool'],
]);

/** Our name for a tool. A name that is in no table is returned as it is: it may be an MCP tool's. */
export function canonicalToolName(name: string): string {
  return aliases.get(name) ?? name;
}

export function isMcpToolName(name: string): boolean {
  return name.startsWith('mcp__');
}

/** The tool by which an agent submits an answer of a given form. */
export const outputToolName = 'SyntheticOutput';
