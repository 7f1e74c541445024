import { ok, type Result, usage } from '../lib/result.ts';
import type { ClaimKind } from '../protocol/receipt.ts';

/** What a claim says must hold, read from its `expect`. */
export type ClaimExpectation =
  | { is: 'exit'; code: number }
  | { is: 'passed' | 'failed'; check?: string | undefined }
  | { is: 'changed' | 'created' | 'deleted' | 'unchanged' }
  | { is: 'contains'; text: string }
  | { is: 'sha256'; hash: string };

const maxLength = 2_000;

/** How an expectation of each kind is written. */
export const expectationForms: Record<ClaimKind, string> = {
  command: '"exit N", "passed", "failed", contains "TEXT" or sha256:HEX',
  output: 'contains "TEXT" or sha256:HEX',
  file: '"changed", "created", "deleted", "unchanged" or sha256:HEX',
  check: '"passed" or "failed" behind types, lint, tests or security: "tests passed"',
};

/** Reads the expectation of a claim of this kind. Whatever is not in the grammar is refused: nothing is guessed. */
export function parseExpectation(kind: ClaimKind, text: string): Result<ClaimExpectation> {
  const found = text.length <= maxLength ? readers[kind](text.trim()) : undefined;
  return found ? ok(found) : usage(`"${text.slice(0, 80)}" is not an expectation of a ${kind}.`, hint(kind));
}

function hint(kind: ClaimKind): string {
  return `Expected ${expectationForms[kind]}.`;
}

const readers: Record<ClaimKind, (text: string) => ClaimExpectation | undefined> = {
  command: (text) => readExit(text) ?? readPassed(text) ?? readContains(text) ?? readHash(text),
  output: (text) => readContains(text) ?? readHash(text),
  file: (text) => readChange(text) ?? readHash(text),
  check: readCheck,
};

function readExit(text: string): ClaimExpectation | undefined {
  const found = /^exit(?: code)? (0|[1-9]\d{0,2})$/.exec(text);
  return found ? { is: 'exit', code: Number(found[1]) } : undefined;
}

function readPassed(text: string): ClaimExpectation | undefined {
  return text === 'passed' || text === 'failed' ? { is: text } : undefined;
}

function readCheck(text: string): ClaimExpectation | undefined {
  const found = /^(types|lint|tests|security) (passed|failed)$/.exec(text);
  if (found) return { is: found[2] === 'passed' ? 'passed' : 'failed', check: found[1] };
  return readPassed(text);
}

/** The text is a JSON string, so that quotes and line breaks in it have one spelling. */
function readContains(text: string): ClaimExpectation | undefined {
  const quoted = /^contains ("[\s\S]*")$/.exec(text)?.[1];
  if (quoted === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' && value !== '' ? { is: 'contains', text: value } : undefined;
  } catch {
    return undefined;
  }
}

function readHash(text: string): ClaimExpectation | undefined {
  const hash = /^sha256:([0-9a-f]{64})$/i.exec(text)?.[1];
  return hash ? { is: 'sha256', hash: hash.toLowerCase() } : undefined;
}

function readChange(text: string): ClaimExpectation | undefined {
  if (text === 'modified') return { is: 'changed' };
  return changes.find((one) => one.is === text);
}

const changes = [
  { is: 'changed' },
  { is: 'created' },
  { is: 'deleted' },
  { is: 'unchanged' },
] as const satisfies ClaimExpectation[];
