import { ok, type Result, usage } from '../../lib/result.ts';
import { type PermissionMode, permissionModes, readPermissionMode } from '../../protocol/permission.ts';
import { type Flag, type FlagValue, repeated, text, toggle } from './flag.ts';

/** Flags shared by several commands. Those that `cadre` itself has too are passed on to commands it runs. */
export const json = toggle('print JSON');
export const yes = toggle('do not ask');
export const addDir = (about: string) => repeated('directory', about, { completes: 'directory' });
export const pluginDir = (about: string) => repeated('directory', about, { completes: 'directory' });
export const agents = (about: string) => text('json-or-file', about, { completes: 'file' });
export const settings = (about: string) => text('file-or-json', about, { completes: 'file' });
export const trust = (about: string) => toggle(about);

/** A choice with another name for `default`. */
export function permissionMode(about: string): Flag<PermissionMode> {
  const read = (given: FlagValue, name: string): Result<PermissionMode> => {
    const mode = readPermissionMode(given);
    if (mode) return ok(mode);
    return usage(`${name} ${given}: unknown mode.`, `Choose one of ${permissionModes.join(', ')}.`);
  };
  return { about, placeholder: '<mode>', choices: permissionModes, read };
}
