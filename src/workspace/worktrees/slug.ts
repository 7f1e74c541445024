import { ok, type Result, usage } from '../../lib/result.ts';

const maxLength = 64;

/**
 * The name of a worktree is also a directory, a part of a branch name and a file name: only characters that are safe in all
 * of them.
 */
export function checkSlug(name: string): Result<string> {
  const problem = findProblem(name);
  if (problem === undefined) return ok(name);
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  return usage(
    `The name ${shown} is not valid for a worktree: ${problem}.`,
    `Use up to ${maxLength} letters, digits, ".", "-" and "_", such as fix-login.`,
  );
}

function findProblem(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.length > maxLength) return `it is longer than ${maxLength} characters`;
  if (name.startsWith('/')) return 'it is an absolute path';
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    return 'it contains characters other than letters, digits, ".", "-" and "_"';
  if (name.includes('..')) return 'it contains ".."';
  if (name.startsWith('-')) return 'it begins with a dash';
  // Git does not allow such a name as a part of a branch name.
  if (name.startsWith('.') || name.endsWith('.')) return 'it begins or ends with a dot';
  return name.toLowerCase().endsWith('.lock') ? 'it ends with ".lock"' : undefined;
}

/** A name from any words; never empty. */
export function buildSlug(words: string, token: string): string {
  const plain = words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? `work-${token}` : `${plain}-${token}`;
}
