import { boundText, countLines, joinLines } from '../lib/text/text.ts';
import type { Excerpt } from './excerpt.ts';

/** How much outside text a view holds, in characters. No model says this much in one answer. */
export const maxText = 2_000_000;
/** At least this much of the end of a longer answer is held. */
export const maxTail = maxText / 2 - 200;
export const maxPrompt = 20_000;
export const maxResult = 4_000;
export const maxProgress = 2_000;
export const maxValue = 2_000;
export const maxLine = 300;

/** Both ends of the text, and its original length. */
export function buildExcerpt(text: string, most: number): Excerpt {
  return { text: flat(boundText(text, most)), characters: text.length, lines: countLines(text) };
}

/** Both ends of an answer. */
export function boundAnswer(text: string): { text: string; characters?: number } {
  if (text.length <= maxText) return { text };
  return { text: flat(boundText(text, maxText, leftOut)), characters: text.length };
}

function leftOut(characters: number): string {
  return `\n\n… ${characters} characters omitted; the transcript has the full text …\n\n`;
}

/** The beginning of a text. */
export function cutEnd(text: string, most: number): string {
  return text.length <= most ? text : flat(`${text.slice(0, most)}…`);
}

/** The end of a text. */
export function cutStart(text: string, most: number): string {
  return text.length <= most ? text : flat(`…${text.slice(-most)}`);
}

/** The beginning of a text, on one line. */
export function cutLine(text: string, most = maxLine): string {
  return cutEnd(joinLines(text.slice(0, most * 4)), most);
}

/** The input of a call with long strings shortened. Deep values that are long as a whole become text. */
export function boundInput(input: unknown): Record<string, unknown> {
  if (typeof input !== 'object' || input === null) return {};
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, boundValue(value)]));
}

function boundValue(value: unknown): unknown {
  if (typeof value === 'string') return cutEnd(value, maxValue);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length <= maxValue * 2 ? value : cutEnd(text, maxValue);
}

/**
 * A substring keeps the whole string alive until the substring is read together with something else. Reading it here
 * releases the ten megabytes it was cut from.
 */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
