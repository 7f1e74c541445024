import { join, resolve } from '../lib/files/exact-paths.ts';
import { matchesPathRule } from '../places/path-rules.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { listNames } from './guard/look.ts';

/** A path that is not to be read or written, and the rule that says so. */
export interface DeniedPath {
  readonly path: string;
  readonly rule: Rule;
}

/**
 * The paths that deny rules of a kind name, for the sandbox to enforce. A plain path is always found. A pattern is matched in
 * these directories only, not below them: elsewhere it applies only to paths seen in the command.
 */
export function deniedPaths(
  rules: readonly Rule[],
  tool: 'Read' | 'Edit',
  directories: readonly string[],
  workspace: CallWorkspace,
): DeniedPath[] {
  const denying = rules.filter(
    (rule) => rule.behaviour === 'deny' && rule.tool === tool && rule.specifier !== undefined,
  );
  if (denying.length === 0) return [];
  const kind = tool === 'Read' ? 'read' : 'write';
  const patterns = denying.filter((rule) => !isAbsolutePath(rule, workspace));
  const met = directories.flatMap((directory) =>
    listNames(directory).flatMap((name): DeniedPath[] => {
      const path = join(directory, name);
      const resolved = { given: path, real: resolveRealPath(path) };
      const rule = patterns.find((one) => matchesPathRule(one, resolved, kind, workspace));
      return rule ? [{ path, rule }] : [];
    }),
  );
  const named = denying.flatMap((rule): DeniedPath[] => {
    const path = plainPath(rule, workspace);
    return path === undefined ? [] : [{ path, rule }];
  });
  return [...named, ...met];
}

/** One of thousands needs no comparison with every name. */
function isAbsolutePath(rule: Rule, workspace: CallWorkspace): boolean {
  return rule.specifier?.startsWith('//') === true && plainPath(rule, workspace) !== undefined;
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
