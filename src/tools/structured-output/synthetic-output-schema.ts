import { isRecord } from '../../lib/fields/field-values.ts';
/** JSON Schema, draft 2020-12, without keywords that need a second document or a second pass. */
export type JsonSchema = Record<string, unknown>;

const maxCharacters = 200_000;
const maxDepth = 100;

/** Why this is not an object schema that we can check against; undefined if it is one. */
export function findSchemaFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'expected an object';
  if (JSON.stringify(schema).length > maxCharacters) return `it has more than ${maxCharacters} characters`;
  if (schema.type !== 'object')
    return 'expected "type": "object" at the top level, because a tool takes an object';
  return findFault(schema, schema, '#', 0);
}

/** The target of a local reference (`#/$defs/x`); undefined if there is none. */
export function referenced(root: JsonSchema, reference: string): JsonSchema | boolean | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  const target = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((name) => unescapeName(name))
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Record<string, unknown>)[name]
          : undefined,
      root,
    );
  return isRecord(target) || typeof target === 'boolean' ? target : undefined;
}

function unescapeName(name: string): string {
  const plain = /%(?![0-9a-fA-F]{2})/.test(name)
    ? name
    : name.replace(/%[2-7][0-9a-fA-F]/g, decodeURIComponent);
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

export const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function findFault(schema: unknown, root: JsonSchema, at: string, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return `${at}: expected a schema`;
  if (depth > maxDepth) return `${at}: it is nested too deeply`;
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${at}/${keyword}`;
    if (unsupported.has(keyword)) return `${place}: this keyword is not supported`;
    const fault = findValueFault(keyword, value, root) ?? faultBelow(keyword, value, root, place, depth);
    if (fault !== undefined) return fault.startsWith('#') ? fault : `${place}: ${fault}`;
  }
  return undefined;
}

function findValueFault(keyword: string, value: unknown, root: JsonSchema): string | undefined {
  switch (keyword) {
    case 'type': {
      const names = Array.isArray(value) ? value : [value];
      return names.length > 0 && names.every((name) => typeNames.includes(name))
        ? undefined
        : `expected one of ${typeNames.join(', ')}`;
    }
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? undefined : 'expected a list of values';
    case 'required':
      return isStrings(value) ? undefined : 'expected a list of names';
    case 'dependentRequired':
      return isRecord(value) && Object.values(value).every(isStrings) ? undefined : 'expected lists of names';
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? undefined : 'expected a regular expression';
    case 'patternProperties':
      return isRecord(value) && Object.keys(value).every(isPattern)
        ? undefined
        : 'expected an object with regular expressions as keys and schemas as values';
    case '$ref':
      return typeof value === 'string' && referenced(root, value) !== undefined
        ? undefined
        : 'expected a reference within this schema, such as "#/$defs/name"';
    case 'uniqueItems':
      return typeof value === 'boolean' ? undefined : 'expected true or false';
  }
  if (counts.has(keyword))
    return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'expected a count';
  if (bounds.has(keyword)) return typeof value === 'number' ? undefined : 'expected a number';
  return undefined;
}

function faultBelow(
  keyword: string,
  value: unknown,
  root: JsonSchema,
  place: string,
  depth: number,
): string | undefined {
  const below = (inner: unknown, name?: string | number) =>
    findFault(inner, root, name === undefined ? place : `${place}/${name}`, depth + 1);
  if (single.has(keyword)) return below(value);
  if (listed.has(keyword)) {
    if (!Array.isArray(value) || value.length === 0) return 'expected a list of schemas';
    return findFirst(value.map((inner, index) => () => below(inner, index)));
  }
  if (!named.has(keyword)) return undefined;
  if (!isRecord(value)) return 'expected an object of schemas by name';
  return findFirst(
    Object.entries(value).map(
      ([name, inner]) =>
        () =>
          below(inner, name),
    ),
  );
}

function findFirst(checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const single = new Set([
  ...['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'],
]);
const listed = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const counts = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
]);
const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);
const unsupported = new Set([
  ...['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$dynamicAnchor', '$anchor'],
  ...['$recursiveRef', 'dependencies', 'additionalItems', '$vocabulary'],
]);

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
