import { defined, type Fields } from './fields.ts';

export interface FieldFault {
  /** As it was written. */
  field?: string;
  reason: string;
}

/**
 * Reads the fields of one file. A field that narrows what the file grants and cannot be understood is a fault of the
 * whole, and the first one counts; of the other fields a bad one is left out and noted.
 */
export class FieldReader {
  fault: FieldFault | undefined;
  readonly notes: string[];

  constructor(readonly fields: Fields) {
    this.notes = [...fields.notes];
  }

  /** Null is a field that was left empty, as if it were not there. */
  value(field: string): unknown {
    return this.fields.values.get(field) ?? undefined;
  }

  must<T>(field: string, read: (value: unknown) => T | undefined, expected: string): T | undefined {
    const value = this.value(field);
    const found = value === undefined ? undefined : read(value);
    if (value !== undefined && found === undefined) this.refuse(field, `expected ${expected}`);
    return found;
  }

  may<T>(field: string, read: (value: unknown) => T | undefined, expected: string): T | undefined {
    const value = this.value(field);
    const found = value === undefined ? undefined : read(value);
    if (value !== undefined && found === undefined)
      this.notes.push(`${this.fields.written.get(field)} does not count: expected ${expected}`);
    return found;
  }

  /** Empty, to stand where a text was expected. */
  refuse(field: string, reason: string): string {
    const written = this.fields.written.get(field);
    this.fault ??= { ...defined({ field: written }), reason: `${written ?? field}: ${reason}` };
    return '';
  }
}
