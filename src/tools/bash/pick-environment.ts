import { findPassword, isSecretName, listSecretValues } from '../../lib/secrets/secret-values.ts';
import type { NamedSecret } from '../../lib/secrets/secrets.ts';
import { compileStars } from '../../lib/text/star-pattern.ts';
import { openEnvironment } from './environment.data.ts';

export interface PickedEnvironment {
  /** The environment of commands, and later of hooks and servers. */
  readonly variables: Record<string, string>;
  /** Withheld names, in alphabetical order. */
  readonly heldBack: readonly string[];
  /** Values that no text may show: the withheld ones, and allowed ones whose name suggests a secret. */
  readonly secrets: readonly NamedSecret[];
}

/**
 * An environment without variables that are not on the list. `allowed` are the user's own names, with or without a star; one of
 * our own variables, or a model provider's key, is allowed only by its full name.
 */
export function pickEnvironment(
  environment: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): PickedEnvironment {
  const wanted = nameMatcher(allowed);
  const named = new Set(allowed);
  const entries = Object.entries(environment).filter(([name]) => !ofAShell.test(name));
  const isOpen = ([name, value]: [string, string]) => {
    if (isForUs(name)) return named.has(name) && !ourOwn.test(name);
    return wanted(name) || isOpenVariable(name, value);
  };
  const open: [string, string][] = [];
  const held: [string, string][] = [];
  for (const entry of entries) (isOpen(entry) ? open : held).push(entry);
  return {
    variables: Object.fromEntries(open),
    heldBack: held.map(([name]) => name).sort(),
    secrets: [...listSecretValues(held), ...listSecretValues(open.filter(([name]) => isSecretName(name)))],
  };
}

/** The names that commands do not get, for troubleshooting: never their values. */
export function heldBack(
  environment: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): readonly string[] {
  return pickEnvironment(environment, allowed).heldBack;
}

/**
 * Variables of the shell that started us, not of the next one; or naming a file that a shell would run first; or
 * changing the meaning of a command's words, which are judged as a shell without settings reads them.
 */
const ofAShell =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_XTRACEFD|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|GLOBSORT|EXECIGNORE|PS4|IFS|PROMPT_COMMAND|_|SHLVL|PWD|OLDPWD|FORCE_COLOR|CLICOLOR_FORCE)$/;
const ourOwn = /^(?:CADRE_.*|BUN_.*)$/;
const ours =
  /^(?:CADRE_.*|BUN_.*|ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|OPENAI_API_KEY|GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENERATIVE_AI_API_KEY|(?:OLLAMA|LMSTUDIO|LLAMACPP|VLLM)_API_KEY)$/;

/** Our own settings, and the keys with which we reach models. */
export function isForUs(name: string): boolean {
  return ours.test(name);
}

function isOpenVariable(name: string, value: string): boolean {
  if (findPassword(value) !== undefined) return false;
  if (exactNames.has(name)) return true;
  return prefixes.some((prefix) => name.startsWith(prefix)) && !isSecretName(name);
}

const listed = openEnvironment.flatMap(({ names }) => names.split(' '));
const exactNames: ReadonlySet<string> = new Set(listed.filter((name) => !name.endsWith('*')));
const prefixes: readonly string[] = listed
  .filter((name) => name.endsWith('*'))
  .map((name) => name.slice(0, -1));

function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wild = patterns.filter((pattern) => pattern.includes('*')).map(compileStars);
  return (name) => exact.has(name) || wild.some((pattern) => pattern.test(name));
}
