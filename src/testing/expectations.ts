import type { ModelRequest, ToolResultBlock } from '../protocol/index.ts';
import { textOf } from '../protocol/index.ts';

/**
 * A step's expectation of the request it answers. A predicate returns true, or false or a
 * sentence saying what is wrong. The fields of the other form match by inclusion.
 */
export type Expectation = ((request: ModelRequest) => boolean | string) | ExpectedParts;

export interface ExpectedParts {
  /** In the text that the last message holds beside tool results. */
  userText?: string | RegExp;
  /** In the text of the last message's tool results, joined by new lines. */
  toolResult?: string | RegExp;
  /** Whether any tool result of the last message is an error. */
  isError?: boolean;
  system?: string | RegExp;
  /** Names that must be among the tools offered. */
  tools?: string[];
}

/** Every difference between the request and the expectation; empty if there is none. */
export function mismatches(expect: Expectation | undefined, request: ModelRequest): string[] {
  if (!expect) return [];
  if (typeof expect === 'function') return predicateMismatch(expect(request));
  const isError = toolResults(request).some((result) => result.is_error === true);
  const offered = request.tools.map((tool) => tool.name);
  const missing = (expect.tools ?? []).filter((name) => !offered.includes(name));
  return [
    ...textMismatch('the last user text', expect.userText, lastUserText(request)),
    ...textMismatch('the tool result', expect.toolResult, toolResultText(request)),
    ...textMismatch('the system prompt', expect.system, request.system.join('\n\n')),
    ...(expect.isError !== undefined && expect.isError !== isError
      ? [compared('an error among the tool results', String(expect.isError), String(isError))]
      : []),
    ...(missing.length > 0 ? [compared('the tools', missing.join(', '), offered.join(', '))] : []),
  ];
}

/** The text of the last message, without its tool results. */
export function lastUserText(request: ModelRequest): string {
  const last = request.messages.at(-1);
  return last?.role === 'user' ? textOf(last.content) : '';
}

/** The tool results in the last message. */
export function toolResults(request: ModelRequest): ToolResultBlock[] {
  const last = request.messages.at(-1);
  return last?.role === 'user' ? last.content.filter((block) => block.type === 'tool_result') : [];
}

export function toolResultText(request: ModelRequest): string {
  return toolResults(request)
    .map((result) => textOf(result.content))
    .join('\n');
}

function predicateMismatch(verdict: boolean | string): string[] {
  if (verdict === true) return [];
  return [verdict === false ? 'the predicate of this step returned false' : verdict];
}

function textMismatch(what: string, expected: string | RegExp | undefined, actual: string): string[] {
  if (expected === undefined) return [];
  const matches = typeof expected === 'string' ? actual.includes(expected) : expected.test(actual);
  return matches ? [] : [compared(what, String(expected), actual)];
}

function compared(what: string, expected: string, actual: string): string {
  return `${what} differs\n${prefixed('  + expected: ', expected)}\n${prefixed('  -   actual: ', actual)}`;
}

const shownLength = 2_000;

function prefixed(prefix: string, text: string): string {
  const shown =
    text.length > shownLength ? `${text.slice(0, shownLength)}… (${text.length} characters)` : text;
  return prefix + shown.replaceAll('\n', `\n${' '.repeat(prefix.length)}`);
}
