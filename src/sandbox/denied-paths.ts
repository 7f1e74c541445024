import { join, resolve } from '../lib/files/exact-paths.ts';
import { matchesPathRule } from '../places/path-rules.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { listNames } from './guard/look.ts';

/**
 * The paths that deny rules of a kind name, for the sandbox to enforce. A plain path is always found. A pattern is matched in
 * these directories only, not below them: elsewhere it applies only to paths seen in the command.
 */
export function deniedPaths(
  rules: readonly Rule[],
  tool: 'Read' | 'Edit',
  directories: readonly string[],
  workspace: CallWorkspace,
): string[] {
  const denying = rules.filter(
    (rule) => rule.behaviour === 'deny' && rule.tool === tool && rule.specifier !== undefined,
  );
  if (denying.length === 0) return [];
  const kind = tool === 'Read' ? 'read' : 'write';
  const met = directories.flatMap((directory) =>
    listNames(directory)
      .map((name) => join(directory, name))
      .filter((path) =>
        denying.some((rule) =>
          matchesPathRule(rule, { given: path, real: resolveRealPath(path) }, kind, workspace),
        ),
      ),
  );
  return [...denying.flatMap((rule) => plainPath(rule, workspace) ?? []), ...met];
}

/** The path of a rule without wildcards; `x/**` is the directory x. */
function plainPath({ specifier = '', base }: Rule, { cwd, userHome }: CallWorkspace): string | undefined {
  const text = specifier.replace(/\/\*\*$/, '');
  if (text === '' || /[*?[\]\\]/.test(text)) return undefined;
  if (text.startsWith('//')) return resolve('/', text.slice(1));
  if (text === '~' || text.startsWith('~/')) return resolve(userHome, text.slice(2));
  if (text.startsWith('/')) return resolve(base, text.slice(1));
  // A name alone applies at any depth.
  return text.includes('/') ? resolve(cwd, text) : undefined;
}
