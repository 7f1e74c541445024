import { describe, expect, test } from 'bun:test';
import { form, type OutputOf, type ValueForm } from '../../src/lib/form/form.ts';

/** `path message`, one for each issue. */
function faults(of: ValueForm<unknown>, value: unknown): string[] {
  const parsed = of.safeParse(value);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
}

const call = form.strictObject({
  path: form.string().min(1).describe('A path'),
  limit: form.int().min(1).max(10).optional().describe('Lines'),
  mode: form.enum(['a', 'b']).optional(),
});

describe('an object', () => {
  test('has the fields of its form, and an optional one only if it is given', () => {
    const value: OutputOf<typeof call> = call.parse({ path: 'x' });
    expect(value).toStrictEqual({ path: 'x' });
    expect(call.parse({ path: 'x', limit: undefined, mode: 'a' })).toStrictEqual({
      path: 'x',
      limit: undefined,
      mode: 'a',
    });
  });

  test('every wrong field is named with what was expected, and no text of the value is repeated', () => {
    expect(faults(call, { limit: 1.5, mode: 'secret' })).toEqual([
      'path expected a string, got nothing',
      'limit expected a whole number, got a fraction',
      'mode expected one of a, b, got a string',
    ]);
    expect(faults(call, { path: '', limit: 11 })).toEqual([
      'path expected at least 1 character, got an empty string',
      'limit expected at most 10, got the number 11',
    ]);
    for (const value of [null, [], 'x', undefined])
      expect(faults(call, value)[0]).toStartWith('expected an object');
  });

  test('strict refuses other fields by name, loose keeps them, and otherwise they are left out', () => {
    const given = { a: true, b: 1 };
    const shape = { a: form.boolean() };
    expect(faults(form.strictObject(shape), given)).toEqual(['Unrecognized key: "b"']);
    expect(form.looseObject(shape).parse(given)).toEqual(given);
    expect(form.object(shape).parse(given)).toEqual({ a: true });
  });

  test('a field that is only inherited is missing, and a key named __proto__ changes no prototype', () => {
    expect(
      faults(form.object({ toString: form.unknown().refine((one) => one !== undefined, 'missing') }), {}),
    ).toEqual(['toString missing']);
    const given = JSON.parse('{"__proto__": {"isAdmin": true}, "a": 1}');
    expect(form.looseObject({}).parse(given)).toStrictEqual({ a: 1 });
    expect(form.record(form.unknown()).parse(given)).toStrictEqual({ a: 1 });
    expect(faults(form.strictObject({ a: form.number() }), given)).toEqual(['Unrecognized key: "__proto__"']);
  });

  test('what is checked of the whole is checked only if its parts are valid', () => {
    const pair = form.object({ low: form.number(), high: form.number() }).check(({ low, high }, report) => {
      if (low > high) report('low is above high', ['low']);
    });
    expect(faults(pair, { low: 2, high: 1 })).toEqual(['low low is above high']);
    expect(faults(pair, { low: 2 })).toEqual(['high expected a number, got nothing']);
  });
});

describe('other values', () => {
  test('text is trimmed before it is measured', () => {
    expect(form.string().trim().min(1).max(3).parse(' abc ')).toBe('abc');
    expect(faults(form.string().trim().min(1), '  ')).toHaveLength(1);
  });

  test('numbers are finite, whole ones are exact', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '1'])
      expect(faults(form.number(), value)).toHaveLength(1);
    expect(faults(form.int(), 2 ** 53)).toHaveLength(1);
    expect(faults(form.number().positive(), 0)).toEqual(['expected more than 0, got the number 0']);
  });

  test('lists name the item, records the key', () => {
    expect(faults(form.array(form.string()).max(2), ['a', 1])).toEqual([
      '1 expected a string, got the number 1',
    ]);
    expect(faults(form.array(form.string()).min(1), [])).toEqual(['expected at least 1 item, got a list']);
    expect(faults(form.record(form.number()), { a: 'x' })).toEqual(['a expected a number, got a string']);
    expect(faults(form.record(form.number(), form.string().regex(/^b/, 'a name with b')), { a: 1 })).toEqual([
      'a a name with b',
    ]);
    expect(form.tuple([form.string(), form.number()]).parse(['a', 1])).toEqual(['a', 1]);
  });

  test('a union takes the first that fits, and names what the nearest expects', () => {
    const either = form.union([form.boolean(), form.object({ n: form.number() })]);
    expect(either.parse(true)).toBe(true);
    expect(faults(either, { n: 'x' })).toEqual(['n expected a number, got a string']);
    expect(faults(either, 1)).toEqual(['expected true or false or an object, got the number 1']);
  });

  test('a default fills in, null is taken where it may be, a transformation is applied', () => {
    const value = form.object({ a: form.array(form.string()).default([]), b: form.string().nullable() });
    expect(value.parse({ b: null })).toEqual({ a: [], b: null });
    expect(form.string().transform(Number).parse('7')).toBe(7);
  });
});

describe('its JSON schema', () => {
  test('says everything', () => {
    expect(call.toJSONSchema()).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'A path' },
        limit: { description: 'Lines', type: 'integer', minimum: 1, maximum: 10 },
        mode: { type: 'string', enum: ['a', 'b'] },
      },
      required: ['path'],
      additionalProperties: false,
    });
  });

  test('in brief leaves out what a model knows without being told', () => {
    expect(call.toJSONSchema({ brief: true })).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A path' },
        limit: { description: 'Lines', type: 'integer', maximum: 10 },
        mode: { type: 'string', enum: ['a', 'b'] },
      },
      required: ['path'],
    });
  });

  test('is what was given in its place', () => {
    expect(
      form
        .string()
        .shownAs({ type: 'string', enum: ['x'] })
        .optional()
        .toJSONSchema(),
    ).toEqual({
      type: 'string',
      enum: ['x'],
    });
  });
});
