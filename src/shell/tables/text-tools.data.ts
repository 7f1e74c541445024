import { untold } from '../../lib/told.ts';
import { findAwkFault } from '../programs/awk.ts';
import { findFilterFault, findYamlFault } from '../programs/filters.ts';
import { findScriptsFault } from '../programs/sed.ts';
import type { ProgramSpec, ToolTable } from '../programs/tool-spec.ts';
import { openVariables } from '../walk/variables.ts';
import { archiveTools } from './archive-tools.data.ts';

const hash: ProgramSpec = {
  why: 'Prints sums of files. No option writes or runs anything; --check reads names out of a file, so it is left out.',
  flags: '-b -t -z --binary --text --zero --tag --quiet --status',
  operands: 'paths',
  inert: 'looks',
};

const awk: ProgramSpec = {
  why: 'Prints columns. Only programs that open and run nothing; -f, -i, -l and -E load others.',
  flags: '-F: -v:',
  letters: 'leading',
  ordered: true,
  operands: 'pattern',
  check: ([program]) => findAwkFault(program),
};

const hexdump: ProgramSpec = {
  why: 'Dumps bytes.',
  flags: '-b -c -C -d -o -x -v -n# -s# -e:',
  operands: 'paths',
};

/** Tools that sort, cut, compare and dump. Each entry has a test. */
export const textTools: ToolTable = {
  printenv: {
    why: 'Prints environment variables: by name, and only those that are not secret.',
    flags: '-0 --null',
    operands: 'text',
    check: (names) =>
      names.length > 0 && names.every((name) => name !== undefined && openVariables.has(name))
        ? undefined
        : 'a variable may be a secret',
  },
  sort: {
    why: 'Sorts lines. -o writes, -T and --compress-program name a place and a program; they are left out.',
    flags:
      '-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case ' +
      '--general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --sort: ' +
      '--version-sort --check? --key: --merge --stable --field-separator: --unique --zero-terminated --debug --parallel#',
    operands: 'paths',
  },
  uniq: {
    why: 'Drops lines. A second operand is a file that it writes.',
    flags:
      '-c -d -D -f# -i -s# -u -w# -z --count --repeated --all-repeated? --skip-fields# --ignore-case --skip-chars# ' +
      '--unique --check-chars# --zero-terminated --group?',
    ordered: true,
    operands: 'paths',
    most: 1,
  },
  cut: {
    why: 'Cuts columns. No option writes or runs anything.',
    flags:
      '-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: --zero-terminated',
    operands: 'paths',
    inert: true,
  },
  tr: {
    why: 'Replaces characters. It opens no file.',
    flags: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'text',
    inert: true,
  },
  paste: {
    why: 'Joins lines.',
    flags: '-d: -s -z --delimiters: --serial --zero-terminated',
    operands: 'paths',
    inert: true,
  },
  join: {
    why: 'Joins files.',
    flags: '-a# -e: -i -j# -o: -t: -v# -1# -2# -z --ignore-case --check-order --nocheck-order --header',
    operands: 'paths',
    inert: true,
  },
  comm: {
    why: 'Compares files.',
    flags: '-1 -2 -3 -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated',
    operands: 'paths',
    inert: true,
  },
  diff: {
    why: 'Compares files, and those in directories. --output of other versions and -l, which runs pr, are left out.',
    flags:
      '-q -s -c -C# -u -U# -e -n -y -W# -p -F: -t -T -a -b -B -d -E -i -I: -N -r -w -x: -Z --brief --report-identical-files ' +
      '--context? --unified? --ed --rcs --side-by-side --width# --show-c-function --expand-tabs --minimal ' +
      '--speed-large-files --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change ' +
      '--ignore-all-space --ignore-blank-lines --ignore-matching-lines: --text --strip-trailing-cr --recursive ' +
      '--new-file --exclude: --color? --suppress-common-lines --left-column --no-dereference --label: -L:',
    operands: 'paths',
    opensDirectories: true,
    deep: '-r --recursive',
  },
  cmp: {
    why: 'Compares files.',
    flags: '-b -i# -l -n# -s --print-bytes --ignore-initial# --verbose --bytes# --quiet --silent',
    operands: 'paths',
    inert: true,
  },
  column: {
    why: 'Lays out columns.',
    flags:
      '-t -s: -o: -c# -x -e -J -N: -R: -T: --table --separator: --output-separator: --json --table-columns: --table-right:',
    operands: 'paths',
    inert: true,
  },
  fold: {
    why: 'Breaks lines.',
    flags: '-b -s -w# --bytes --spaces --width#',
    operands: 'paths',
    inert: true,
  },
  expand: {
    why: 'Turns tabs into blanks.',
    flags: '-i -t: --initial --tabs:',
    operands: 'paths',
    inert: true,
  },
  unexpand: { why: 'Turns blanks into tabs.', flags: '-a -t: --all --tabs:', operands: 'paths', inert: true },
  fmt: { why: 'Fills lines.', flags: '-c -s -t -u -w# --width#', operands: 'paths', inert: true },
  bc: {
    why: 'Computes. Its language opens nothing and runs nothing; operands are files that it reads.',
    flags: '-l -q -s -w --mathlib --quiet --standard --warn',
    operands: 'paths',
  },
  numfmt: {
    why: 'Writes numbers in another form. It opens no file.',
    flags:
      '-d: -z --delimiter: --field: --format: --from: --from-unit: --grouping --header? --invalid: --padding: --round: --suffix: --to: --to-unit: --zero-terminated --debug',
    operands: 'text',
    inert: true,
  },
  factor: { why: 'Prints factors.', flags: '', operands: 'text', inert: true },
  sum: { why: 'Prints sums of files.', flags: '-r -s --sysv', operands: 'paths' },
  tsort: { why: 'Sorts by order.', flags: '', operands: 'paths' },
  od: {
    why: 'Dumps bytes.',
    flags:
      '-A: -j# -N# -S# -t: -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix: --skip-bytes# --read-bytes# --format: --output-duplicates --width?',
    operands: 'paths',
    inert: true,
  },
  xxd: {
    why: 'Dumps bytes. -r writes, and a second operand is a file that it writes.',
    flags: '-a -b -c# -C -e -g# -i -l# -p -ps -s# -u',
    letters: 'leading',
    ordered: true,
    operands: 'paths',
    most: 1,
  },
  hexdump,
  hd: hexdump,
  strings: {
    why: 'Prints text in files. @file reads more operands from a file, and prints them if the file does not exist.',
    flags: '-a -f -n# -t: -e: -o --all --print-file-name --bytes# --radix: --encoding:',
    operands: 'paths',
    numbers: true,
    check: (words) =>
      words.some((word) => word === undefined || word.startsWith('@'))
        ? 'it may read names out of a file'
        : undefined,
  },
  md5sum: hash,
  sha1sum: hash,
  sha224sum: hash,
  sha256sum: hash,
  sha384sum: hash,
  sha512sum: hash,
  b2sum: hash,
  shasum: {
    why: 'Prints sums of files.',
    flags: '-a# -b -t -0 --algorithm# --binary --text',
    operands: 'paths',
  },
  cksum: { why: 'Prints sums of files.', flags: '-a: --algorithm:', operands: 'paths' },
  jq: {
    why: 'Filters JSON by functions that look at their input only. -f, -L, --slurpfile and --rawfile read other files.',
    flags:
      '--arg& --argjson& -r -j -a -s -c -C -M -S -e -n -R --raw-output --join-output --ascii-output --slurp --compact-output ' +
      '--color-output --monochrome-output --sort-keys --exit-status --null-input --raw-input --tab --indent# --unbuffered --seq --stream',
    letters: 'separate',
    operands: 'pattern',
    check: ([filter]) => findFilterFault(filter),
  },
  yq: {
    why:
      'Filters YAML by functions that look at their input only. -i and -s write. Two programs have this name: which word ' +
      'is the filter depends on a subcommand before it and on which files there are, so each is judged as a file as well.',
    flags: '-r -y -P -o: -p: -c -S -M -C -N -e --prettyPrint --no-colors --raw-output',
    letters: 'leading',
    values: { '-o': /^=?[a-z]+$/, '-p': /^=?[a-z]+$/ },
    operands: 'paths',
    check: findYamlFault,
  },
  awk,
  gawk: awk,
  mawk: awk,
  sed: {
    why: 'Edits a stream. -i writes, -f loads a script; a script that writes, reads or runs is refused.',
    flags:
      '-n -E -r -s -u -z -e: -l# --quiet --silent --expression: --regexp-extended --separate --unbuffered --null-data --posix --sandbox',
    operands: 'pattern',
    patternFlags: '-e --expression',
    check: (scripts) => findScriptsFault(scripts.map((script) => script ?? untold)),
  },
  ...archiveTools,
};
