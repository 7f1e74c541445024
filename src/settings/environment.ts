import { type FilledTable, isSection, type Setting, type SettingsTable } from './table/setting.ts';
import { settingsTable } from './table/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment's value for a setting; undefined if it has none. */
export function readVariable<Written>(
  { variables }: Setting<Written, unknown>,
  environment: Environment,
): Written | undefined {
  const name = findVariable({ variables }, environment);
  return name === undefined ? undefined : variables?.read(environment[name] ?? '');
}

/** The variable that sets a setting here: the first that is set and not empty. */
export function findVariable(
  { variables }: Pick<Setting, 'variables'>,
  environment: Environment,
): string | undefined {
  return variables?.names.find((name) => environment[name]);
}

/** Settings of one section, from its defaults, its variables and the files, each in its place. */
export function fillSection<Table extends SettingsTable>(
  table: Table,
  given: object,
  environment: Environment,
): FilledTable<Table> {
  const settings = Object.entries(table).flatMap(([key, entry]) =>
    isSection(entry) ? [] : [[key, entry] as const],
  );
  const usual = settings.map(([key, setting]) => [key, setting.usual] as const);
  const variables = (below: boolean) =>
    settings
      .filter(([, { variables }]) => (variables?.below === true) === below)
      .map(([key, setting]) => [key, readVariable(setting, environment)] as const);
  const all = [...usual, ...variables(true), ...Object.entries(given), ...variables(false)];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as FilledTable<Table>;
}

/** Variables that are set to an unusable value. */
export function variableNotices(environment: Environment): string[] {
  return listVariables(settingsTable).flatMap(({ names, read, expected, fits }) =>
    names.flatMap((name) => {
      const value = environment[name];
      const isFine = !value || expected === undefined || (fits ? fits(value) : read(value) !== undefined);
      return isFine ? [] : [`${name}: expected ${expected}.`];
    }),
  );
}

function listVariables(table: SettingsTable): NonNullable<Setting['variables']>[] {
  return Object.values(table).flatMap((entry) => {
    if (isSection(entry)) return listVariables(entry.section);
    return entry.variables ? [entry.variables] : [];
  });
}
