import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { findSchemaFault, type JsonSchema } from '../tools/structured-output/synthetic-output-schema.ts';
import { type Issue, validateJson } from '../tools/structured-output/synthetic-output-validate.ts';
import { isRecord } from './config.ts';

/**
 * Checks a value against a server's own schema, as far as possible. Regular expressions are ignored: a server could
 * write one that never ends. A schema that we do not understand checks nothing; the server checks its input anyway.
 */
export function checkAgainst(schema: JsonSchema): (value: unknown) => Issue[] {
  const plain = withoutPatterns(schema, 0) as JsonSchema;
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

function withoutPatterns(value: unknown, depth: number): unknown {
  if (depth > 100) return {};
  if (Array.isArray(value)) return value.map((inner) => withoutPatterns(inner, depth + 1));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      !(key === 'pattern' && typeof inner === 'string') && !(key === 'patternProperties' && isRecord(inner)),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner, depth + 1)]));
}
