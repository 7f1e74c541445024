/**
 * Options with which a program reads file names, or further options that name some, from a file or its input, or a file of
 * the user's home. The files it reads are then not in the text. Abbreviated long options are included.
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
  curl: '-K --config -n --netrc --netrc-optional',
  wget: '-i --input-file -e --execute --config',
  file: '-f --files-from',
  xargs: '-a --arg-file',
  parallel: '-a --arg-file',
  aria2c: '-i --input-file',
};
