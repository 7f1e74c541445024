import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ok, type Result, usage } from '../lib/result.ts';
import { permissionModes } from '../protocol/index.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** What a program can get wrong without its compiler noticing, or from input of its own. */
export function checkOptions(options: SessionOptions, { cwd }: Surroundings): Result<void> {
  const { permissionMode: mode, maxTurns } = options;
  if (mode !== undefined && !permissionModes.includes(mode))
    return usage(`There is no permission mode "${mode}".`, `Choose one of ${permissionModes.join(', ')}.`);
  if (maxTurns !== undefined && (!Number.isSafeInteger(maxTurns) || maxTurns < 1))
    return usage(`maxTurns is ${maxTurns}: expected a whole number from 1.`);
  if (!isDirectory(cwd)) return usage(`${cwd} is not a directory.`, 'Name one that exists.');
  const missing = options.additionalDirectories?.find((path) => !isDirectory(resolve(cwd, path)));
  return missing === undefined
    ? ok(undefined)
    : usage(`--add-dir ${missing} is not a directory.`, 'Name one that exists.');
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
