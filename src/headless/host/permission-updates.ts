import { renderValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import {
  type PermissionUpdate,
  permissionModes,
  type Rule,
  type RuleBehaviour,
  readPermissionMode,
  type UpdateDestination,
} from '../../protocol/index.ts';
import { readWireRules } from '../../settings/wire-rules.ts';

const destinations: Readonly<Record<string, UpdateDestination>> = {
  session: 'session',
  cliArg: 'session',
  localSettings: 'local',
  projectSettings: 'project',
  userSettings: 'user',
};

/**
 * A rule as the wire suggests it. File edits are allowed for the session; rules for commands and requests may be saved.
 */
export function buildSuggestion(rule: Rule): object {
  const isFile = rule.tool === 'Edit' || rule.tool === 'Read';
  return {
    type: 'addRules',
    rules: [{ toolName: rule.tool, ruleContent: rule.specifier }],
    behavior: rule.behaviour,
    destination: isFile ? 'session' : 'localSettings',
  };
}

/**
 * The changes that a host makes with its answer. One that is invalid or of an unknown kind is a problem: silently skipping a
 * deny rule would be worse than asking again.
 */
export function readUpdates(updates: unknown, base: string): Result<PermissionUpdate[], string> {
  if (updates === undefined || updates === null) return ok([]);
  if (!Array.isArray(updates)) return fail('updatedPermissions: expected a list');
  const all: PermissionUpdate[] = [];
  for (const [index, update] of updates.entries()) {
    const read = readUpdate(isRecord(update) ? update : {}, base);
    if (!read.ok) return fail(`updatedPermissions[${index}].${read.problem}`);
    all.push(...read.value);
  }
  return ok(all);
}

type Fields = Record<string, unknown>;

function readUpdate(update: Fields, base: string): Result<PermissionUpdate[], string> {
  const type = renderValue(update.type);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) return fail(`type: expected one of ${Object.keys(readers).join(', ')}`);
  const name = renderValue(update.destination ?? 'session');
  const destination = Object.hasOwn(destinations, name) ? destinations[name] : undefined;
  if (!destination) return fail(`destination: expected one of ${Object.keys(destinations).join(', ')}`);
  return read(update, destination, base);
}

type Reader = (
  update: Fields,
  destination: UpdateDestination,
  base: string,
) => Result<PermissionUpdate[], string>;

const readers: Readonly<Record<string, Reader>> = {
  addRules: (update, destination, base) =>
    withRules(update, base, (rules) => ({ type: 'add_rules', rules, destination })),
  removeRules: (update, destination, base) =>
    withRules(update, base, (rules) => ({ type: 'remove_rules', rules, destination })),
  replaceRules: (update, destination, base) =>
    withRules(update, base, (rules, behaviour) => ({ type: 'replace_rules', behaviour, rules, destination })),
  setMode: ({ mode }, destination) => {
    const wanted = readPermissionMode(mode);
    return wanted
      ? ok([{ type: 'set_mode', mode: wanted, destination }])
      : fail(`mode: expected one of ${permissionModes.join(', ')}`);
  },
  addDirectories: ({ directories }, destination) =>
    withDirectories('add_directories', directories, destination),
  removeDirectories: ({ directories }, destination) =>
    withDirectories('remove_directories', directories, destination),
};

function withRules(
  update: Fields,
  base: string,
  make: (rules: Rule[], behaviour: RuleBehaviour) => PermissionUpdate,
): Result<PermissionUpdate[], string> {
  const { behavior: behaviour, rules: given } = update;
  if (behaviour !== 'allow' && behaviour !== 'deny' && behaviour !== 'ask')
    return fail('behavior: expected allow, deny or ask');
  const place = { behaviour, layer: 'session', source: 'an answer from the host', base } as const;
  const rules = readWireRules(given, place);
  return rules.ok ? ok([make(rules.value, behaviour)]) : rules;
}

function withDirectories(
  type: 'add_directories' | 'remove_directories',
  directories: unknown,
  destination: UpdateDestination,
): Result<PermissionUpdate[], string> {
  if (
    !Array.isArray(directories) ||
    !directories.every((one) => typeof one === 'string' && one.startsWith('/'))
  )
    return fail('directories: expected a list of absolute paths');
  return ok([{ type, directories, destination }]);
}
