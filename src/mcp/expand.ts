import { fail, ok, type Result } from '../lib/result.ts';

/** Why an entry is not a valid server: which field, and what was expected there. */
export interface ConfigFault {
  field: string;
  expected: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Expands `${NAME}` and `${NAME:-default}` in every string of a value, once: inserted text is not expanded again. */
export function expandValue(
  value: unknown,
  environment: Environment,
  field = '',
): Result<unknown, ConfigFault> {
  if (typeof value === 'string') return expandText(value, environment, field);
  if (typeof value !== 'object' || value === null) return ok(value);
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const below = field === '' ? key : `${field}.${key}`;
    const expanded = expandValue(inner, environment, below);
    if (!expanded.ok) return expanded;
    entries.push([key, expanded.value]);
  }
  return ok(Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries));
}

function expandText(text: string, environment: Environment, field: string): Result<string, ConfigFault> {
  let missing: string | undefined;
  const filled = text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, preset?: string) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (value !== undefined && (value !== '' || preset === undefined)) return value;
      if (preset === undefined) missing ??= name;
      return preset ?? '';
    },
  );
  if (missing === undefined) return ok(filled);
  return fail({
    field,
    expected: `the variable ${missing} to be set, or a default value: \${${missing}:-…}`,
  });
}
