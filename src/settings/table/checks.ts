import { isAbsolute } from 'node:path';
import { form } from '../../lib/form/form.ts';
import { parseDomain } from '../../lib/hosts.ts';
import { isOn } from '../../lib/switch.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { findUselessEntry } from '../rule-faults.ts';
import type { Check, SettingVariables } from './setting.ts';

/** Kinds of values that several settings share. */
export const text: Check<string> = () => form.string();
export const name: Check<string> = () => form.string().min(1);
/** A host as the sandbox's network takes it. */
export const host: Check<string> = () =>
  form
    .string()
    .refine(
      (text) => parseDomain(text) !== undefined,
      'a host, such as example.com, *.example.com or example.com:8080',
    );
/** No file system has the name zero byte. */
export const path: Check<string> = () =>
  form.string().refine((text) => text.trim() !== '' && !text.includes('\0'), 'a path');
/** A path or pattern that is closed: one with another meaning than its author's would close nothing. */
export const restrictedPath: Check<string> = () =>
  path().check((text, report) => {
    const fault = findUselessEntry(text);
    if (fault !== undefined) report(`a path or pattern (${fault})`);
  });
export const program: Check<string> = () =>
  form.string().refine((text) => isAbsolute(text) && !text.includes('\0'), 'an absolute path of a program');
export const command: Check<string> = () =>
  form.string().refine((text) => /^[^\s*:]/.test(text.trim()), 'a command, such as docker or npm test');
/** A name, with a star for any letters; a star alone would allow everything. */
export const variableName: Check<string> = () =>
  form.string().regex(/^(?=.*[A-Za-z_])[\w*()%.:/@-]+$/, 'the name of a variable, such as MY_VAR or AWS_*');
/** The value of a variable, and its name: no program can be started with others. */
export const variable: Check<string> = () =>
  form
    .union([form.string(), form.number(), form.boolean()])
    .transform(String)
    .refine((text) => !text.includes('\0'), 'text without a NUL character');
export const ownVariable: Check<string> = () =>
  form.string().refine((text) => /^[^=\0]+$/.test(text), 'the name of a variable, without = and NUL');
/** A shell command, or false for none. */
export const commandOrFalse: Check<string | false> = () =>
  form.union([form.string().min(1), form.literal(false)], 'a shell command, or false');
export const flag: Check<boolean> = () => form.boolean();
export const count: Check<number> = () => form.number().int().min(1);
export const countOrNone: Check<number> = () => form.number().int().min(0);
export const amount: Check<number> = () => form.number().positive();
export const amountOrNone: Check<number> = () => form.number().min(0);

export const duration: Check<string> = () =>
  form.string().refine((text) => parseDuration(text) !== undefined, 'a duration, such as 90s, 30m or 6h');

export function choice<const Words extends readonly [string, ...string[]]>(
  ...words: Words
): Check<Words[number]> {
  return () => form.enum(words);
}

/** A variable that is on with `1`, `true`, `yes` or `on`, and off with anything else. */
export function switches(...names: string[]): SettingVariables<boolean> {
  return { names, read: isOn };
}

/** A variable that can only turn a setting on, or only off. */
export function turns(value: boolean, ...names: string[]): SettingVariables<boolean> {
  return { names, read: (given) => (isOn(given) ? value : undefined) };
}

/** A whole number, as environment variables give one; undefined for anything else. */
export function readCount(given: string): number | undefined {
  return /^\d{1,9}$/.test(given) ? Number(given) : undefined;
}

/** A variable with a time to wait; 0 is ignored. */
export function milliseconds(...names: string[]): SettingVariables<number> {
  return {
    names,
    read: (given) => readCount(given) || undefined,
    expected: 'milliseconds, such as 60000; the value is ignored',
  };
}
