import { failure, ok, type Result } from '../../lib/result.ts';
import { quote } from '../../lib/shell-quote.ts';
import { findOwnProgram } from '../../workspace/search-path.ts';

/**
 * The beginning of a line that may run only in these directories, given as real paths. Another command can replace a
 * directory with a link at any time before the shell enters it, so the shell asks the kernel where it is: at its
 * start, and after each `cd`. Its own `pwd -P` would not do, since that resolves the name again. On one line, so that the
 * shell counts the command's lines from 1.
 */
export function stayWithin(
  directories: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Result<string> {
  const program = findOwnProgram('pwd', env, cwd, directories);
  if (!program) return failure('No pwd program was found outside the workspace.', 'Install coreutils.');
  // The last two characters are a newline and the dot that protects it: a name may end with a newline as well.
  const ask = `set -- "$(${quote(program.file)} -P; printf .)"`;
  const inside = directories.map((directory) => `${quote(directory === '/' ? '/' : `${directory}/`)}*`);
  const check = `case "\${1%??}/" in ${inside.join('|')}) ;; *) echo ${quote(refusal)} >&2; exit 126;; esac`;
  return ok(`cadre_stay() { ${ask}; ${check}; }; cd() { command cd "$@" && cadre_stay; }; cadre_stay; `);
}

const refusal =
  'cadre: this directory is outside the workspace: it was replaced after the command was checked. Nothing was run in it.';
