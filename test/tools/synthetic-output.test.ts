import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { describeTools } from '../../src/loop/describe-tools.ts';
import { outputTool, type StructuredOutput } from '../../src/tools/structured-output/synthetic-output.ts';
import { validateJson } from '../../src/tools/structured-output/synthetic-output-validate.ts';
import { call, toolContextForTests } from './support.ts';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  description: 'A person',
  properties: {
    name: { type: 'string', minLength: 2 },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { tag: { enum: ['a', 'b'] } },
};

function open(...given: Parameters<typeof outputTool>): StructuredOutput {
  const output = outputTool(...given);
  if (!output.ok) throw new Error(output.problem.message);
  return output.value;
}

const give = (output: StructuredOutput, value: unknown) => call(output.tool, value, toolContextForTests());

describe('a run with a form', () => {
  test('what fits is handed in', async () => {
    const seen: unknown[] = [];
    const output = open(schema, (value) => seen.push(value));
    expect(output.state()).toEqual({ kind: 'missing' });
    const value = { name: 'Ada', tags: ['a'] };
    expect((await give(output, value)).isError).toBe(false);
    expect(output.state()).toEqual({ kind: 'given', value });
    expect(seen).toEqual([value]);
  });

  test('what does not fit is told, once with another attempt', async () => {
    const output = open(schema);
    const first = await give(output, { name: 'A', tags: ['c'], age: 3 });
    expect(first.isError).toBe(true);
    expect(first.text).toBe(
      'The answer does not have the requested form:\n' +
        '- name: expected at least 2 characters, found 1\n- tags.0: expected one of "a","b"\n- age: nothing is allowed here\n' +
        'Fix this and call again: there is one more attempt.',
    );
    expect(output.state()).toEqual({ kind: 'missing' });
    const second = await give(output, {});
    expect(second.text).not.toContain('again');
    expect(output.state()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('- name: it is missing'),
    });
  });

  test('a second attempt that fits counts', async () => {
    const output = open(schema);
    await give(output, {});
    await give(output, { name: 'Ada' });
    expect(output.state()).toEqual({ kind: 'given', value: { name: 'Ada' } });
  });

  test('every run begins anew', async () => {
    const output = open(schema);
    await give(output, { name: 'Ada' });
    output.begin();
    expect(output.state()).toEqual({ kind: 'missing' });
  });

  test('the model is told the very schema', () => {
    const { $schema: _, ...told } = schema;
    expect(describeTools([open(schema).tool])[0]?.inputSchema).toEqual(told);
  });

  test('a zod schema checks and changes the value', async () => {
    const output = open(z.object({ count: z.coerce.number().min(1), unit: z.string().default('m') }));
    expect(describeTools([output.tool])[0]?.inputSchema).toMatchObject({
      type: 'object',
      required: ['count'],
    });
    expect((await give(output, { count: '0' })).text).toContain('- count: Too small');
    await give(output, { count: '3' });
    expect(output.state()).toEqual({ kind: 'given', value: { count: 3, unit: 'm' } });
  });
});

describe('schemas that cannot be used are a usage problem', () => {
  const cases: [name: string, schema: unknown, said: string][] = [
    ['no object', 'string', 'expected an object'],
    ['a list', [], 'expected an object'],
    ['of a text', { type: 'string' }, 'expected "type": "object"'],
    ['no type', {}, 'expected "type": "object"'],
    [
      'an unknown type',
      { type: 'object', properties: { a: { type: 'strin' } } },
      '#/properties/a/type: expected one of object',
    ],
    [
      'properties that are none',
      { type: 'object', properties: 5 },
      '#/properties: expected an object of schemas by name',
    ],
    [
      'a property that is no schema',
      { type: 'object', properties: { a: 'string' } },
      '#/properties/a: expected a schema',
    ],
    ['required that is no list', { type: 'object', required: 'a' }, '#/required: expected a list of names'],
    [
      'a bad pattern',
      { type: 'object', properties: { a: { pattern: '(' } } },
      'expected a regular expression',
    ],
    [
      'a reference to nothing',
      { type: 'object', $ref: '#/$defs/x' },
      'expected a reference within this schema',
    ],
    [
      'a reference elsewhere',
      { type: 'object', $ref: 'https://a.example/x.json' },
      'expected a reference within this schema',
    ],
    [
      'a keyword that we do not check',
      { type: 'object', unevaluatedProperties: false },
      '#/unevaluatedProperties: this keyword is not supported',
    ],
    ['a count that is none', { type: 'object', minProperties: -1 }, '#/minProperties: expected a count'],
    ['an empty choice', { type: 'object', anyOf: [] }, '#/anyOf: expected a list of schemas'],
    ['zod of a text', z.string(), 'expected a schema of an object'],
    ['zod that JSON cannot say', z.object({ a: z.bigint() }), 'cannot be written as a JSON schema'],
  ];
  for (const [name, given, said] of cases)
    test(name, () => {
      const output = outputTool(given as Record<string, unknown>);
      expect(output.ok).toBe(false);
      if (output.ok) return;
      expect(output.problem.kind).toBe('usage');
      expect(output.problem.message).toContain(said);
    });
});

describe('JSON schema', () => {
  const cases: [schema: Record<string, unknown>, fits: unknown[], fails: unknown[]][] = [
    [{ type: 'integer' }, [1, 2.0, -3], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['', null], [0, [], {}]],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 3, multipleOf: 0.1 }, [0.3, 3], [0, 3.1, 0.25]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀', 5], ['a', '😀', 'abcd']],
    [{ pattern: '^a+$' }, ['aa', 7], ['ab']],
    [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, null]],
    [{ enum: [1, 'x', null] }, [1, 'x', null], [2, '1']],
    [
      { items: { type: 'string' }, minItems: 1, uniqueItems: true },
      [['a'], 'no list'],
      [[], [1], ['a', 'a']],
    ],
    [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [[1], ['a', 'b']]],
    [{ contains: { type: 'number' }, maxContains: 2 }, [[1], ['a', 1, 2]], [[], ['a'], [1, 2, 3]]],
    [{ required: ['a'] }, [{ a: undefined }, 5], [{}, { b: 1 }]],
    [
      { patternProperties: { '^x': { type: 'number' } }, additionalProperties: { type: 'string' } },
      [{ x1: 1, y: 'a' }],
      [{ x1: 'a' }, { y: 1 }],
    ],
    [{ propertyNames: { maxLength: 2 }, maxProperties: 2 }, [{ ab: 1 }], [{ abc: 1 }, { a: 1, b: 2, c: 3 }]],
    [
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
      [{ b: 1 }, { a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6], [4]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, [0, 6], [3]],
    [{ allOf: [{ minimum: 1 }, { maximum: 5 }] }, [3], [0, 6]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [
      JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"type":"number"}}'),
      ['ab', 1],
      ['a', null],
    ],
    [
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'array', items: { $ref: '#' } } } },
      [[], [[[]]]],
      [1, [[1]]],
    ],
    [{ properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  ];
  for (const [one, fits, fails] of cases)
    test(JSON.stringify(one), () => {
      expect(fits.filter((value) => validateJson(one, value).length > 0)).toEqual([]);
      expect(fails.filter((value) => validateJson(one, value).length === 0)).toEqual([]);
    });

  test('references that go round in circles end', () => {
    const circle = { $ref: '#', anyOf: [{ $ref: '#' }, { $ref: '#' }] };
    expect(validateJson(circle, 1)[0]?.message).toContain('too deeply');
  });

  test('a deep value that does not fit is told as soon as one that does', () => {
    const tree = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] };
    let value: unknown = 5;
    for (let depth = 0; depth < 60; depth++) value = [value];
    expect(validateJson(tree, value)).toHaveLength(1);
  });
});
