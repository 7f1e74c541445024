import type { Effect } from './effect.ts';
import { literalOf, type ShellWord } from './types.ts';

/**
 * The few questions that package managers answer from files, without running a script or a plug-in and without the
 * network. Not here: `npm view` (network), and all of Go and Rust, which fetch or run the toolchain that a repository
 * names before they do anything else.
 */
const questions: Readonly<Record<string, readonly RegExp[]>> = {
  npm: [
    /^(?:ls|list)(?: (?:-g|-a|--all|--json|--long|--parseable|--prod|--dev|--depth=\d+|--depth \d+))*(?: (?![-./~])[\w@/.-]+)?$/,
    /^(?:root|prefix|bin)(?: -g)?$/,
    /^pkg get(?: [\w.[\]-]+)*$/,
  ],
  pip: [/^(?:list|freeze)(?: (?:--format=\w+|--user|--local))*$/, /^show [\w.-]+$/],
  pip3: [/^(?:list|freeze)(?: (?:--format=\w+|--user|--local))*$/, /^show [\w.-]+$/],
};

export function classifyPackages(name: string, words: readonly ShellWord[]): Effect | undefined {
  if (!Object.hasOwn(questions, name)) return undefined;
  const texts = words.map(literalOf);
  const line = texts.join(' ');
  const isKnown =
    texts.every((text) => text !== undefined && !/\s/.test(text)) &&
    questions[name]?.some((form) => form.test(line));
  return isKnown
    ? { known: true, uses: [] }
    : { known: false, reason: `${name} ${line} is not known to change nothing` };
}
