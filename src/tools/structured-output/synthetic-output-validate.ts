import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../lib/fields/field-values.ts';
import { type JsonSchema, referenced } from './synthetic-output-schema.ts';

export interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

const maxIssues = 10;
const maxDepth = 200;
/** The number of schemas checked for one value. Circular references would never end. */
const maxWork = 200_000;

/** The mismatches between a value and a schema that passed `findSchemaFault`. `format` is ignored. */
export function validateJson(schema: JsonSchema, value: unknown): Issue[] {
  return check(schema, value, { root: schema, path: [], depth: 0, work: { left: maxWork } }).slice(
    0,
    maxIssues,
  );
}

interface Place {
  root: JsonSchema;
  path: readonly PropertyKey[];
  depth: number;
  work: { left: number };
}

function check(schema: unknown, value: unknown, place: Place): Issue[] {
  if (schema === true) return [];
  if (schema === false) return [issue(place, 'nothing is allowed here')];
  if (!isRecord(schema)) return [];
  if (place.depth > maxDepth || --place.work.left < 0)
    return [issue(place, 'it is nested too deeply to check')];
  const here = { ...place, depth: place.depth + 1 };
  const issues = [
    ...checkReference(schema, value, here),
    ...checkKind(schema, value, here),
    ...checkCombinations(schema, value, here),
  ];
  if (issues.length >= maxIssues) return issues;
  if (typeof value === 'string') issues.push(...checkString(schema, value, here));
  if (typeof value === 'number') issues.push(...checkNumber(schema, value, here));
  if (Array.isArray(value)) issues.push(...checkArray(schema, value, here));
  else if (isRecord(value)) issues.push(...checkObject(schema, value, here));
  return issues;
}

function checkReference({ $ref }: JsonSchema, value: unknown, place: Place): Issue[] {
  return typeof $ref === 'string' ? check(referenced(place.root, $ref), value, place) : [];
}

function checkKind(schema: JsonSchema, value: unknown, place: Place): Issue[] {
  const issues: Issue[] = [];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    issues.push(issue(place, `expected ${types.join(' or ')}, found ${nameType(value)}`));
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isDeepStrictEqual(one, value)))
    issues.push(issue(place, `expected one of ${show(schema.enum).slice(1, -1)}`));
  if ('const' in schema && !isDeepStrictEqual(schema.const, value))
    issues.push(issue(place, `expected ${show(schema.const)}`));
  return issues;
}

function checkCombinations(schema: JsonSchema, value: unknown, place: Place): Issue[] {
  const fits = (inner: unknown) => check(inner, value, place).length === 0;
  const issues = list(schema.allOf).flatMap((inner) => check(inner, value, place));
  const any = list(schema.anyOf).map((inner) => check(inner, value, place));
  if (any.length > 0 && any.every((found) => found.length > 0)) issues.push(fitsNone(any, place));
  const one = list(schema.oneOf).map((inner) => check(inner, value, place));
  const count = one.filter((found) => found.length === 0).length;
  if (one.length > 0 && count === 0) issues.push(fitsNone(one, place));
  if (count > 1)
    issues.push(issue(place, `it matches ${count} of the alternatives and must match exactly one`));
  if ('not' in schema && fits(schema.not)) issues.push(issue(place, 'it matches the schema under "not"'));
  if ('if' in schema) {
    const branch = fits(schema.if) ? schema.then : schema.else;
    if (branch !== undefined) issues.push(...check(branch, value, place));
  }
  return issues;
}

function fitsNone(alternatives: readonly Issue[][], place: Place): Issue {
  const reasons = alternatives.slice(0, 3).flatMap(([first]) => {
    if (!first) return [];
    return [[...first.path.slice(place.path.length), first.message].map(String).join(' ')];
  });
  return issue(place, `it matches none of the ${alternatives.length} alternatives: ${reasons.join('; ')}`);
}

function checkString(schema: JsonSchema, value: string, place: Place): Issue[] {
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
  const issues = checkCount(schema, 'Length', length, 'characters', place);
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value))
    issues.push(issue(place, `it does not match ${schema.pattern}`));
  return issues;
}

function checkNumber(schema: JsonSchema, value: number, place: Place): Issue[] {
  const tests: [keyword: string, fits: (limit: number) => boolean, words: string][] = [
    ['minimum', (limit) => value >= limit, 'at least'],
    ['maximum', (limit) => value <= limit, 'at most'],
    ['exclusiveMinimum', (limit) => value > limit, 'more than'],
    ['exclusiveMaximum', (limit) => value < limit, 'less than'],
    ['multipleOf', (limit) => isMultiple(value, limit), 'a multiple of'],
  ];
  return tests.flatMap(([keyword, fits, words]) => {
    const limit = schema[keyword];
    return typeof limit === 'number' && !fits(limit) ? [issue(place, `expected ${words} ${limit}`)] : [];
  });
}

/** 0.3 is a multiple of 0.1, despite binary fractions. */
function isMultiple(value: number, unit: number): boolean {
  const quotient = value / unit;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function checkArray(schema: JsonSchema, value: readonly unknown[], place: Place): Issue[] {
  const issues = checkCount(schema, 'Items', value.length, 'items', place);
  if (schema.uniqueItems === true && hasTwins(value)) issues.push(issue(place, 'two items are the same'));
  const prefix = list(schema.prefixItems);
  for (const [index, item] of value.entries()) {
    const inner = index < prefix.length ? prefix[index] : schema.items;
    if (inner !== undefined) issues.push(...check(inner, item, below(place, index)));
    if (issues.length >= maxIssues) return issues;
  }
  if ('contains' in schema) {
    const count = value.filter((item) => check(schema.contains, item, place).length === 0).length;
    if (count < Number(schema.minContains ?? 1)) issues.push(issue(place, 'a required item is missing'));
    if (count > Number(schema.maxContains ?? Number.POSITIVE_INFINITY))
      issues.push(issue(place, `${count} items match "contains", but only ${schema.maxContains} may`));
  }
  return issues;
}

function hasTwins(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((other) => isDeepStrictEqual(item, other)));
}

function checkObject(schema: JsonSchema, value: Record<string, unknown>, place: Place): Issue[] {
  const names = Object.keys(value);
  const issues = checkCount(schema, 'Properties', names.length, 'fields', place);
  const missing = (needed: unknown) =>
    list(needed).flatMap((name) =>
      Object.hasOwn(value, String(name)) ? [] : [issue(below(place, String(name)), 'it is missing')],
    );
  issues.push(...missing(schema.required));
  for (const [name, needed] of entries(schema.dependentRequired))
    if (Object.hasOwn(value, name)) issues.push(...missing(needed));
  for (const [name, inner] of entries(schema.dependentSchemas))
    if (Object.hasOwn(value, name)) issues.push(...check(inner, value, place));
  for (const name of names) {
    if (issues.length >= maxIssues) return issues;
    if (schema.propertyNames !== undefined)
      issues.push(...check(schema.propertyNames, name, below(place, name)));
    for (const inner of findSchemas(schema, name))
      issues.push(...check(inner, value[name], below(place, name)));
  }
  return issues;
}

function findSchemas(schema: JsonSchema, name: string): unknown[] {
  const own = isRecord(schema.properties) && Object.hasOwn(schema.properties, name);
  const found = own ? [(schema.properties as JsonSchema)[name]] : [];
  for (const [pattern, inner] of entries(schema.patternProperties))
    if (new RegExp(pattern, 'u').test(name)) found.push(inner);
  if (found.length > 0 || schema.additionalProperties === undefined) return found;
  return [schema.additionalProperties];
}

function checkCount(schema: JsonSchema, what: string, count: number, words: string, place: Place): Issue[] {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  const issues: Issue[] = [];
  if (typeof least === 'number' && count < least)
    issues.push(issue(place, `expected at least ${least} ${words}, found ${count}`));
  if (typeof most === 'number' && count > most)
    issues.push(issue(place, `expected at most ${most} ${words}, found ${count}`));
  return issues;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === nameType(value);
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function issue({ path }: Place, message: string): Issue {
  return { path, message };
}

function below(place: Place, name: PropertyKey): Place {
  return { ...place, path: [...place.path, name] };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
