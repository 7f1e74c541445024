import { z } from 'zod';
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

/** This module is loaded only if there is a settings file: loading zod takes time. */
export function checkSettings(value: unknown): Result<SettingsFileContent, SettingsFault> {
  const schema = checkTable(z, settingsTable, isRecord(value) ? value : {});
  // Each schema is used once, so a parser generated for it would cost more than it saves.
  const parsed = schema.safeParse(value, { jitless: true });
  // The schema is built from the table at run time, which the compiler cannot follow.
  if (parsed.success) return ok(parsed.data as SettingsFileContent);
  const issue = parsed.error.issues[0];
  if (!issue) return fail({ path: [], field: '', expected: 'valid settings', found: 'other content' });
  const found = readValueAt(value, issue.path);
  return fail({
    path: issue.path,
    field: formatPath(issue.path),
    expected: describeExpected(issue),
    // For a word from a fixed list, the message shows the word that was written.
    found: issue.code === 'invalid_value' && typeof found === 'string' ? quote(found) : describeValue(found),
  });
}

function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return kindNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small')
    return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
  if (issue.code === 'too_big')
    return `at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
  if (issue.code !== 'invalid_union') return issue.message;
  return issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .map(describeExpected)
    .join(' or ');
}

const kindNames: Record<string, string> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

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
