/** Tests and actions of find that only read, with the number of words they take. */
export const findPrimaries: ReadonlyMap<string, number> = new Map([
  ...[
    '-a',
    '-o',
    '-and',
    '-or',
    '-not',
    '!',
    '(',
    ')',
    ',',
    '-true',
    '-false',
    '-print',
    '-print0',
    '-ls',
  ].map(none),
  ...[
    '-prune',
    '-quit',
    '-depth',
    '-d',
    '-mount',
    '-xdev',
    '-empty',
    '-daystart',
    '-noleaf',
    '-readable',
  ].map(none),
  ...['-writable', '-executable', '-nouser', '-nogroup', '-ignore_readdir_race', '-P'].map(none),
  ...[
    '-name',
    '-iname',
    '-path',
    '-ipath',
    '-wholename',
    '-iwholename',
    '-regex',
    '-iregex',
    '-regextype',
  ].map(one),
  ...['-type', '-xtype', '-size', '-mtime', '-mmin', '-atime', '-amin', '-ctime', '-cmin', '-newer'].map(one),
  ...[
    '-anewer',
    '-cnewer',
    '-newermt',
    '-newerct',
    '-newerat',
    '-maxdepth',
    '-mindepth',
    '-perm',
    '-user',
  ].map(one),
  ...['-group', '-uid', '-gid', '-links', '-inum', '-samefile', '-lname', '-ilname', '-printf', '-used'].map(
    one,
  ),
]);

function none(name: string): [string, number] {
  return [name, 0];
}

function one(name: string): [string, number] {
  return [name, 1];
}
