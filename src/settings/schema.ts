import { describeValue } from '../lib/fields/describe-value.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { checkTable } from './table/merging.ts';
import { type SettingsFileContent, settingsTable } from './table/settings.ts';

/** The invalid field, and what is wrong. A free value is not repeated: it may be a secret. */
export interface SettingsFault {
  path: readonly PropertyKey[];
  field: string;
  expected: string;
  found: string;
}

/** This module is loaded only if there is a settings file. */
export function checkSettings(value: unknown): Result<SettingsFileContent, SettingsFault> {
  const parsed = checkTable(settingsTable, isRecord(value) ? value : {}).safeParse(value);
  // The form is built from the table at run time, which the compiler cannot follow.
  if (parsed.success) return ok(parsed.data as SettingsFileContent);
  const issue = parsed.error.issues[0];
  if (!issue) return fail({ path: [], field: '', expected: 'valid settings', found: 'other content' });
  const found = readValueAt(value, issue.path);
  return fail({
    path: issue.path,
    field: formatPath(issue.path),
    expected: issue.expected,
    // For a word from a fixed list, the message shows the word that was written.
    found: issue.isChoice && typeof found === 'string' ? quote(found) : describeValue(found),
  });
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function readValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
