import { join, resolve } from '../lib/files/exact-paths.ts';
import type { SandboxPolicy } from '../protocol/sandbox.ts';
import { isBelow } from './guard/look.ts';

/** Paths in the workspace that a command found read-only: protected ones, and those that settings and rules close. */
export function listClosed({ paths }: SandboxPolicy, roots: readonly string[]): string[] {
  const isInside = (path: string) => roots.some((root) => path !== root && isBelow(path, root));
  return paths
    .filter(({ access, path, from }) => access === 'read' && from === undefined && isInside(path))
    .map(({ path }) => path);
}

/** Messages of programs about a mount that cannot be written or replaced. */
const refusal = /read-only file system|\bEROFS\b|resource busy|\bEBUSY\b/i;

const maxRead = 20_000;

/**
 * The paths that an output says could not be written, as far as they are at or below the closed ones: then the sandbox is
 * the reason, whatever the exit code. Programs name paths from their own directory, which need not be the command's, and git
 * from the top of the checkout: so a name belongs to the closed path that it begins with the end of.
 */
export function findRefusedPaths(output: string, closed: readonly string[], cwd: string): string[] {
  if (closed.length === 0 || !refusal.test(output)) return [];
  const found = output
    .slice(-maxRead)
    .split('\n')
    .filter((line) => refusal.test(line))
    .flatMap(listNames)
    .flatMap((name) => locate(name, closed, cwd));
  return [...new Set(found)];
}

/** Quoted parts and words of a line. */
function listNames(line: string): string[] {
  const quoted = [...line.matchAll(/'([^']+)'|"([^"]+)"|`([^`]+)`/g)].map(
    ([, single, double, tick]) => single ?? double ?? tick ?? '',
  );
  return [...quoted, ...line.split(/\s+/).map((word) => word.replace(/[:,;]+$/, ''))]
    .map((name) => name.replace(/\/+$/, ''))
    .filter((name) => name !== '');
}

function locate(name: string, closed: readonly string[], cwd: string): string[] {
  const isClosed = (path: string) => closed.some((one) => isBelow(path, one));
  if (name.startsWith('/')) return isClosed(resolve('/', name)) ? [resolve('/', name)] : [];
  const here = resolve(cwd, name);
  if (isClosed(here)) return [here];
  const plain = name.replace(/^(?:\.\/)+/, '');
  const found = closed.flatMap((path) => findStart(path, plain) ?? []);
  const around = found.filter((start) => isBelow(cwd, start));
  return (around.length > 0 ? around : found).map((start) => join(start, plain));
}

/** The directory from which a name leads to a closed path, or below it. */
function findStart(closed: string, name: string): string | undefined {
  const parts = closed.split('/');
  for (let from = 1; from < parts.length; from++) {
    const end = parts.slice(from).join('/');
    if (name === end || name.startsWith(`${end}/`)) return parts.slice(0, from).join('/') || '/';
  }
  return undefined;
}
