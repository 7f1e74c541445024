import { Form } from './base.ts';
import { ArrayForm, ObjectForm, recordForm, type Shape, tupleForm, unionForm } from './containers.ts';
import { NumberForm, readBoolean, readChoice, readNumber, readString, StringForm } from './values.ts';

export { Form, type FormIssue, type JsonSchema, type OptionalForm } from './base.ts';
export type { ObjectForm, Shape, ShapeOutput } from './containers.ts';

/** The value of a form. */
export type OutputOf<Of extends Form<unknown>> = Of['output'];

type Outputs<Forms extends readonly Form<unknown>[]> = {
  -readonly [Key in keyof Forms]: Forms[Key] extends Form<infer Output> ? Output : never;
};

/** Makes forms. The names are zod's. */
export const form = {
  string: () => new StringForm(readString, () => ({ type: 'string' })),
  number: () => new NumberForm(readNumber, () => ({ type: 'number' })),
  int: () => new NumberForm(readNumber, () => ({ type: 'number' })).int(),
  boolean: () => new Form<boolean>(readBoolean, () => ({ type: 'boolean' })),
  unknown: () =>
    new Form<unknown>(
      (value) => value,
      () => ({}),
    ),
  enum: <const Word extends string>(words: readonly Word[]) =>
    new Form<Word>(readChoice(words), () => ({ type: 'string', enum: words })),
  literal: <const Value extends string | number | boolean>(value: Value, expected?: string) =>
    new Form<Value>(readChoice([value], expected), () => ({ type: typeof value, const: value })),
  array: <Item>(item: Form<Item>) => new ArrayForm<Item>(item),
  tuple: <const Forms extends readonly Form<unknown>[]>(items: Forms) =>
    tupleForm(items) as Form<Outputs<Forms>>,
  record: <Value>(value: Form<Value>, name?: Form<string>) => recordForm(value, name),
  union: <const Forms extends readonly Form<unknown>[]>(forms: Forms, expected?: string) =>
    unionForm(forms, expected) as Form<Outputs<Forms>[number]>,
  /** Other fields are left out. */
  object: <Fields extends Shape>(shape: Fields) => new ObjectForm(shape, 'strip'),
  /** Other fields are refused by name. */
  strictObject: <Fields extends Shape>(shape: Fields) => new ObjectForm(shape, 'strict'),
  /** Other fields are kept. */
  looseObject: <Fields extends Shape>(shape: Fields) =>
    new ObjectForm<Fields, LooseOutput<Fields>>(shape, 'loose'),
};

type LooseOutput<Fields extends Shape> = ObjectForm<Fields>['output'] & { [key: string]: unknown };
