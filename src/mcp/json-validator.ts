import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { isRecord } from '../lib/fields/field-values.ts';
import { findSchemaFault, type JsonSchema } from '../tools/structured-output/synthetic-output-schema.ts';
import { type Issue, validateJson } from '../tools/structured-output/synthetic-output-validate.ts';

/**
 * Checks a value against a server's own schema, as far as possible. Regular expressions are ignored: a server could
 * write one that never ends. A property that is required and has a default may be missing: the server fills it in. A schema that we do not understand checks nothing; the server checks its input anyway.
 */
export function checkAgainst(schema: JsonSchema): (value: unknown) => Issue[] {
  const plain = loosen(schema, 0) as JsonSchema;
  const usable = findSchemaFault(plain) === undefined;
  return (value) => (usable ? validateJson(plain, value) : []);
}

/** For the SDK's checks of results. Its own validator compiles the server's schema into code. */
export const quietValidator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const check = checkAgainst(schema as JsonSchema);
    return (value) => {
      const [issue] = check(value);
      if (!issue) return { valid: true, data: value as T, errorMessage: undefined };
      return { valid: false, data: undefined, errorMessage: `${issue.path.join('.')}: ${issue.message}` };
    };
  },
};

function loosen(value: unknown, depth: number): unknown {
  if (depth > 100) return {};
  if (Array.isArray(value)) return value.map((inner) => loosen(inner, depth + 1));
  if (!isRecord(value)) return value;
  const { properties, required } = value;
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      !(key === 'pattern' && typeof inner === 'string') && !(key === 'patternProperties' && isRecord(inner)),
  );
  const loose = Object.fromEntries(kept.map(([key, inner]) => [key, loosen(inner, depth + 1)]));
  if (!isRecord(properties) || !Array.isArray(required)) return loose;
  return { ...loose, required: required.filter((name) => !hasDefault(properties, name)) };
}

function hasDefault(properties: Record<string, unknown>, name: unknown): boolean {
  const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isRecord(property) && property.default !== undefined;
}
