import { join, resolve } from '../lib/files/exact-paths.ts';
import { untold } from '../lib/told.ts';
import { isWholeTool } from '../places/names.ts';
import { matchesPathRule } from '../places/path-rules.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { resolveOwnPath } from '../workspace/real-path.ts';
import { listNames } from './guard/look.ts';

/** A path that is not to be read or written, and the rule that says so. */
export interface DeniedPath {
  readonly path: string;
  readonly rule: Rule;
  /** As the rule has it, where a link leads from there to the path. */
  readonly given?: string;
  /** A directory of worktrees, in which there may be copies of what the rule names: not one that the command works in. */
  readonly holdsCopies?: true;
}

/**
 * The paths that deny rules of a kind name, for the sandbox to enforce. A plain path is always found. A pattern is matched in
 * these directories only, not below them: elsewhere it applies only to paths seen in the command. One that fits every name
 * in a directory is about the directory itself, and a rule about the whole tool about everything.
 */
export function deniedPaths(
  rules: readonly Rule[],
  tool: 'Read' | 'Edit',
  directories: readonly string[],
  workspace: CallWorkspace,
): DeniedPath[] {
  const denying = rules.filter((rule) => rule.behaviour === 'deny' && rule.tool === tool);
  if (denying.length === 0) return [];
  const kind = tool === 'Read' ? 'read' : 'write';
  const patterns = denying.filter((rule) => !isAbsolutePath(rule, workspace));
  const met = directories.flatMap((directory) => {
    const covers = (rule: Rule, path: string, real = path) =>
      matchesPathRule(rule, { given: path, real }, kind, workspace);
    const whole = patterns.find((rule) => anyNames.every((name) => covers(rule, join(directory, name))));
    if (whole) return [{ path: directory, rule: whole }];
    const names = listNames(directory);
    // Any name in it may fit.
    if (names === untold) return patterns.slice(0, 1).map((rule) => ({ path: directory, rule }));
    return names.flatMap((name): DeniedPath[] => {
      const path = join(directory, name);
      const real = resolveOwnPath(path);
      const rule = patterns.find((one) => covers(one, path, real));
      return rule ? [{ path, rule }] : [];
    });
  });
  const starts = workspace.isolated ? [workspace.cwd, workspace.isolated.start] : [workspace.cwd];
  const named = denying.flatMap((rule) =>
    starts.flatMap((cwd): DeniedPath[] => {
      const path = plainPath(rule, { ...workspace, cwd });
      return path === undefined ? [] : [{ path, rule }];
    }),
  );
  // Two rules may name one path, and each path is counted and mounted.
  const unique = new Map([...named, ...met].reverse().map((one) => [one.path, one]));
  return [...unique.values()].reverse();
}

/** Names with nothing in common: a pattern that fits them all fits any name that a program can choose. */
const anyNames: readonly string[] = ['a', '.B', '7~', 'é x.y'];

/** One of thousands needs no comparison with every name. */
function isAbsolutePath(rule: Rule, workspace: CallWorkspace): boolean {
  const isAbsolute = isWholeTool(rule) || rule.specifier?.startsWith('//') === true;
  return isAbsolute && plainPath(rule, workspace) !== undefined;
}

/** The path of a rule without wildcards; `x/**` is the directory x. */
function plainPath(rule: Rule, { cwd, userHome }: CallWorkspace): string | undefined {
  if (isWholeTool(rule)) return '/';
  const { specifier = '', base } = rule;
  const text = specifier.replace(/(?:\/\*\*)+\/?$/, '');
  if (/[*?[\]\\]/.test(text)) return undefined;
  if (specifier.startsWith('//')) return resolve('/', text.slice(2));
  if (text === '~' || text.startsWith('~/')) return resolve(userHome, text.slice(2));
  if (specifier.startsWith('/')) return resolve(base, text.slice(1));
  // A name alone applies at any depth.
  return text.includes('/') ? resolve(cwd, text) : undefined;
}
