import type { ProgramSpec, ToolTable } from '../programs/tool-spec.ts';

const encoding: ProgramSpec = {
  why: 'Prints a file as text, or the other way round.',
  flags: '-d -i -w# --decode --ignore-garbage --wrap#',
  operands: 'paths',
};

const unpack = (why: string, flags: string): ProgramSpec => ({ why, flags, operands: 'paths' });

/** Without one of these suffixes gzip looks for the name with a suffix, which may be a link to anywhere. */
const gzipName = /\.(?:gz|tgz|taz|Z|z)$/;
/** Unzip reads these as its own patterns. */
const plainName = /^[^*?[\]\\]+$/;
const zipEndings = ['.zip', '.ZIP'];

const gzip: ProgramSpec = {
  ...unpack(
    'Only to the output, as a test or as a list: otherwise it replaces files. -S looks for other names, -r in directories.',
    '-c -d -k -f -l -t -q -v -1 -9 --stdout --to-stdout --decompress --uncompress --keep --force --list --test --quiet --verbose',
  ),
  requires: '-c --stdout --to-stdout -l --list -t --test',
  named: gzipName,
};

const bzip2: ProgramSpec = {
  ...unpack(
    'Only to the output: otherwise it replaces files. Of -t and -d the last one wins.',
    '-c -d -k -q -v -s --stdout --decompress --keep --quiet --verbose',
  ),
  letters: 'separate',
  requires: '-c --stdout',
};

const xz: ProgramSpec = {
  ...unpack(
    'Only to the output: otherwise it replaces files. Of -t, -l and -d the last one counts. --files reads names out of a file.',
    '-c -d -k -q -v --stdout --to-stdout --decompress --keep --quiet --verbose',
  ),
  requires: '-c --stdout --to-stdout',
};

/** Tools that list and print packed or encoded content. Each entry has a test. */
export const archiveTools: ToolTable = {
  tar: {
    why: 'Only -t lists. Every way to extract, create or run a program is left out; a colon names another machine.',
    flags: '-t -v -z -j -J -f< --list --file< --verbose --gzip --bzip2 --xz',
    requires: '-t --list',
    values: { '-f': /^[^:]+$/, '--file': /^[^:]+$/ },
    // Names of entries in the archive.
    operands: 'text',
  },
  unzip: {
    why: 'Only -l, -v and -Z list, -t tests, -p prints. It expands its own patterns in the names of the archive and its entries.',
    flags: '-l -v -Z -1 -q -p -t',
    letters: 'separate',
    requires: '-l -v -Z -p -t',
    ordered: true,
    operands: 'paths',
    most: 20,
    named: plainName,
    endings: zipEndings,
  },
  zipinfo: {
    why: 'Lists an archive.',
    flags: '-1 -2 -s -m -l -v -h -t -z',
    letters: 'separate',
    ordered: true,
    operands: 'paths',
    most: 1,
    named: plainName,
    endings: zipEndings,
  },
  base64: encoding,
  base32: encoding,
  gzip,
  gunzip: gzip,
  zcat: {
    ...unpack(
      'Prints what is packed in files. Some take the name for one without its ending.',
      '-f -q -v --force --quiet --verbose',
    ),
    named: gzipName,
    endings: ['.Z'],
  },
  bzip2,
  bunzip2: bzip2,
  bzcat: { ...unpack('Prints what is packed in files.', '-q -s -v'), letters: 'separate' },
  xz,
  unxz: xz,
  xzcat: unpack('Prints what is packed in files.', '-q -v --quiet --verbose'),
  zstdcat: unpack(
    'Prints what is packed in files. -o, --rm and --trace write, -D, -r and --filelist read others; they are left out.',
    '-q -v --quiet --verbose',
  ),
};
