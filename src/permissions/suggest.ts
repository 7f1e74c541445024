import { dirname } from 'node:path';
import { formatHost, hostOf } from '../lib/hosts.ts';
import type { Access, Rule } from '../protocol/permission.ts';
import { resolvePath } from './paths.ts';
import { escapePattern } from './pattern.ts';
import { protectionOf } from './protected.ts';
import { faultOfText } from './shell/check-text.ts';
import type { Call, CallWorkspace } from './types.ts';

/**
 * The rules that "always allow" would add. None where no rule could grant the call (a protected path is asked
 * about each time), or where the rule would say more than what was seen.
 */
export function suggestRules(call: Call): Rule[] {
  const { tool, accesses, workspace } = call;
  const specifiers = accesses.flatMap((access) => specifierFor(tool, access, workspace) ?? []);
  if (accesses.every((access) => access.kind === 'none' || access.kind === 'mcp'))
    return [sessionRule(tool, undefined, workspace)];
  // Where a search goes is not the model's choice, so its grant names no server.
  if (tool === 'WebSearch') return [sessionRule(tool, undefined, workspace)];
  return specifiers.map(({ family, specifier }) => sessionRule(family, specifier, workspace));
}

interface Specifier {
  family: string;
  specifier: string;
}

function specifierFor(tool: string, access: Access, workspace: CallWorkspace): Specifier | undefined {
  if (access.kind === 'none' || access.kind === 'mcp' || access.kind === 'question') return undefined;
  if (access.kind === 'network') {
    const host = tool === 'WebFetch' ? hostOf(access.url) : undefined;
    return host && { family: 'WebFetch', specifier: `domain:${formatHost(host)}` };
  }
  // A star would be read as a wildcard, and nobody reviews a command that fills a screen or shows less than it is.
  if (access.kind === 'shell') {
    const specifier = access.command.trim();
    const isUnfit = specifier.includes('*') || specifier.length > 500 || faultOfText(specifier) !== undefined;
    return isUnfit ? undefined : { family: 'Bash', specifier };
  }
  if (access.kind === 'write' && protectionOf(resolvePath(access.path, workspace), workspace))
    return undefined;
  const directory = dirname(access.path);
  const specifier = directory === '/' ? `/${escapePattern(access.path)}` : `/${escapePattern(directory)}/**`;
  return { family: access.kind === 'read' ? 'Read' : 'Edit', specifier };
}

function sessionRule(tool: string, specifier: string | undefined, workspace: CallWorkspace): Rule {
  return {
    behaviour: 'allow',
    tool,
    ...(specifier === undefined ? {} : { specifier }),
    layer: 'session',
    source: 'your answer',
    base: workspace.cwd,
  };
}
