import type { ProgramSpec, ToolTable } from '../programs/tool-spec.ts';

const grep: ProgramSpec = {
  why: 'Prints lines that match. No option writes or runs anything; -f reads its patterns from a file. --exclude-from is left out.',
  flags:
    '-E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -H -h -n -T -Z -z -a -I -U -r -R -e: -f< -m# -A# -B# -C# -d: -D: --binary ' +
    '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match ' +
    '--word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent ' +
    '--no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null --null-data --text ' +
    '--recursive --color? --colour? --max-count# --after-context# --before-context# --context# --include: --exclude: ' +
    '--exclude-dir: --binary-files: --label: --regexp: --file< --line-buffered --directories:',
  operands: 'pattern',
  patternFlags: '-e -f --regexp --file',
  inert: 'looks',
  deep: '-r -R --recursive',
  // `recurse` would make it deep.
  values: { '-d': /^(?:read|skip)$/, '--directories': /^(?:read|skip)$/, '-D': /^(?:read|skip)$/ },
  numbers: true,
};

const fd: ProgramSpec = {
  why: 'Lists names. -x, -X and --exec run programs, -l and --list-details run ls; they are left out.',
  flags:
    '-H -I -u -s -i -g -F -a -p -0 -1 -q -t: -e: -E: -d# -S: -c: -j# --hidden --no-ignore --unrestricted ' +
    '--case-sensitive --ignore-case --glob --fixed-strings --absolute-path --full-path --print0 ' +
    '--max-depth# --min-depth# --exact-depth# --exclude: --type: --extension: --size: --changed-within: ' +
    '--changed-before: --color: --max-results# --quiet --no-ignore-vcs --strip-cwd-prefix --version',
  operands: 'pattern',
  here: true,
  lists: true,
};

/** Tools that list, show and search files. Each entry has a test. */
export const fileTools: ToolTable = {
  ls: {
    why: 'Lists names. No option writes or runs anything; -R and -L list more directories.',
    flags:
      '-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 ' +
      '-I: -w# -T# --all --almost-all --author --escape --ignore-backups --color? --directory --dired --classify? ' +
      '--file-type --format: --full-time --group-directories-first --no-group --human-readable --si --hide: ' +
      '--indicator-style: --inode --ignore: --kibibytes --dereference --numeric-uid-gid --literal --quote-name ' +
      '--reverse --recursive --size --sort: --time: --time-style: --width# --block-size: --context --zero',
    operands: 'names',
    inert: 'looks',
    here: true,
  },
  cat: {
    why: 'Prints files. No option writes or runs anything.',
    flags:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs ' +
      '--show-nonprinting',
    operands: 'paths',
    inert: true,
  },
  tac: {
    why: 'Prints files backwards.',
    flags: '-b -r -s: --before --separator:',
    operands: 'paths',
    inert: true,
  },
  rev: { why: 'Prints lines backwards.', flags: '', operands: 'paths' },
  head: {
    why: 'Prints the beginning of files. No option writes or runs anything.',
    flags: '-c# -n# -q -v -z --bytes# --lines# --quiet --silent --verbose --zero-terminated',
    operands: 'paths',
    inert: true,
    numbers: true,
  },
  tail: {
    why: 'Prints the end of files. Following a file never ends, but a call does.',
    flags:
      '-c# -n# -q -v -z -f -F -s# --bytes# --lines# --quiet --silent --verbose --follow? --retry --sleep-interval# --pid# ' +
      '--zero-terminated',
    operands: 'paths',
    inert: true,
    numbers: true,
  },
  wc: {
    why: 'Counts. --files0-from reads names out of a file, so it is left out.',
    flags: '-c -l -L -m -w --bytes --chars --lines --max-line-length --words --total:',
    operands: 'paths',
    inert: 'looks',
  },
  nl: {
    why: 'Numbers lines. No option writes or runs anything.',
    flags: '-b: -d: -f: -h: -i# -l# -n: -p -s: -v# -w# --body-numbering:',
    operands: 'paths',
    inert: true,
  },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    why: 'Searches. --pre, --pre-glob, --hostname-bin and --search-zip run programs and are left out.',
    flags:
      '-A# -B# -C# -E: -F -H -I -M# -N -P -S -T: -U -V -a -b -c -e: -f< -g: -h -i -l -m# -n -o -p -q -r: -s -t: -u ' +
      '-v -w -x -0 -. -j# -d# --after-context# --before-context# --context# --case-sensitive --color: --column ' +
      '--count --count-matches --encoding: --engine: --files --files-with-matches --files-without-match ' +
      '--fixed-strings --glob: --iglob: --glob-case-insensitive --heading --no-heading --hidden ' +
      '--ignore-case --ignore-file< --invert-match --json --line-number --no-line-number --line-regexp --max-columns# ' +
      '--max-columns-preview --max-count# --max-depth# --maxdepth# --max-filesize# --multiline --multiline-dotall ' +
      '--no-config --no-filename --no-ignore --no-ignore-vcs --no-ignore-parent --no-messages --null --null-data ' +
      '--only-matching --passthru --pcre2 --pretty --quiet --regexp: --replace: --smart-case --sort: --sortr: --stats ' +
      '--text --threads# --trim --type: --type-not: --type-list --unrestricted --version --vimgrep --with-filename ' +
      '--word-regexp --no-require-git --one-file-system --context-separator: --crlf --debug --binary --file<',
    operands: 'pattern',
    patternFlags: '-e -f --regexp --file --files --type-list --version -V',
    lists: '--files',
    here: true,
    deep: true,
  },
  fd,
  fdfind: fd,
  tree: {
    why:
      'Lists names. -o writes a file and -R with -H does too; --fromfile, --info and similar options read files: they are left ' +
      'out. Combined short options take their values from the words that follow, in order.',
    flags:
      '-a -d -f -i -l -x -L# -P: -I: -p -u -g -s -h -D -F -q -N -Q -v -t -c -U -r -A -S -n -C -X -J --noreport ' +
      '--dirsfirst --filelimit# --gitignore --prune --matchdirs --ignore-case --du --si --charset: --timefmt: --sort: ' +
      '-L1 -L2 -L3 -L4 -L5',
    letters: 'separate',
    operands: 'names',
    here: true,
    // Not every version takes the next word, and then it is a directory: so none that leads out of this one.
    values: {
      '--charset': /^\w[\w.:-]*$/,
      '--timefmt': /^(?:%(?!.*\.\.).*|[^-/~.][^/]*)$/s,
      '--sort': /^(?:name|ctime|mtime|size|version|none)$/,
    },
  },
  file: {
    why: 'Tells types. -C compiles a file, -p sets times, -m and -f read others, -z runs decompressors; they are left out.',
    flags:
      '-b -i -k -L -h -N -n -r -s -v -0 --brief --mime --mime-type --mime-encoding --dereference --version',
    operands: 'paths',
  },
  mktemp: {
    why: 'Prints a name that is free. Without -u it makes the file.',
    flags: '-u -d -q --dry-run --directory --quiet',
    operands: 'text',
    most: 1,
    requires: '-u --dry-run',
  },
  stat: {
    why: 'Prints file system data of a file.',
    flags: '-L -f -t -c: --dereference --file-system --format: --printf: --terse --cached:',
    operands: 'names',
    inert: true,
  },
  du: {
    why: 'Adds up sizes. --files0-from and --exclude-from read other files and are left out.',
    flags:
      '-0 -a -b -B: -c -d# -D -h -H -k -l -L -m -P -s -S -t# -x --all --apparent-size --block-size: --bytes --total ' +
      '--max-depth# --human-readable --si --summarize --exclude: --one-file-system --time? --threshold# --inodes',
    operands: 'names',
    inert: 'looks',
    here: true,
  },
  df: {
    // It opens each of them.
    why: 'Prints free space.',
    flags:
      '-a -B: -h -H -i -k -l -P -t: -T -x: --all --human-readable --si --inodes --local --portability --total --print-type --type: --output?',
    operands: 'paths',
  },
  basename: {
    why: 'Cuts text.',
    flags: '-a -s: -z --multiple --suffix: --zero',
    operands: 'text',
    inert: true,
  },
  dirname: { why: 'Cuts text.', flags: '-z --zero', operands: 'text', inert: true },
  realpath: {
    why: 'Prints where a name leads.',
    flags:
      '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to< --relative-base< --strip --no-symlinks --quiet --zero',
    operands: 'names',
    inert: true,
  },
  readlink: {
    why: 'Prints where a link leads.',
    flags:
      '-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
    operands: 'names',
    inert: true,
  },
};
