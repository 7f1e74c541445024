import { archiveTools } from './archive-tools.data.ts';
import { textTools } from './text-tools.data.ts';
import { aDate } from './value-forms.ts';
import { viewingTools } from './viewing-tools.data.ts';

/** How the operands of a program that writes are used. */
export type Operands =
  /** Read. */
  | 'read'
  /** Written. */
  | 'write'
  /** Changed with everything below. */
  | 'whole'
  /** Changed where it is, with everything below. */
  | 'altered'
  /** The first is read, the second written. */
  | 'in-out'
  /** The first is written, the others are read. */
  | 'out-in'
  /** The last is the destination of the others. */
  | 'into'
  /** Replaced by a file with another suffix. */
  | 'packed'
  /** No files. */
  | 'text';

export interface Writer {
  /** Options with which every file it touches is in the text, as in a `ToolSpec`. All others are asked about. */
  readonly flags: string;
  readonly operands: Operands;
  readonly values?: Readonly<Record<string, RegExp>>;
  readonly letters?: 'getopt' | 'leading' | 'separate';
  readonly ordered?: true;
  /** The form of every operand, where it is the beginning of names that are written. */
  readonly named?: RegExp;
  /** The form of every operand but the last: others are on another machine, which chooses the names that are written. */
  readonly local?: RegExp;
  /** Options with which operands are used differently. */
  readonly unless?: { readonly flags: string; readonly operands: Operands };
}

const findSpec = (name: string) => textTools[name] ?? archiveTools[name] ?? viewingTools[name];
const base = (name: string) => findSpec(name)?.flags ?? '';

/** The options of a program that is also in a table of reading ones, with the forms of their values, and more. */
function like(name: string, more: string): Pick<Writer, 'flags' | 'values' | 'letters' | 'ordered'> {
  const { values, letters, ordered } = findSpec(name) ?? {};
  return {
    flags: `${base(name)} ${more}`,
    ...(values ? { values } : {}),
    ...(letters ? { letters } : {}),
    ...(ordered ? { ordered } : {}),
  };
}

const modes: Writer = {
  flags:
    '-R -v -c -f -h -r -w -x -X --recursive --verbose --changes --silent --quiet --no-dereference --reference<',
  operands: 'write',
  unless: { flags: '-R --recursive', operands: 'altered' },
};

const packing = (name: string, more = ''): Writer => ({
  flags: `${base(name)} -n --no-name -2 -3 -4 -5 -6 -7 -8 --fast --best ${more}`,
  operands: 'packed',
  unless: { flags: '-c --stdout --to-stdout -l --list -t --test', operands: 'read' },
});

const yq: Writer = {
  ...like('yq', '-i --inplace --in-place -n --null-input'),
  operands: 'read',
  unless: { flags: '-i --inplace --in-place', operands: 'write' },
};

/**
 * Programs that are known to write, or to run others, with some of their options and operands. A rule that allows the program
 * does not cover the files: they are judged like those of a redirection. With an option that is not here the command is asked
 * about, since the files it writes are unknown. Left out are options that run programs, read names from a file, or create
 * links.
 */
export const writers: Readonly<Record<string, Writer>> = {
  sort: {
    ...like(
      'sort',
      '-o> --output> -T> --temporary-directory> -S: --buffer-size: --batch-size# --random-source<',
    ),
    operands: 'read',
  },
  uniq: { ...like('uniq', ''), operands: 'in-out' },
  shuf: {
    ...like('shuf', '-e -o> --echo --output> --random-source<'),
    operands: 'read',
  },
  tee: { flags: '-a -i -p --append --ignore-interrupts --output-error?', operands: 'write' },
  truncate: {
    flags: '-c -o -s: -r< --no-create --io-blocks --size: --reference<',
    operands: 'write',
  },
  touch: {
    flags: '-a -c -m -h -f -d: -t: -r< --no-create --no-dereference --date: --time: --reference<',
    values: { '-d': aDate, '--date': aDate },
    operands: 'write',
  },
  mkdir: { flags: '-p -v -m: -Z --parents --verbose --mode:', operands: 'write' },
  rm: {
    flags:
      '-f -i -I -r -R -v -d --force --interactive? --recursive --verbose --dir --one-file-system --preserve-root?',
    operands: 'whole',
  },
  rmdir: { flags: '-v --verbose --ignore-fail-on-non-empty', operands: 'write' },
  unlink: { flags: '', operands: 'write' },
  shred: { flags: '-f -n# -u -v -x -z --force --iterations# --verbose --exact --zero', operands: 'write' },
  chmod: modes,
  chown: modes,
  chgrp: modes,
  mv: {
    flags:
      '-f -i -n -u -v -T --force --interactive --no-clobber --update? --verbose --no-target-directory --debug',
    operands: 'into',
  },
  cp: {
    flags:
      '-a -f -i -n -p -r -R -u -v -x -T -L -H --archive --force --interactive --no-clobber --preserve? --recursive ' +
      '--update? --verbose --one-file-system --no-target-directory --dereference --reflink? --sparse: --debug',
    operands: 'into',
  },
  rsync: {
    flags:
      '-a -r -v -n -z -h -q -u -t -p -P -c -i -m -W -x --archive --recursive --verbose --dry-run --compress --quiet ' +
      '--human-readable --update --times --perms --progress --stats --checksum --itemize-changes --exclude: --include: ' +
      '--prune-empty-dirs --whole-file --info: --no-owner --no-group --no-perms --no-times --size-only --delete --del ' +
      '--delete-before --delete-during --delete-delay --delete-after --delete-excluded --remove-source-files',
    operands: 'into',
    local: /^[^:]*(?:\/|$)/,
  },
  install: {
    flags:
      '-c -d -D -m: -o: -g: -p -v -C -T --compare --directory --mode: --owner: --group: --preserve-timestamps --verbose ' +
      '--no-target-directory',
    operands: 'into',
    unless: { flags: '-d --directory', operands: 'write' },
  },
  ln: {
    flags:
      '-s -f -i -n -r -T -v -L -P --symbolic --force --interactive --no-dereference --relative --no-target-directory ' +
      '--verbose --logical --physical',
    operands: 'into',
  },
  link: { flags: '', operands: 'into' },
  xxd: { ...like('xxd', '-r'), operands: 'in-out' },
  iconv: { ...like('iconv', '-o> --output>'), operands: 'read' },
  split: {
    flags:
      '-a# -b: -C: -d -e -l# -n: -u -x --bytes: --lines# --number: --numeric-suffixes? --suffix-length# --verbose',
    operands: 'in-out',
    named: /^(?:.*\/)?[^./][^/]*$/s,
  },
  gzip: packing('gzip', '-r --recursive'),
  gunzip: packing('gunzip', '-r --recursive'),
  bzip2: packing('bzip2', '-f -t -1 -9 --force --test'),
  bunzip2: packing('bunzip2', '-f -t --force --test'),
  xz: packing('xz', '-f -t -l -0 -1 -9 -e -T# --force --test --list --extreme --threads#'),
  unxz: packing('unxz', '-f -t -T# --force --test --threads#'),
  zip: {
    flags: '-r -q -v -j -X -u -y -0 -1 -2 -3 -4 -5 -6 -7 -8 -9',
    operands: 'out-in',
    letters: 'separate',
  },
  yq,
  mktemp: { flags: '-d -q -u -t -p> --directory --quiet --dry-run', operands: 'write' },
  sponge: { flags: '-a', operands: 'write' },
  mkfifo: { flags: '-m: --mode:', operands: 'write' },
};

/** Programs that read only files that their words name, and write nothing, whatever their options are. */
export const onlyReaders: ReadonlySet<string> = new Set(
  (
    'rev df printenv diff bc sum tsort hexdump md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum ' +
    'cksum jq zipinfo zcat bzcat xzcat zstdcat'
  ).split(' '),
);

/** Programs that write files whose names are not in the text, or are in no table here. */
export const unreadWriters: ReadonlySet<string> = new Set(
  (
    'patch csplit unzip 7z 7za cpio pax ar bsdtar unrar zstd unzstd lz4 rename ed ex vi vim nano emacs fd fdfind rg tree ' +
    'gawk mawk nawk scp sftp ditto mmv exch socat nc ncat aria2c mknod logrotate script'
  ).split(' '),
);
