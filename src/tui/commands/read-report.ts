import type { Desk } from '../desk.ts';

/** What one of our own commands says as data, for a list of it; undefined if it says something else, which is shown. */
export async function readReport<T>(desk: Desk, words: readonly string[]): Promise<T | undefined> {
  desk.hint('Loading …');
  const text = await desk.world.report([...words, '--json']);
  desk.app.change({ hint: undefined });
  try {
    return JSON.parse(text) as T;
  } catch {
    desk.warn(text.trim() === '' ? `cadre ${words.join(' ')} printed nothing.` : text.trim());
    return undefined;
  }
}
