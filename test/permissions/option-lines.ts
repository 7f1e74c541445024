import { knownFlags, type OptionKind } from '../../src/shell/programs/option-words.ts';
import type { ProgramSpec, ToolTable } from '../../src/shell/programs/tool-spec.ts';
import { builtins } from '../../src/shell/tables/builtins.data.ts';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { gitCommands, gitListings } from '../../src/shell/tables/git.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';

/** What a tool is given besides the option; `FILE` alone where nothing is said. */
const operands: Readonly<Record<string, string>> = {
  ...{ grep: 'one a.txt', egrep: 'one a.txt', fgrep: 'one a.txt', rg: 'one .', fd: 'a .', fdfind: 'a .' },
  ...{ ls: '.', tree: '.', du: '.', df: '.', tr: 'a b', jq: '. a.json', yq: '. a.json', sed: 'p a.txt' },
  ...{
    awk: "'{print $1}' a.txt",
    tar: '-tf a.tgz',
    unzip: '-l a.zip',
    gzip: '-c b.txt.gz',
    gunzip: '-c b.txt.gz',
  },
  ...{ zcat: 'b.txt.gz', bzip2: '-c b.txt', bunzip2: '-c b.txt', xz: '-c b.txt', unxz: '-c b.txt', seq: '2' },
  ...{
    comm: 'a.txt b.txt',
    diff: 'a.txt b.txt',
    cmp: 'a.txt b.txt',
    join: 'a.txt b.txt',
    pgrep: 'no-such-name',
  },
  ...{
    uname: '',
    id: '',
    hostname: '',
    uptime: '',
    ss: '',
    free: '',
    nproc: '',
    arch: '',
    whoami: '',
    tty: '',
    date: '',
  },
  ...{ lscpu: '', lsblk: '', locale: '', cal: '', groups: '', getconf: 'PAGE_SIZE', which: 'ls', sleep: '0' },
  ...{ expr: '1', factor: '6', basename: 'a/b', dirname: 'a/b' },
};

export function operandsFor(name: string): string {
  return operands[name] ?? 'a.txt';
}

const gitOperands: Readonly<Record<string, string>> = {
  ...{ blame: 'a.txt', annotate: 'a.txt', grep: 'one', 'cat-file': 'HEAD', 'ls-tree': 'HEAD', stash: 'list' },
  ...{
    'merge-base': 'HEAD HEAD',
    'name-rev': 'HEAD',
    'diff-tree': 'HEAD',
    'diff-index': 'HEAD',
    worktree: 'list',
  },
  ...{
    'check-ignore': 'a.txt',
    'check-attr': 'text a.txt',
    'symbolic-ref': 'HEAD',
    'rev-list': 'HEAD',
    log: 'HEAD',
  },
  ...{
    'range-diff': 'HEAD HEAD HEAD',
    'rev-parse': 'HEAD',
    'check-ref-format': 'refs/heads/a',
    var: 'GIT_AUTHOR_IDENT',
  },
  ...{ shortlog: 'HEAD', show: 'HEAD', config: '--list' },
};

/** Part of the shell, or without an end. */
const left =
  /^(?:cd|type|read|echo|true|false|:|break|continue|exit|return|shift|wait|set|pwd|unzip|zipinfo)$/;
const endless = /^tail (?:-f|-F|--follow|--retry)\b/;

/** Each tool with each of its options; those that several names share are run with the first of them. */
export function optionLines(): string[] {
  const seen = new Set<ProgramSpec>();
  const tools = [fileTools, textTools, builtins].flatMap((table) =>
    Object.entries(table).flatMap(([name, spec]) => {
      const lines = left.test(name) ? [] : linesOf(name, spec, operandsFor(name));
      const most = seen.has(spec) ? 2 : (startsSlowly[name] ?? lines.length);
      seen.add(spec);
      return lines.slice(0, most);
    }),
  );
  return [...tools, ...gitLines()].filter((line) => !endless.test(line));
}

const startsSlowly: Readonly<Record<string, number>> = { yq: 6, shasum: 6 };
const shared = 'log show shortlog reflog diff diff-files diff-tree diff-index range-diff rev-list stash';

function gitLines(): string[] {
  const seen = new Set<string>();
  const all: ToolTable = { ...gitCommands, ...gitListings };
  return Object.entries(all).flatMap(([name, spec]) =>
    linesOf(`git ${name}`, spec, gitOperands[name] ?? '').filter((line) => {
      if (!shared.split(' ').includes(name)) return true;
      const option = line.split(' ')[2] ?? '';
      return !seen.has(option) && seen.add(option);
    }),
  );
}

function linesOf(name: string, spec: ProgramSpec, rest: string): string[] {
  const options = [...knownFlags(spec)].flatMap(([flag, kind], index) => forms(flag, kind, spec, index));
  // A subcommand stands before its options.
  const isFirst = /^(?:git (?:stash|worktree))$/.test(name);
  return ['', ...options].map((option) =>
    [name, ...(isFirst ? [rest, option] : [option, rest])].filter((word) => word !== '').join(' '),
  );
}

/** With its value joined or as the next word, in turn. */
function forms(flag: string, kind: OptionKind, spec: ProgramSpec, index: number): string[] {
  const value = valueFor(flag, kind, spec);
  const isLong = flag.startsWith('--');
  const joined = isLong ? `${flag}=${value}` : `${flag}${value}`;
  if (kind === 'plain') return [flag];
  if (kind === 'optional') return index % 2 === 0 ? [flag] : [joined];
  // Were it not the value, it would be a file to open.
  if (kind === 'value' && !spec.values?.[flag]) return [`${flag} ../secret`, joined];
  return index % 2 === 0 || (spec.letters === 'separate' && !isLong) ? [`${flag} ${value}`] : [joined];
}

function valueFor(flag: string, kind: OptionKind, spec: ProgramSpec): string {
  if (kind === 'file') return 'b.txt';
  if (kind === 'number') return '1';
  return (
    ['1', 'all', 'read', 'json', 'pipefail'].find((one) => spec.values?.[flag]?.test(one) ?? true) ?? '1'
  );
}
