import type { Command } from 'commander';
import type { McpAction, McpFlags } from './mcp.ts';

export interface McpActions {
  mcp(action: McpAction, words: string[], flags: McpFlags): Promise<number>;
}

/** `cadre mcp …`, as data for commander. */
export function addMcpCommands(
  program: Command,
  actions: McpActions,
  finished: (code: number) => void,
): void {
  const repeat = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  const mcp = program.command('mcp').description('MCP servers: programs and services that bring tools along');
  mcp
    .command('list')
    .description('show the servers there are, and why others are not started')
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.mcp('list', [], flags)));
  mcp
    .command('add <name> [command-or-url] [args...]')
    .description('add one: cadre mcp add files -- npx -y @modelcontextprotocol/server-filesystem .')
    .option(
      '-s, --scope <scope>',
      'local (you, here), user (you, everywhere) or project (.mcp.json)',
      'local',
    )
    .option('-t, --transport <type>', 'stdio, http or sse; known from what is given')
    .option('-e, --env <pair>', 'NAME=value for the program (repeatable)', repeat)
    .option('-H, --header <pair>', 'Name: value for the address (repeatable)', repeat)
    .action(async (name: string, first: string | undefined, args: string[], flags) =>
      finished(await actions.mcp('add', [name, ...(first === undefined ? [] : [first]), ...args], flags)),
    );
  mcp
    .command('remove <name>')
    .description('remove one')
    .option('-s, --scope <scope>', 'of this scope only')
    .action(async (name: string, flags) => finished(await actions.mcp('remove', [name], flags)));
  mcp
    .command('test <name>')
    .description('start one, show its tools, and ask about those that changed since they were approved')
    .option('--approve', 'approve what changed, without a question')
    .option('--trust', "also where this repository's own file names it and is not trusted")
    .option('--json', 'as JSON')
    .action(async (name: string, flags) => finished(await actions.mcp('test', [name], flags)));
  mcp
    .command('login <name>')
    .description('log in to a server that asks for it, in a browser')
    .action(async (name: string, flags) => finished(await actions.mcp('login', [name], flags)));
}
