import { readLiteral, type ShellWord } from '../grammar/types.ts';
import type { Effect } from './effect.ts';

/**
 * The few questions that package managers answer from files, without running a script or a plug-in and without the network,
 * whatever settings a repository has. Not here: all of npm, which takes from a repository's `.npmrc` where it writes logs and
 * cache and which server it asks for updates; `pip freeze`, which runs git where packages are linked in; all of Go and Rust,
 * which download or run the toolchain that a repository names before they do anything else. Some versions of pip look for a
 * newer one on the network; the variables of such a command tell them not to.
 */
const questions: Readonly<Record<string, readonly RegExp[]>> = {
  pip: [/^list(?: (?:--format=\w+|--user|--local))*$/, /^show [\w.-]+$/],
  pip3: [/^list(?: (?:--format=\w+|--user|--local))*$/, /^show [\w.-]+$/],
};

export function classifyPackages(name: string, words: readonly ShellWord[]): Effect | undefined {
  if (!Object.hasOwn(questions, name)) return undefined;
  const texts = words.map(readLiteral);
  const line = texts.join(' ');
  const isKnown =
    texts.every((text) => text !== undefined && !/\s/.test(text)) &&
    questions[name]?.some((form) => form.test(line));
  return isKnown
    ? { known: true, uses: [] }
    : { known: false, reason: `${name} ${line} may change files or run scripts` };
}
