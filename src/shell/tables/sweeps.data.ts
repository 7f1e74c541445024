/**
 * The meaning of a search program's options for the names it finds, each in one class, separated by blanks. An option without
 * a class makes the command unknown: an option is not assumed not to follow links.
 */
export interface SweepOptions {
  /** Follows links. */
  readonly follows?: string;
  /** Includes dot names. */
  readonly hidden?: string;
  /** Descends below the given directories. */
  readonly deep?: string;
  /** Narrows the names, or adds others, as read with the option's value. */
  readonly names?: string;
  /** Shows more than the operand itself, or nothing else. */
  readonly shows?: string;
  /** Without effect on the names: how lines and names are matched and printed, and limits. */
  readonly plain: string;
}

const grep: SweepOptions = {
  follows: '-R',
  deep: '-r --recursive',
  names: '--include --exclude --exclude-dir -d --directories -D',
  plain:
    '-E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -H -h -n -T -Z -z -a -I -U -e -f -m -A -B -C --extended-regexp ' +
    '--fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp ' +
    '--line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages ' +
    '--byte-offset --with-filename --no-filename --line-number --initial-tab --null --null-data --text --color --colour ' +
    '--max-count --after-context --before-context --context --binary --binary-files --label --regexp --file --line-buffered',
};

const fd: SweepOptions = {
  hidden: '-H -u --hidden --unrestricted',
  names: '-I --no-ignore --no-ignore-vcs -t -e -E --exclude --type --extension',
  plain:
    '-s -i -g -F -a -p -0 -1 -q -d -S -c -j --case-sensitive --ignore-case --glob --fixed-strings --absolute-path ' +
    '--full-path --print0 --max-depth --min-depth --exact-depth --size --changed-within --changed-before --color ' +
    '--max-results --quiet --strip-cwd-prefix --version',
};

export const sweepOptions: Readonly<Record<string, SweepOptions>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  fd,
  fdfind: fd,
  ls: {
    follows: '-L --dereference',
    hidden: '-a -A -f --all --almost-all',
    deep: '-R --recursive',
    names: '-B -I --ignore-backups --hide --ignore',
    shows: '-d --directory',
    plain:
      '-b -c -C -D -F -g -G -h -H -i -k -l -m -n -N -o -p -q -Q -r -s -S -t -u -U -v -x -X -Z -1 -w -T --author --escape ' +
      '--color --dired --classify --file-type --format --full-time --group-directories-first --no-group ' +
      '--human-readable --si --indicator-style --inode --kibibytes --numeric-uid-gid --literal --quote-name --reverse ' +
      '--size --sort --time --time-style --width --block-size --context --zero',
  },
  tree: {
    follows: '-l',
    hidden: '-a',
    names: '-P -I --gitignore --prune --matchdirs --ignore-case',
    plain:
      '-d -f -i -x -L -p -u -g -s -h -D -F -q -N -Q -v -t -c -U -r -A -S -n -C -X -J --noreport --dirsfirst --filelimit --du ' +
      '--si --charset --timefmt --sort -L1 -L2 -L3 -L4 -L5',
  },
  rg: {
    hidden: '--hidden -. --unrestricted -u',
    names:
      '-g --glob --iglob --glob-case-insensitive -t -T --type --type-not --ignore-file --no-ignore --no-ignore-vcs ' +
      '--no-ignore-parent --no-require-git',
    plain:
      '-A -B -C -E -F -H -I -M -N -P -S -U -V -a -b -c -e -f -h -i -l -m -n -o -p -q -r -s -v -w -x -0 -j -d --after-context ' +
      '--before-context --context --case-sensitive --color --column --count --count-matches --encoding --engine --files ' +
      '--files-with-matches --files-without-match --fixed-strings --heading --no-heading --ignore-case --invert-match ' +
      '--json --line-number --no-line-number --line-regexp --max-columns --max-columns-preview --max-count --max-depth ' +
      '--maxdepth --max-filesize --multiline --multiline-dotall --no-config --no-filename --no-messages --null ' +
      '--null-data --only-matching --passthru --pcre2 --pretty --quiet --regexp --replace --smart-case --sort --sortr ' +
      '--stats --text --threads --trim --type-list --version --vimgrep --with-filename --word-regexp --one-file-system ' +
      '--context-separator --crlf --debug --binary --file',
  },
  diff: {
    // Without this one it follows links.
    follows: '--no-dereference',
    deep: '-r --recursive',
    names: '-x --exclude',
    plain:
      '-q -s -c -C -u -U -e -n -y -W -p -F -t -T -a -b -B -d -E -i -I -N -w -Z --brief --report-identical-files --context ' +
      '--unified --ed --rcs --side-by-side --width --show-c-function --expand-tabs --minimal --speed-large-files ' +
      '--ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space ' +
      '--ignore-blank-lines --ignore-matching-lines --text --strip-trailing-cr --new-file --color ' +
      '--suppress-common-lines --left-column --label -L',
  },
  du: {
    follows: '-L -D -H',
    names: '--exclude',
    shows: '-a --all',
    plain:
      '-0 -b -B -c -d -h -k -l -m -P -s -S -t -x --apparent-size --block-size --bytes --total --max-depth --human-readable ' +
      '--si --summarize --one-file-system --time --threshold --inodes',
  },
};

/** Programs that may take a directory with everything in it, to copy, pack or send it. */
export const wholeTakers: ReadonlySet<string> = new Set(
  'cp mv rsync install scp sftp tar bsdtar zip 7z 7za 7zr rar ar pax gzip bzip2 xz zstd lz4 shred'.split(' '),
);

/** Programs that, with the option `-r`, replace every file below a directory, and have no table here. */
export const wholeReplacers: ReadonlySet<string> = new Set(
  'zstd unzstd zstdmt lz4 unlz4 pigz unpigz brotli'.split(' '),
);

/** Programs that read in every directory, and in those above, what they skip. */
export const heeding: ReadonlySet<string> = new Set(
  'rg fd fdfind tree ag ack ack-grep ugrep ug sift pt'.split(' '),
);

/** Programs that search everything below and have no table here. */
export const otherSearchers: ReadonlySet<string> = new Set(
  'ag ack ack-grep ugrep ug rgrep pcregrep pcre2grep sift pt ucg zipgrep'.split(' '),
);
