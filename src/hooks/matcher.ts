import { fail, ok, type Result } from '../lib/result.ts';
import { canonicalToolName } from '../protocol/index.ts';
import { correctToolCase, findMisspeltTool } from '../settings/known-tools.ts';
import { findDanger } from './safe-pattern.ts';

const maxLength = 1_000;
/** No subject is longer; a pattern is not tried on more. */
const maxSubjectLength = 200;

export type Matcher = (subject: string) => boolean;

/**
 * A matcher as users write it: nothing or `*` matches everything, names separated by `|` or commas are a list, and
 * anything else is a regular expression that may match anywhere.
 */
export function compileMatcher(text: string): Result<Matcher, string> {
  const matcher = text.trim();
  if (matcher === '' || matcher === '*') return ok(() => true);
  if (matcher.length > maxLength) return fail(`expected at most ${maxLength} characters`);
  const listed = listNames(matcher);
  if (!listed) return compilePattern(matcher);
  const names = new Set(listed.map(canonicalToolName));
  return ok((subject) => names.has(subject));
}

/** The names that a matcher lists; undefined if it is a regular expression. */
export function listNames(matcher: string): string[] | undefined {
  if (!/^[\p{L}\p{N}_ ,|-]+$/u.test(matcher)) return undefined;
  return matcher.split(/[,|]/).map((name) => name.trim());
}

/** The name of a tool that a list holds in another spelling, or a rule in a name's place: it never fits a call. */
export function findMisspelt(matcher: string): { name: string; meant: string } | undefined {
  const tool = /^([A-Z]\w*)\([^|]*[:*~/ ][^|]*\)$/.exec(matcher.trim())?.[1];
  if (tool !== undefined) return { name: matcher, meant: `${tool}, with the rule in "if"` };
  for (const name of listNames(matcher.trim()) ?? []) {
    const right = correctToolCase(name);
    const meant = right === name ? findMisspeltTool(name) : right;
    if (meant !== undefined && canonicalToolName(name) === name) return { name, meant };
  }
  return undefined;
}

function compilePattern(source: string): Result<Matcher, string> {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'u');
  } catch {
    try {
      pattern = new RegExp(source);
    } catch (error) {
      return fail(`expected names or a regular expression: ${(error as Error).message}`);
    }
  }
  const danger = findDanger(source);
  if (danger) return fail(`this regular expression could run forever: ${danger}`);
  return ok((subject) => listAliases(subject).some((name) => pattern.test(name.slice(0, maxSubjectLength))));
}

/** Patterns may use the tool names of other products, too. */
function listAliases(subject: string): string[] {
  return subject === 'Agent' ? ['Agent', 'Task'] : [subject];
}
