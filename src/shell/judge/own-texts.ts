import { basename } from 'node:path';
import { foldName, resolvePath, settlePath } from '../../places/paths.ts';
import { isOwnSecret, ownSecrets } from '../../places/protected.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin, joinPath } from '../../workspace/paths.ts';
import { findTokens } from '../grammar/tokens.ts';
import { listTexts, readCommandName } from './command-words.ts';
import type { LoosePart } from './line-texts.ts';

/**
 * One of our own files: by a name in the text, by a directory and a name below it in two words, by the end of its path where
 * the beginning is computed, or by a path with a computed part that it may match.
 */
export function findSecret(
  part: LoosePart,
  tokens: readonly string[],
  workspace: CallWorkspace,
): string | undefined {
  const directories = listPartDirectories(part);
  const place = { home: workspace.userHome, directory: directories[0] };
  // Some of git's words are data to a shell; to git they are files.
  const own = part.commands.flatMap((one) =>
    readCommandName(one) === 'git' ? one.words.flatMap(listTexts) : [],
  );
  const all = [...tokens, ...own.flatMap((text) => findTokens(text, place))].map(foldName);
  const state = foldName(basename(workspace.home));
  const isOwn = (path: string) =>
    // Some programs add the suffix themselves.
    [path, `${path}.json`].some((one) => isOwnSecret(resolvePath(one, workspace), workspace)) ||
    [path, workspace.realPath(path)].some((each) => foldName(each) === foldName(workspace.home));
  const named = all.filter((token) => token.includes(state) || token.includes('/proc/'));
  // Only from a directory above them a name leads to them.
  const bases = named.length === 0 ? [] : tokens.filter((token) => /^[/~.]/.test(token));
  const above = bases
    .flatMap((base) => resolveName(base, directories, workspace))
    .filter((base) => [base, workspace.realPath(base)].some((each) => isWithin(workspace.home, each)));
  const starts = [...new Set([...directories, ...above])];
  const inParts = all.includes(state) ? ownSecrets.find((name) => all.includes(name)) : undefined;
  return (
    inParts ??
    named.find(
      (token) =>
        ownSecrets.some((name) => `/${token}`.endsWith(`/${state}/${name}`)) ||
        resolveName(token.replace(/^[^:]*:(?=[/~])/, ''), starts, workspace).some(isOwn),
    ) ??
    tokens.find((token) => mayBecomeOwn(token, directories, workspace))
  );
}

export function listPartDirectories({ commands }: LoosePart): readonly string[] {
  return [...new Set(commands.flatMap(({ directories }) => directories))];
}

/** The places that a name in a text may mean. */
export function resolveName(
  text: string,
  directories: readonly string[],
  workspace: CallWorkspace,
): string[] {
  const { userHome, findHome } = workspace;
  const [, user, rest = ''] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
  if (user === '') return settlePath(userHome + rest, workspace);
  // An unknown user has a home all the same.
  if (user !== undefined) return settlePath((findHome?.(user) ?? '/') + rest, workspace);
  return directories.flatMap((directory) => settlePath(joinPath(directory, text), workspace));
}

/** A computed part may be anything; a path with a computed beginning is ignored, and a relative one that is not hidden. */
function mayBecomeOwn(token: string, directories: readonly string[], workspace: CallWorkspace): boolean {
  const at = token.search(/[$`*?[]/);
  const fixed = token.slice(0, at);
  if (at < 0 || !/^(?:~|\/+[^/]|\.+[^.])/.test(fixed)) return false;
  const ending = new RegExp(`^${token.slice(at).replace(openPart, readOpenPart)}$`, 'i');
  const secrets = ownSecrets.map((name) => `${workspace.home}/${name}`);
  const files = [...secrets, ...secrets.map(workspace.realPath), '/proc/1/environ', '/proc/1/mem'];
  return resolveStart(fixed, directories, workspace).some((start) =>
    files.some((file) => foldName(file).startsWith(foldName(start)) && ending.test(file.slice(start.length))),
  );
}

/** A slash at the end, or a part of a name after it, stays. */
function resolveStart(fixed: string, directories: readonly string[], workspace: CallWorkspace): string[] {
  const [, directory = '', name = ''] = /^(?:(.*)\/)?([^/]*)$/s.exec(fixed) ?? [];
  const isHome = directory === '' && name.startsWith('~');
  const above = directory || (fixed.startsWith('/') ? '/' : '.');
  return resolveName(isHome ? name : above, directories, workspace).map((path) =>
    isHome ? path : `${path === '/' ? '' : path}/${name}`,
  );
}

const openPart = /\$(?:\{[^}]*\}?|\w+)?|`|\*\*|[*?]|\[[^\]]*\]?|[\s\S]/g;

/** Computed text may contain slashes; among patterns only `**` may. */
function readOpenPart(part: string): string {
  if (/^[$`]|^\*\*/.test(part)) return '[\\s\\S]*';
  return /^[*?]|^\[/.test(part) ? '[^/]*' : part.replace(/[.+^{}()|\]\\/]/, '\\$&');
}
