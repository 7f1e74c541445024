import { dirname } from 'node:path';
import { formatHost, parseHost } from '../lib/hosts.ts';
import { findCredential } from '../places/credentials.ts';
import { resolvePath } from '../places/paths.ts';
import { escapePattern } from '../places/pattern.ts';
import { findProtection } from '../places/protected.ts';
import type { Call, CallWorkspace } from '../places/types.ts';
import type { Access, Rule } from '../protocol/permission.ts';
import { findTextFault } from '../shell/grammar/check-text.ts';
import { matchRules } from '../shell/rules/match.ts';
import { isWithin } from '../workspace/paths.ts';

/**
 * The rules that "always allow" would add. None where no rule could grant the call (a protected path is asked about each
 * time), where the rule would allow more than was seen, or where the question would still be asked.
 */
export function suggestRules(call: Call): Rule[] {
  const rules = suggestForTool(call);
  return call.accesses.every((access) => isAnswered(rules, call, access)) ? rules : [];
}

/** Commands are also granted by their parts: the suggestion for a command is the command itself. */
function isAnswered(rules: readonly Rule[], call: Call, access: Access): boolean {
  if (access.kind === 'none' || access.kind === 'shell') return true;
  return matchRules(rules, call, access).allow !== undefined;
}

function suggestForTool({ tool, accesses, workspace }: Call): Rule[] {
  // Asked because of what this one call does: a rule for the tool would allow all others of the kind.
  if (accesses.some((access) => access.kind === 'none' && access.asks !== undefined)) return [];
  // The model does not choose where a search goes, so its grant names no server.
  if (tool === 'WebSearch' || accesses.every(({ kind }) => kind === 'none' || kind === 'mcp'))
    return [sessionRule(tool, undefined, workspace)];
  const specifiers = accesses
    .filter(({ kind }) => kind !== 'none')
    .map((access) => chooseSpecifier(tool, access, workspace));
  if (!specifiers.every((one) => one !== undefined)) return [];
  return specifiers.map(({ family, specifier }) => sessionRule(family, specifier, workspace));
}

interface Specifier {
  family: string;
  specifier: string;
}

function chooseSpecifier(tool: string, access: Access, workspace: CallWorkspace): Specifier | undefined {
  if (access.kind === 'none' || access.kind === 'mcp' || access.kind === 'question') return undefined;
  if (access.kind === 'network') {
    const host = tool === 'WebFetch' ? parseHost(access.url) : undefined;
    return host && { family: 'WebFetch', specifier: `domain:${formatHost(host)}` };
  }
  // A star would be read as a wildcard, and users do not review a command that fills a screen or hides part of itself.
  if (access.kind === 'shell') {
    const specifier = access.command.trim();
    const isUnfit =
      specifier.includes('*') || specifier.length > 500 || findTextFault(specifier) !== undefined;
    return isUnfit ? undefined : { family: 'Bash', specifier };
  }
  if (access.kind === 'write' && findProtection(resolvePath(access.path, workspace), workspace))
    return undefined;
  const family = access.kind === 'read' ? 'Read' : 'Edit';
  // A search is about the place it names; for a single file users often mean its neighbours too.
  if (searches.has(tool))
    return isTooWide(access.path, workspace)
      ? undefined
      : { family, specifier: `/${escapePattern(access.path)}` };
  const directory = dirname(access.path);
  const isAlone = isTooWide(directory, workspace) || isSecret(access, workspace);
  const specifier = isAlone ? access.path : `${directory}/`;
  return { family, specifier: `/${escapePattern(specifier)}${specifier.endsWith('/') ? '**' : ''}` };
}

/** A yes to one credential file is not a yes to those beside it. */
function isSecret({ kind, path }: Extract<Access, { path: string }>, workspace: CallWorkspace): boolean {
  return kind === 'read' && findCredential(resolvePath(path, workspace), workspace.look) !== undefined;
}

const searches: ReadonlySet<string> = new Set(['Grep', 'Glob']);

/** The root, the home and its parents: too wide for users to mean all of it. */
function isTooWide(directory: string, { userHome, realPath }: CallWorkspace): boolean {
  return [userHome, realPath(userHome)].some((home) =>
    [directory, realPath(directory)].some((one) => isWithin(home, one)),
  );
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
