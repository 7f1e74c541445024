import { defined, type Fields } from './fields.ts';

export interface FieldFault {
  /** As written in the file. */
  field?: string;
  reason: string;
}

/**
 * Reads the fields of one file. A field that narrows what the file grants and cannot be understood makes the whole file
 * invalid, and the first such field is reported; other bad fields are left out and noted.
 */
export class FieldReader {
  fault: FieldFault | undefined;
  readonly notes: string[];

  constructor(readonly fields: Fields) {
    this.notes = [...fields.notes];
    const { misspelt } = fields;
    if (misspelt)
      this.fault = {
        field: misspelt.field,
        reason: `${misspelt.field}: unknown field. Did you mean ${misspelt.meant}?`,
      };
  }

  /** Null is a field that was left empty, as if it were missing. */
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
      this.notes.push(`${this.fields.written.get(field)} is ignored: expected ${expected}`);
    return found;
  }

  /** Empty, as a placeholder where a string was expected. */
  refuse(field: string, reason: string): string {
    const written = this.fields.written.get(field);
    this.fault ??= { ...defined({ field: written }), reason: `${written ?? field}: ${reason}` };
    return '';
  }
}
