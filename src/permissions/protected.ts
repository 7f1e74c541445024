import { basename } from 'node:path';
import { componentsOf, isWithin } from '../workspace/paths.ts';
import { foldName, type ResolvedPath } from './paths.ts';
import { matchesName } from './pattern.ts';
import type { CallWorkspace } from './types.ts';

/** Files from which other programs take code or settings: whoever writes them runs something later. */
const directories: readonly (readonly string[])[] = [
  ['.git'],
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.vscode'],
  ['.idea'],
  ['.husky'],
  ['.cargo'],
  ['.devcontainer'],
  ['.yarn'],
  ['.mvn'],
  ['.ssh'],
  ['.gnupg'],
  ['.claude'],
  ['.cadre'],
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.circleci'],
];

const files: readonly string[] = [
  '.gitconfig',
  '.gitmodules',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.envrc',
  '.npmrc',
  '.yarnrc*',
  '.pnp.*',
  '.pnpmfile.cjs',
  'bunfig.toml',
  '.bazelrc',
  '.bazeliskrc',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  'lefthook*.yml',
  'lefthook*.yaml',
  'lefthook*.toml',
  'lefthook*.json',
  '.lefthook*',
  'gradle-wrapper.properties',
  'maven-wrapper.properties',
  '.devcontainer.json',
  '.ripgreprc',
  'pyrightconfig.json',
  '.mcp.json',
  '.claude.json',
  '.gitlab-ci.yml',
  '.travis.yml',
  '.drone.yml',
  'jenkinsfile',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
];

/** Nearly all names of a large directory are none of these, and need no closer look. */
export function mayBeProtected(name: string): boolean {
  return beginnings.has((name[0] ?? '').toLowerCase());
}

const beginnings: ReadonlySet<string> = new Set(
  [...directories.map(([first = '']) => first), ...files].map((name) => name[0] ?? ''),
);

/** Why a write to this path is never made unasked; undefined where the path is an ordinary one. */
export function protectionOf(path: ResolvedPath, workspace: CallWorkspace): string | undefined {
  const ours = [workspace.home, `${workspace.userHome}/.claude`];
  for (const one of [path.real, path.given]) {
    const owner = ours.find(
      (own) => isWithinFolded(one, own) || isWithinFolded(one, workspace.realPath(own)),
    );
    if (owner !== undefined) return `${owner} holds settings and state`;
    const name = protectedName(one);
    if (name !== undefined) return `${name} is a protected path`;
  }
  return undefined;
}

/**
 * What no tool may read or write, in any mode: the keys that were entered for model providers, the tokens for MCP servers,
 * and what the user trusts or has approved, since whoever writes that trusts in the user's place.
 */
export function isOwnSecret(path: ResolvedPath, workspace: CallWorkspace): boolean {
  return ['keys.json', 'trust.json', 'mcp-auth.json', 'mcp-pins.json'].some((name) => {
    const file = `${workspace.home}/${name}`;
    const real = workspace.realPath(file);
    return [path.given, path.real].some((one) => isWithinFolded(one, file) || isWithinFolded(one, real));
  });
}

/** A search through this directory would come across our own keys. */
export function holdsOwnSecret(path: ResolvedPath, workspace: CallWorkspace): boolean {
  return [workspace.home, workspace.realPath(workspace.home)].some(
    (home) => isWithinFolded(home, path.given) || isWithinFolded(home, path.real),
  );
}

/** What is protected by its own name, wherever it stands: `.vscode`, `.npmrc`, `.github/workflows`. */
export function protectedName(path: string): string | undefined {
  const parts = withoutWorktree(componentsOf(path).map(foldName));
  const folder = directories.find((names) =>
    parts.some((_, start) => names.every((name, offset) => parts[start + offset] === name)),
  );
  if (folder) return folder.join('/');
  const last = foldName(basename(path));
  return files.some((pattern) => matchesName(pattern, last)) ? basename(path) : undefined;
}

/** Worktrees of agents stand below `.cadre/worktrees/<name>`: what counts is the path inside of them. */
function withoutWorktree(parts: string[]): string[] {
  const at = parts.findLastIndex(
    (part, index) => (part === '.cadre' || part === '.claude') && parts[index + 1] === 'worktrees',
  );
  return at >= 0 && parts.length > at + 3 ? parts.slice(at + 3) : parts;
}

function isWithinFolded(path: string, directory: string): boolean {
  return isWithin(foldName(path), foldName(directory));
}
