import { describeValue } from '../fields/describe-value.ts';

/** What is wrong with a value, and where. */
export interface FormIssue {
  path: PropertyKey[];
  /** A sentence for the one who wrote the value. It repeats no text of the value: that may be a secret. */
  message: string;
  /** What was expected, as a noun. */
  expected: string;
  /** The value had to be one of a few. */
  isChoice?: true;
}

export type FormResult<Output> =
  | { success: true; data: Output; error?: never }
  | { success: false; data?: never; error: { issues: readonly FormIssue[] } };

export interface FormSchema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly FormSchema[];
  items?: FormSchema;
  prefixItems?: readonly FormSchema[];
  properties?: Readonly<Record<string, FormSchema>>;
  required?: readonly string[];
  additionalProperties?: FormSchema | boolean;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export interface JsonOptions {
  /** Without details that a model knows without being told: every request would pay for them. */
  brief?: boolean;
}

/** Reads a value at a path. The result is meaningless if an issue was added. */
export type ReadValue = (value: unknown, path: readonly PropertyKey[], issues: FormIssue[]) => unknown;
type Describe = (brief: boolean) => FormSchema;

/**
 * What a value from outside must look like: it checks the value, and describes itself as a JSON schema. A form is never
 * changed, each method makes another one.
 *
 * Not zod, which does more: building its schemas and describing them took a third of the program's start.
 */
export class ValueForm<Output> {
  /** Present in types only. */
  declare readonly output: Output;
  readonly read: ReadValue;
  readonly json: Describe;

  constructor(read: ReadValue, json: Describe) {
    this.read = read;
    this.json = json;
  }

  /** Whether a field of this form may be missing. */
  get mayBeMissing(): boolean {
    return false;
  }

  safeParse(value: unknown): FormResult<Output> {
    const issues: FormIssue[] = [];
    const data = this.read(value, [], issues);
    return issues.length === 0
      ? { success: true, data: data as Output }
      : { success: false, error: { issues } };
  }

  /** For a value that is known to fit: anything else is a bug. */
  parse(value: unknown): Output {
    const parsed = this.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
  }

  toJSONSchema({ brief = false }: JsonOptions = {}): FormSchema {
    return this.json(brief);
  }

  /** `message` says what is expected, or what is wrong. */
  refine(test: (value: Output) => boolean, message: string): this {
    return this.check((value, report) => {
      if (!test(value)) report(message);
    });
  }

  /** Looks at a value whose parts are valid. */
  check(look: (value: Output, report: (message: string, path?: PropertyKey[]) => void) => void): this {
    return this.with({
      read: (value, path, issues) => {
        const before = issues.length;
        const read = this.read(value, path, issues);
        if (issues.length > before) return undefined;
        look(read as Output, (message, inner = []) =>
          issues.push({ path: [...path, ...inner], message, expected: message }),
        );
        return read;
      },
    });
  }

  transform<Changed>(change: (value: Output) => Changed): ValueForm<Changed> {
    return new ValueForm<Changed>((value, path, issues) => {
      const before = issues.length;
      const read = this.read(value, path, issues);
      return issues.length > before ? undefined : change(read as Output);
    }, this.json);
  }

  describe(description: string): this {
    const { json } = this;
    return this.with({ json: (brief) => ({ ...json(brief), description }) });
  }

  /** A model is shown this in its place. */
  shownAs(shown: FormSchema): this {
    return this.with({ json: () => shown });
  }

  optional(): OptionalForm<Output> {
    return new OptionalForm(this);
  }

  nullable(): ValueForm<Output | null> {
    return new ValueForm<Output | null>(
      (value, path, issues) => (value === null ? null : this.read(value, path, issues)),
      (brief) => ({ anyOf: [this.json(brief), { type: 'null' }] }),
    );
  }

  /** A missing field becomes this value. */
  default(value: Output): ValueForm<Output> {
    return new DefaultForm(this, value);
  }

  /** The same form with a part replaced. */
  protected with(change: { read?: ReadValue; json?: Describe }): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, change);
  }
}

/** A field that may be missing. */
export class OptionalForm<Output> extends ValueForm<Output | undefined> {
  /** In types: the key itself is optional. */
  declare readonly isOptional: true;
  readonly inner: ValueForm<Output>;

  constructor(inner: ValueForm<Output>) {
    super(
      (value, path, issues) => (value === undefined ? undefined : inner.read(value, path, issues)),
      inner.json,
    );
    this.inner = inner;
  }

  override get mayBeMissing(): boolean {
    return true;
  }

  override describe(description: string): this {
    const { json } = this;
    return this.with({ json: (brief) => ({ description, ...withoutDescription(json(brief)) }) });
  }
}

class DefaultForm<Output> extends ValueForm<Output> {
  constructor(inner: ValueForm<Output>, usual: Output) {
    super(
      (value, path, issues) => (value === undefined ? usual : inner.read(value, path, issues)),
      inner.json,
    );
  }

  override get mayBeMissing(): boolean {
    return true;
  }
}

function withoutDescription({ description: _, ...schema }: FormSchema): FormSchema {
  return schema;
}

/** Adds that a value is not what was expected. */
export function refuse(
  issues: FormIssue[],
  path: readonly PropertyKey[],
  expected: string,
  value: unknown,
): undefined {
  issues.push({ path: [...path], message: `expected ${expected}, got ${describeValue(value)}`, expected });
}
