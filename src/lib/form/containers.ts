import { isRecord } from '../fields/field-values.ts';
import { type FormIssue, type FormSchema, type OptionalForm, refuse, ValueForm } from './base.ts';

export class ArrayForm<Item> extends ValueForm<Item[]> {
  constructor(item: ValueForm<Item>) {
    super(
      (value, path, issues) =>
        Array.isArray(value)
          ? value.map((one, index) => item.read(one, [...path, index], issues))
          : refuse(issues, path, 'a list', value),
      (brief) => ({ type: 'array', items: item.json(brief) }),
    );
  }

  min(length: number): this {
    const items = `at least ${length} item${length === 1 ? '' : 's'}`;
    return this.limit((list) => list.length >= length, items, { minItems: length });
  }

  max(length: number): this {
    const items = `at most ${length} items`;
    return this.limit((list) => list.length <= length, items, { maxItems: length }, length >= 50);
  }

  private limit(
    test: (list: unknown[]) => boolean,
    expected: string,
    shown: FormSchema,
    isObvious = false,
  ): this {
    const { read, json } = this;
    return this.with({
      read: (value, path, issues) => {
        const isRefused = Array.isArray(value) && !test(value);
        return isRefused ? refuse(issues, path, expected, value) : read(value, path, issues);
      },
      json: (brief) => (brief && isObvious ? json(brief) : { ...json(brief), ...shown }),
    });
  }
}

export type Shape = Readonly<Record<string, ValueForm<unknown>>>;

type OptionalKeys<Fields extends Shape> = {
  [Key in keyof Fields]: Fields[Key] extends OptionalForm<unknown> ? Key : never;
}[keyof Fields];

/** The value of an object with these fields. */
export type ShapeOutput<Fields extends Shape> = {
  -readonly [Key in Exclude<keyof Fields, OptionalKeys<Fields>>]: Fields[Key]['output'];
} & { -readonly [Key in OptionalKeys<Fields>]?: Fields[Key]['output'] };

/** `strip`: other fields are left out. `strict`: they are refused by name. `loose`: they are kept. */
type Others = 'strip' | 'strict' | 'loose';

export class ObjectForm<Fields extends Shape, Output = ShapeOutput<Fields>> extends ValueForm<Output> {
  readonly shape: Fields;
  private readonly others: Others;

  constructor(shape: Fields, others: Others) {
    super(
      (value, path, issues) => readObject(shape, others, value, path, issues),
      (brief) => describeObject(shape, brief ? 'strip' : others, brief),
    );
    this.shape = shape;
    this.others = others;
  }

  /** With more fields, or other ones of the same name. What was checked of the whole is not checked here. */
  extend<More extends Shape>(more: More): ObjectForm<Omit<Fields, keyof More> & More> {
    return new ObjectForm({ ...this.shape, ...more } as Omit<Fields, keyof More> & More, this.others);
  }
}

function readObject(
  shape: Shape,
  others: Others,
  value: unknown,
  path: readonly PropertyKey[],
  issues: FormIssue[],
): unknown {
  if (!isRecord(value)) return refuse(issues, path, 'an object', value);
  const read: Record<string, unknown> = {};
  for (const key in shape) {
    const form = shape[key];
    const isGiven = Object.hasOwn(value, key);
    if (!form || (!isGiven && form.mayBeMissing && form.read(undefined, path, issues) === undefined))
      continue;
    read[key] = form.read(isGiven ? value[key] : undefined, [...path, key], issues);
  }
  if (others === 'strip') return read;
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  if (others === 'strict') refuseKeys(unknown, path, issues);
  // As an assignment it would change what the object inherits.
  else for (const key of unknown) if (key !== '__proto__') read[key] = value[key];
  return read;
}

function refuseKeys(keys: readonly string[], path: readonly PropertyKey[], issues: FormIssue[]): void {
  if (keys.length === 0) return;
  const message = describeUnknownKeys(keys);
  issues.push({ path: [...path], message, expected: 'known fields only' });
}

export function describeUnknownKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, 10).map((key) => JSON.stringify(key.slice(0, 60)));
  return `Unrecognized key${keys.length === 1 ? '' : 's'}: ${shown.join(', ')}`;
}

function describeObject(shape: Shape, others: Others, brief: boolean): FormSchema {
  const fields = Object.entries(shape);
  const required = fields.filter(([, form]) => !form.mayBeMissing).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([key, form]) => [key, form.json(brief)])),
    ...(required.length > 0 ? { required } : {}),
    ...(others === 'strip' ? {} : { additionalProperties: others === 'strict' ? false : {} }),
  };
}

/** An object with names that the writer chooses. */
export function recordForm<Value>(
  value: ValueForm<Value>,
  name: ValueForm<string> | undefined,
): ValueForm<Record<string, Value>> {
  return new ValueForm<Record<string, Value>>(
    (given, path, issues) => {
      if (!isRecord(given)) return refuse(issues, path, 'an object', given);
      const read: Record<string, unknown> = {};
      for (const key of Object.keys(given)) {
        if (key === '__proto__') continue;
        name?.read(key, [...path, key], issues);
        read[key] = value.read(given[key], [...path, key], issues);
      }
      return read;
    },
    (brief) => ({ type: 'object', additionalProperties: value.json(brief) }),
  );
}

export function tupleForm(items: readonly ValueForm<unknown>[]): ValueForm<unknown[]> {
  return new ValueForm<unknown[]>(
    (value, path, issues) =>
      Array.isArray(value) && value.length === items.length
        ? items.map((item, index) => item.read(value[index], [...path, index], issues))
        : refuse(issues, path, `a list of ${items.length} items`, value),
    (brief) => ({ type: 'array', prefixItems: items.map((item) => item.json(brief)) }),
  );
}

/** The first form that fits. `expected` is said instead of what each of them expects. */
export function unionForm(
  forms: readonly ValueForm<unknown>[],
  expected: string | undefined,
): ValueForm<unknown> {
  return new ValueForm<unknown>(
    (value, path, issues) => {
      const tried: FormIssue[][] = [];
      for (const form of forms) {
        const found: FormIssue[] = [];
        const read = form.read(value, path, found);
        if (found.length === 0) return read;
        tried.push(found);
      }
      // A value that is wrong only in its parts was meant as that one.
      const near = tried.filter((found) => found.every((issue) => issue.path.length > path.length));
      if (near.length === 1) return void issues.push(...near.flat());
      const each = tried.flatMap((found) => found.slice(0, 1)).map((issue) => issue.expected);
      return refuse(issues, path, expected ?? each.join(' or '), value);
    },
    (brief) => ({ anyOf: forms.map((form) => form.json(brief)) }),
  );
}
