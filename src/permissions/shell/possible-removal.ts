import { basename } from 'node:path';
import type { Decision } from '../../protocol/permission.ts';
import { joinPath } from '../../workspace/paths.ts';
import { ask, deny } from '../reasons.ts';
import { isOwnSecret } from '../protected.ts';
import { foldName, resolvePath, settlePath } from '../paths.ts';
import type { CallWorkspace } from '../types.ts';
import { findLooseParts, type LoosePart, nameOf } from './line-texts.ts';
import type { Script } from './script.ts';
import { findTokens, lastName } from './tokens.ts';
import { isCritical } from './uses.ts';

/**
 * What no mode and no rule lets a line do, as far as any of its words says so: removing the home or the workspace, and
 * touching our own keys. Where a command is known its paths are judged exactly; this is about all that is not, and may run
 * or open whatever it is given.
 */
export function judgePossible(
  script: Script,
  workspace: CallWorkspace,
  isInside: boolean | undefined,
): Decision[] {
  return findLooseParts(script).flatMap((part) => {
    const tokens = tokensOf(part, workspace);
    const secret = isInside ? undefined : findSecret(part, tokens, workspace);
    if (secret !== undefined)
      return [deny('protected-path', `${secret} holds our own keys, which no command may come across`)];
    const removed = removes(part, tokens) ? findCritical(part, tokens, workspace) : undefined;
    if (removed === undefined) return [];
    return [ask('protected-path', `it may remove ${removed}, which is always asked about`)];
  });
}

function tokensOf({ one, texts }: LoosePart, { userHome }: CallWorkspace): string[] {
  const [directory] = one.command.directories;
  return [...new Set(texts.flatMap((text) => findTokens(text, { home: userHome, directory })))].slice(
    0,
    maxTokens,
  );
}

const maxTokens = 2000;

/** Whether a program that removes files is named: by itself, or by options of one that can. */
function removes({ one }: LoosePart, tokens: readonly string[]): boolean {
  const all = [nameOf(one.command), ...tokens];
  return all.some((token) => removers.has(lastName(token).replace(/^.*\./, '')) || removing.test(token));
}

/** Programs, and functions of languages that programs are written in. */
const removers: ReadonlySet<string> = new Set(
  (
    'rm rmdir unlink shred srm wipe trash trash-put rimraf del del-cli mv rmtree rm_rf rm_r rmSync rmdirSync unlinkSync ' +
    'removeSync remove_tree RemoveAll remove_entry remove_dir_all'
  ).split(' '),
);
const removing = /^(?:-delete|--del(?:ete)?(?:-[a-z]+)?|--remove-(?:files|source-files)|-sdel)$/;

function findCritical(
  { one }: LoosePart,
  tokens: readonly string[],
  workspace: CallWorkspace,
): string | undefined {
  const { directories } = one.command;
  return tokens.find((token) =>
    placesOf(token, directories, workspace).some((path) => isCritical({ kind: 'remove', path }, workspace)),
  );
}

/** A token is a place by itself, or behind a colon, as in `-v HERE:/there`. */
function placesOf(token: string, directories: readonly string[], workspace: CallWorkspace): string[] {
  return [token, ...token.split(':')].flatMap((name) => {
    const text = name.replace(/(?:\/+(?:\*+|\.\*)?)+$/, (end) => (name === end ? '/' : ''));
    if (text === '*' || text === '**') return [...directories];
    if (!/^[/~.]/.test(text)) return [];
    return resolveName(text, directories, workspace);
  });
}

function resolveName(text: string, directories: readonly string[], workspace: CallWorkspace): string[] {
  const { userHome, homeOf } = workspace;
  const [, user, rest = ''] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
  if (user === '') return settlePath(userHome + rest, workspace);
  // A user of whom nobody knows has a home all the same.
  if (user !== undefined) return settlePath((homeOf?.(user) ?? '/') + rest, workspace);
  return directories.flatMap((directory) => settlePath(joinPath(directory, text), workspace));
}

/** One of our own files, by a name in the text, or by a directory and a name below it in two words. */
function findSecret(
  { one, kind }: LoosePart,
  tokens: readonly string[],
  workspace: CallWorkspace,
): string | undefined {
  const { directories } = one.command;
  const own = basename(workspace.home);
  const isOwn = (path: string) =>
    isOwnSecret(resolvePath(path, workspace), workspace) ||
    [path, workspace.realPath(path)].some((each) => foldName(each) === foldName(workspace.home));
  const named = tokens.filter((token) => foldName(token).includes(foldName(own)));
  const bases = kind === 'unproven' ? tokens.filter((token) => /^[/~.]/.test(token)).slice(0, 50) : [];
  const starts = [...directories, ...bases.flatMap((base) => resolveName(base, directories, workspace))];
  return named.find(
    (token) =>
      (/^[$`]/.test(token) && /[/](?:keys|trust|mcp-auth|mcp-pins)\.json$/.test(token)) ||
      resolveName(token.replace(/^[^:]*:(?=[/~])/, ''), starts, workspace).some(isOwn),
  );
}
