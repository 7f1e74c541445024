/** Programs that others start by their names, through the search path. */
export const startedPrograms: Readonly<Record<string, readonly string[]>> = {
  diff3: ['diff'],
  egrep: ['grep'],
  fgrep: ['grep'],
  gunzip: ['gzip'],
  // For an archive that is compressed.
  tar: ['bzip2', 'compress', 'gzip', 'lzip', 'lzma', 'lzop', 'xz', 'zstd'],
  // The one that is written in Python.
  yq: ['jq'],
  zcat: ['gzip'],
};
