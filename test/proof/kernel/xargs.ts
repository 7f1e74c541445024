import type { Maker } from './maker.ts';

/**
 * `xargs` with options in every form, repeated and in every order: of two the last counts, some switch others off, and
 * the mark of `-I` may look like a command or an option.
 */
export function xargsCommand(make: Maker, run: () => string): string {
  const options = make.several(0, 3, () => optionOf(make)).flat();
  const text = make.chance(55) ? marked(make) : run();
  return `${feederOf(make)} | xargs ${[...options, text].join(' ')}${make.chance(25) ? ' {}' : ''}`;
}

/** Names that lead out, and texts that are options or scripts of whatever takes them. */
function feederOf(make: Maker): string {
  return make.among(`
    ls ¦ find . -name x ¦ find . -name '*.txt' ¦ find src -name '*.ts' -print0 ¦ echo a.txt ¦ git ls-files ¦ git ls-files -z ¦
    cat names.txt ¦ rg -l one ¦ cat commands.txt ¦ ls src ¦ printf a.txt ¦ echo ../outside/secret.txt ¦ echo .env ¦
    find ./src docs -type f ¦ find linkin/ -type f ¦ find linkout ¦ find linkfile linkenv ¦ find a/away/ ¦ find secret src ¦ find src/ -name '*.ts' ¦ find a b.txt -type f ¦
    grep -rl one src docs ¦ grep -rl one --include='*.ts' . ¦ grep -rl '' hidden ¦ rg -l one src ¦ rg --files src/deep ¦ git ls-files src ¦ git ls-files '*.ts' ¦ git ls-files '*.txt' secret ¦
    echo 'touch pwn' ¦ echo '-exec touch pwn ;' ¦ echo --output=pwn ¦ echo '-o pwn' ¦ echo 'a.txt ../x' ¦
    printf 'a.txt\\0../x' ¦ find . -name 'a b.txt' ¦ find odd ¦ find hidden -name plain.txt ¦ echo -n ¦ echo x ¦ true`);
}

/** Where the item goes, and what it then means. */
function marked(make: Maker): string {
  return make.among(`
    cat ¦ cat A ¦ cat B ¦ cat {} ¦ cat -0 ¦ sh -c ls ¦ sh -c {} ¦ sh -c A ¦ sh -c 'cat {}' ¦ bash -c "echo {}" ¦ git log ¦ git log {} ¦
    git show ¦ find . -maxdepth 0 ¦ find . -maxdepth 0 {} ¦ find {} -name x ¦ sort ¦ sort {} ¦ grep one ¦ grep one {} ¦ ls ¦ ls A ¦
    echo A ¦ echo ¦  ¦ head -1 ¦ wc -l ¦ cat src/{} ¦ cat ./{} ¦ sed -n p ¦ sed {} ¦ {} a.txt ¦ A a.txt ¦ tee ¦ cat -- ¦ git grep -e one --`);
}

function optionOf(make: Maker): string[] {
  const [name, option] = make.pick(Object.entries(options));
  make.mark(`xargs:${name}`);
  if (!option.values) return [make.pick(option.forms)];
  const value = make.pick(option.values);
  const form = make.pick(option.forms);
  if (option.joinsOnly) return [make.chance(50) ? form : form + value];
  if (!form.startsWith('--')) {
    make.mark(`xargs-form:${name} ${form.length}`);
    return make.chance(50) ? [form, value] : [`${form}${value}`];
  }
  return make.chance(50) ? [`${form}=${value}`] : [form, value];
}

interface Option {
  /** Every spelling, clusters and abbreviations with it. */
  readonly forms: readonly string[];
  readonly values?: readonly string[];
  /** A value is taken from the same word alone. */
  readonly joinsOnly?: true;
}

const marks = ['{}', 'A', 'B', 'ls', '-0', 'cat', "'{}'", '%', '.', 'a'];
const counts = ['1', '2', '5', '0', 'x', '-1'];

const options: Readonly<Record<string, Option>> = {
  replace: { forms: ['-I', '-rI', '-0I', '-tI'], values: marks },
  'replace-old': { forms: ['-i', '--replace=', '-ri'], values: marks, joinsOnly: true },
  'replace-long': { forms: ['--replace', '--rep'] },
  arguments: { forms: ['-n', '--max-args', '-rn', '--max-a'], values: counts },
  lines: { forms: ['-L', '--max-lines', '-0L'], values: counts },
  'lines-old': { forms: ['-l', '--max-lines='], values: counts, joinsOnly: true },
  delimiter: {
    forms: ['-d', '--delimiter', '-rd'],
    values: ["'\\n'", '"\\n"', "' '", "','", "'\\0'", '/', "'\\x20'", "'\\t'", 't'],
  },
  zero: { forms: ['-0', '--null', '-0r', '-r0', '-t0'] },
  empty: { forms: ['-r', '--no-run-if-empty', '--no-run'] },
  trace: { forms: ['-t', '--verbose', '-rt'] },
  ask: { forms: ['-p', '--interactive'] },
  size: { forms: ['-s', '--max-chars'], values: ['100', '1000', '20'] },
  exit: { forms: ['-x', '--exit'] },
  processes: { forms: ['-P', '--max-procs'], values: ['1', '2', '0'] },
  file: { forms: ['-a', '--arg-file', '-ra'], values: ['names.txt', 'commands.txt', '.env', '../x'] },
  end: { forms: ['-E', '-e', '--eof='], values: ['x', 'a.txt', '{}'] },
  terminal: { forms: ['-o', '--open-tty'] },
  slot: { forms: ['--process-slot-var=x', '--process-slot-var=PATH'] },
  limits: { forms: ['--show-limits', '--version', '--help', '--'] },
};
