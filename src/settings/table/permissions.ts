import { resolve } from 'node:path';
import { form } from '../../lib/form/form.ts';
import { type PermissionMode, permissionModes } from '../../protocol/permission.ts';
import { count, text } from './checks.ts';
import { custom, once, section, single } from './merging.ts';
import type { Check, FromRepository, LayerContext, Merging } from './setting.ts';

const mode: Check<PermissionMode> = () =>
  form
    .enum([...permissionModes, 'manual'])
    .transform((given): PermissionMode => (given === 'manual' ? 'default' : given));

/** Rules are parsed when the file is read, with their lines, and merged beside the settings. */
const rules: Merging<string[], undefined> = { start: () => undefined, add: () => undefined };
const strings: Check<string[]> = () => form.array(text());

const directories: Merging<string[], string[]> = {
  start: () => [],
  add: (before, written, layer) => [
    ...new Set([...before, ...written.map((path) => resolveDirectory(path, layer))]),
  ],
  listParts: (merged) => merged,
};

/** Modes that do not ask are the user's choice, whatever a repository says. */
const modeFromRepository: FromRepository<PermissionMode> = {
  narrows: (given) => given === 'plan',
  refuses: (given) => given === 'auto' || given === 'bypassPermissions',
};
const narrows: FromRepository<unknown> = { narrows: () => true };

export const permissions = section(
  {
    deny: custom(strings, rules, {
      about: '[rules](permissions.md#rules) for calls that are denied',
      flag: '--disallowedTools',
      repository: narrows,
    }),
    ask: custom(strings, rules, {
      about: 'rules for calls that you are always asked about',
      repository: narrows,
    }),
    allow: custom(strings, rules, {
      about: 'rules for calls that run without asking',
      flag: '--allowedTools',
    }),
    defaultMode: single(mode, {
      about: 'the [mode](permissions.md) a session starts in; `manual` is another name for `default`',
      otherwise: '`default`',
      flag: '--permission-mode',
      repository: modeFromRepository,
    }),
    additionalDirectories: custom(strings, directories, {
      about:
        'more directories to work in; relative paths start at the base of their layer, `~/` at your home',
      flag: '--add-dir',
    }),
    disableBypassPermissionsMode: once({
      about: '`"disable"` or `true`: mode `bypassPermissions` is refused; no other layer can allow it again',
      otherwise: '`false`',
      repository: narrows,
    }),
    disableAutoMode: once({
      about: '`"disable"` or `true`: mode `auto` is refused; no other layer can allow it again',
      otherwise: '`false`',
      repository: narrows,
    }),
    questionTimeoutSeconds: single(count, {
      about: 'seconds that a [question](approvals.md) waits for its answer',
      otherwise: '600 in the background, no limit in the foreground',
    }),
  },
  { guards: true },
);

export function resolveDirectory(written: string, { place, options }: LayerContext): string {
  if (written === '~') return options.userHome;
  if (written.startsWith('~/')) return resolve(options.userHome, written.slice(2));
  return resolve(place.layer === 'managed' ? options.cwd : place.base, written);
}
