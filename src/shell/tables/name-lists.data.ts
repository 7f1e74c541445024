/**
 * Options by which a program takes names of files, or further options that name some, out of a file or from its input. What it
 * reads is then not in the text. Long ones count abbreviated as well.
 */
export const nameLists: Readonly<Record<string, string>> = {
  tar: '-T --files-from',
  bsdtar: '-T --files-from',
  rsync: '--files-from',
  sort: '--files0-from',
  zip: '-@ --names-stdin',
  cpio: '-o -p --create --pass-through',
  pax: '-w',
  xz: '--files --files0',
  curl: '-K --config',
  wget: '-i --input-file -e --execute --config',
  file: '-f --files-from',
  xargs: '-a --arg-file',
  parallel: '-a --arg-file',
  aria2c: '-i --input-file',
};
