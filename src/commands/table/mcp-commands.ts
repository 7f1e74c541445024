import { json, trust } from './common-flags.ts';
import { choice, repeated, text, toggle, usualChoice } from './flag.ts';

const scopes = ['local', 'user', 'project'] as const;

/** Commands about MCP servers. Part of `commandTable`. */
export const mcpCommands = {
  mcp: { about: 'manage MCP servers, which bring more tools', isGroup: true },
  'mcp list': { about: 'list servers, and why others are not started', flags: { json } },
  'mcp add': {
    about: 'add a server: the command that starts it, or its URL',
    takes: '<name> [command-or-url] [args...]',
    completes: [undefined, 'file', 'file'],
    flags: {
      scope: usualChoice(
        'scope',
        scopes,
        'where to store it: for you in this project, for you everywhere, or in .mcp.json',
        {
          short: '-s',
        },
      ),
      transport: text('type', 'stdio, http or sse; detected from the command or URL by default', {
        short: '-t',
      }),
      env: repeated('pair', 'NAME=value for the program', { short: '-e' }),
      header: repeated('pair', 'Name: value for the requests', { short: '-H' }),
    },
  },
  'mcp remove': {
    about: 'remove a server',
    takes: '<name>',
    completes: ['server'],
    flags: { scope: choice('scope', scopes, 'only from this scope', { short: '-s' }) },
  },
  'mcp test': {
    about: 'start a server, list its tools, and ask about tools that changed since you approved them',
    takes: '<name>',
    completes: ['server'],
    flags: {
      approve: toggle('approve changed tools without asking'),
      trust: trust("also start an untrusted server from this repository's .mcp.json"),
      json,
    },
  },
  'mcp login': {
    about: 'log in to a server that needs it, in a browser',
    takes: '<name>',
    completes: ['server'],
  },
} as const;
