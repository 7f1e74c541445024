import { describeValue } from '../fields/describe-value.ts';
import { type FormIssue, refuse, ValueForm } from './base.ts';

export class StringForm extends ValueForm<string> {
  /** Without white space around it, which is never an error. */
  trim(): this {
    const { read } = this;
    return this.with({
      read: (value, path, issues) => {
        const text = read(value, path, issues);
        return typeof text === 'string' ? text.trim() : text;
      },
    });
  }

  min(length: number): this {
    return this.limit(
      (text) => text.length >= length,
      `at least ${length} character${length === 1 ? '' : 's'}`,
      { minLength: length },
      length <= 2,
    );
  }

  max(length: number): this {
    const shown = { maxLength: length };
    return this.limit((text) => text.length <= length, `at most ${length} characters`, shown, true);
  }

  /** `message` says what is expected. */
  regex(pattern: RegExp, message = `expected text that matches ${pattern.source}`): this {
    const checked = this.refine((text) => pattern.test(text), message);
    const { json } = checked;
    return checked.with({ json: (brief) => ({ ...json(brief), pattern: pattern.source }) });
  }

  /** `isObvious`: a model need not be told. */
  private limit(test: (text: string) => boolean, expected: string, shown: object, isObvious: boolean): this {
    const { read, json } = this;
    return this.with({
      read: (value, path, issues) => {
        const before = issues.length;
        const text = read(value, path, issues);
        if (issues.length > before || test(text as string)) return text;
        return refuse(issues, path, expected, text);
      },
      json: (brief) => (brief && isObvious ? json(brief) : { ...json(brief), ...shown }),
    });
  }
}

export function readString(value: unknown, path: readonly PropertyKey[], issues: FormIssue[]): unknown {
  return typeof value === 'string' ? value : refuse(issues, path, 'a string', value);
}

export class NumberForm extends ValueForm<number> {
  int(): this {
    const { json } = this;
    return this.with({
      read: (value, path, issues) =>
        typeof value !== 'number' || Number.isSafeInteger(value)
          ? this.read(value, path, issues)
          : refuse(issues, path, 'a whole number', value),
      json: (brief) => ({ ...json(brief), type: 'integer' }),
    });
  }

  min(lowest: number): this {
    const shown = { minimum: lowest };
    return this.limit(
      (number) => number >= lowest,
      `at least ${lowest}`,
      shown,
      lowest === 0 || lowest === 1,
    );
  }

  max(highest: number): this {
    return this.limit((number) => number <= highest, `at most ${highest}`, { maximum: highest });
  }

  positive(): this {
    return this.limit((number) => number > 0, 'more than 0', { exclusiveMinimum: 0 });
  }

  private limit(test: (value: number) => boolean, expected: string, shown: object, isObvious = false): this {
    const { read, json } = this;
    return this.with({
      read: (value, path, issues) => {
        const before = issues.length;
        const number = read(value, path, issues);
        if (issues.length > before || test(number as number)) return number;
        return refuse(issues, path, expected, number);
      },
      json: (brief) => (brief && isObvious ? json(brief) : { ...json(brief), ...shown }),
    });
  }
}

export function readNumber(value: unknown, path: readonly PropertyKey[], issues: FormIssue[]): unknown {
  return typeof value === 'number' && Number.isFinite(value)
    ? value
    : refuse(issues, path, 'a number', value);
}

export function readBoolean(value: unknown, path: readonly PropertyKey[], issues: FormIssue[]): unknown {
  return typeof value === 'boolean' ? value : refuse(issues, path, 'true or false', value);
}

/** One of these, by identity. */
export function readChoice(
  choices: readonly unknown[],
  expected = `one of ${choices.map(String).join(', ')}`,
): ValueForm<unknown>['read'] {
  return (value, path, issues) => {
    if (choices.includes(value)) return value;
    const message = `expected ${expected}, got ${describeValue(value)}`;
    issues.push({ path: [...path], message, expected, isChoice: true });
    return undefined;
  };
}
