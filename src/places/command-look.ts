import { constants, type Stats } from 'node:fs';
import { statTarget } from '../lib/files/entry-at.ts';
import { accessSync } from '../lib/files/exact-files.ts';
import { basename } from '../lib/files/exact-paths.ts';

/** What there is at a path, behind links. */
export interface CommandLook {
  isFile(path: string): boolean;
  isDirectory(path: string): boolean;
  /** A file that a program may be given to run. */
  isInput(path: string): boolean;
  /** A file that looks as if it could be run. */
  isScript(path: string): boolean;
}

/** Looks at each path once. For one reading of a configuration, whose commands share many words: what is there changes. */
export function openCommandLook(): CommandLook {
  const known = new Map<string, Stats | undefined>();
  const stat = (path: string) => {
    if (!known.has(path)) known.set(path, statTarget(path));
    return known.get(path);
  };
  const isFile = (path: string) => stat(path)?.isFile() === true;
  return {
    isFile,
    isDirectory: (path) => stat(path)?.isDirectory() === true,
    isInput: (path) => !dataNames.test(path) && isFile(path),
    isScript: (path) => isFile(path) && (scriptNames.test(basename(path)) || isExecutable(path, stat(path))),
  };
}

export const scriptNames = /^[^\s;|&()<>"'`$!=\\-]+\.(?:[cm]?[jt]s|sh|bash|zsh|fish|py|rb|pl|php|lua|ps1)$/i;

/** Files that people name in a command to read or add them. */
const dataNames = /\.(?:json|lock|md|txt|csv|html|css)$/i;

function isExecutable(path: string, stat: Stats | undefined): boolean {
  try {
    accessSync(path, constants.X_OK);
    return ((stat?.mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}
