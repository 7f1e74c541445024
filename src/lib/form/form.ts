import { ValueForm } from './base.ts';
import { ArrayForm, ObjectForm, recordForm, type Shape, tupleForm, unionForm } from './containers.ts';
import { NumberForm, readBoolean, readChoice, readNumber, readString, StringForm } from './values.ts';

export { type FormIssue, type FormSchema, type OptionalForm, ValueForm } from './base.ts';
export type { ObjectForm, Shape, ShapeOutput } from './containers.ts';

/** The value of a form. */
export type OutputOf<Of extends ValueForm<unknown>> = Of['output'];

type Outputs<Forms extends readonly ValueForm<unknown>[]> = {
  -readonly [Key in keyof Forms]: Forms[Key] extends ValueForm<infer Output> ? Output : never;
};

/** Makes forms. The names are zod's. */
export const form = {
  string: () => new StringForm(readString, () => ({ type: 'string' })),
  number: () => new NumberForm(readNumber, () => ({ type: 'number' })),
  int: () => new NumberForm(readNumber, () => ({ type: 'number' })).int(),
  boolean: () => new ValueForm<boolean>(readBoolean, () => ({ type: 'boolean' })),
  unknown: () =>
    new ValueForm<unknown>(
      (value) => value,
      () => ({}),
    ),
  enum: <const Word extends string>(words: readonly Word[]) =>
    new ValueForm<Word>(readChoice(words), () => ({ type: 'string', enum: words })),
  literal: <const Value extends string | number | boolean>(value: Value, expected?: string) =>
    new ValueForm<Value>(readChoice([value], expected), () => ({ type: typeof value, const: value })),
  array: <Item>(item: ValueForm<Item>) => new ArrayForm<Item>(item),
  tuple: <const Forms extends readonly ValueForm<unknown>[]>(items: Forms) =>
    tupleForm(items) as ValueForm<Outputs<Forms>>,
  record: <Value>(value: ValueForm<Value>, name?: ValueForm<string>) => recordForm(value, name),
  union: <const Forms extends readonly ValueForm<unknown>[]>(forms: Forms, expected?: string) =>
    unionForm(forms, expected) as ValueForm<Outputs<Forms>[number]>,
  /** Other fields are left out. */
  object: <Fields extends Shape>(shape: Fields) => new ObjectForm(shape, 'strip'),
  /** Other fields are refused by name. */
  strictObject: <Fields extends Shape>(shape: Fields) => new ObjectForm(shape, 'strict'),
  /** Other fields are kept. */
  looseObject: <Fields extends Shape>(shape: Fields) =>
    new ObjectForm<Fields, LooseOutput<Fields>>(shape, 'loose'),
};

type LooseOutput<Fields extends Shape> = ObjectForm<Fields>['output'] & { [key: string]: unknown };
