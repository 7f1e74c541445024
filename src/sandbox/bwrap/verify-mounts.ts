import { readFileSync } from 'node:fs';
import { decodePath, showBytes } from '../../lib/files/exact-paths.ts';
import type { Launch, SandboxPolicy } from '../../protocol/sandbox.ts';
import { isBelow } from '../guard/look.ts';
import { privatePath } from '../temporary.ts';
import { behindGate, waitFirst } from './gate.ts';

/**
 * The words that become the command once everything is in place. `bwrap` mounts by path, and another sandboxed command that
 * runs at the same time can put a link in the place of a directory meanwhile; then something else would be mounted for
 * writing. So the first program inside checks all mounts, and continues only if everything writable is as intended. This
 * includes places named by descriptors: `bwrap` may mount what the descriptor's path leads to at that moment. With `gate` it
 * then waits there (`gate.ts`).
 */
export function enterVerified(
  policy: SandboxPolicy,
  { file, args }: Pick<Launch, 'file' | 'args'>,
  gate?: number,
): string[] {
  const lists = isAtRisk(policy) ? listMounts(policy) : undefined;
  const command = args.at(-1);
  if (file.endsWith('/bash') && args.at(-2) === '-c' && command !== undefined) {
    const first = [lists ? lookFirst(lists) : [], gate === undefined ? [] : waitFirst(gate)].flat();
    return [file, ...args.slice(0, -1), [...first, command].join(' ')];
  }
  const looked = lists
    ? ['/bin/sh', '-c', verifyScript, 'sandbox', ...lists, file, ...args]
    : [file, ...args];
  return behindGate(gate, looked);
}

/** Mounts that may be writable inside, that are covered there, and that are in memory: each a list of words. */
function listMounts(policy: SandboxPolicy): string[] {
  const mounts = mountsHere();
  return [writableOrigins(policy, mounts), coveredOnes(mounts), memoryDevices(mounts)].map((list) =>
    list.join('\n'),
  );
}

/** Only paths in a directory that commands can write can be replaced by one: in this sandbox, or in a repository's data. */
function isAtRisk({ paths }: SandboxPolicy): boolean {
  const writable = paths.filter(({ access }) => access === 'write');
  if (writable.some(({ path }) => path.includes('/.git/'))) return true;
  return writable.some(({ path }) =>
    writable.some((other) => other.path !== path && isBelow(path, other.path)),
  );
}

/**
 * Fields of a line: id, parent, device, root of the mount in its file system, mount point, options, more. None of them
 * contains a blank, so the lists are lists of words. Most lines are of read-only mounts, and are recognized at once.
 */
const judging = [
  'case $line in *" rw"[,\\ ]*" - "*) ;; *) continue ;; esac;',
  'set -- $line;',
  'case ,$6, in *,rw,*) ;; *) continue ;; esac;',
  'case $5 in /dev|/dev/*|/proc|/proc/*) case $line in',
  // The `/proc` of an outer sandbox is below the one that can be seen.
  '*"- tmpfs "*|*"- devpts "*|*"- devtmpfs "*|*"- mqueue "*|*"- proc "*) continue ;; esac ;; esac;',
  'case $line in *" - tmpfs "*) for one in $memory; do case $3 in "$one") one=; break ;; esac; done;',
  '[ -z "$one" ] || continue ;; esac;',
  'for one in $allowed; do case $3$4 in "$one"|"$one"/*) continue 2 ;; esac; done;',
  'for one in $covered; do case $3$4//$5 in "$one") continue 2 ;; esac; done;',
  'echo "bwrap: $5 is not what should be mounted there; nothing was run.',
  'Something was moved meanwhile: try again." >&2; exit 125;',
].join(' ');

/** Its memory and files must be out of reach inside: see `processFiles`. */
const firstIsGone =
  '[ ! -e /proc/1/stat ] || { echo "bwrap: /proc/1 is not covered; nothing was run." >&2; exit 125; };';

/** If nothing can be read, nothing is run. */
const verifyScript = `look() { allowed=$1 covered=$2 memory=$3 line=; set -f
while read -r line; do read=1; ${judging} done < /proc/self/mountinfo
[ "$read" ] || exit 125; set +f; }
${firstIsGone}
read=; look "$1" "$2" "$3"; shift 3
unset -f look; unset allowed covered memory line one read
exec "$@"`;

/**
 * The same for bash, which needs no other shell before it, and reads the list in one piece. On one line with the command, so
 * that the command's lines count from 1; in a function, so that environment variables with these names keep their values.
 */
function lookFirst(lists: readonly string[]): string {
  return [
    "cadre_look() { local IFS=$' \\t\\n' allowed=$1 covered=$2 memory=$3 mounts line one;",
    `set -f; mapfile -t mounts < /proc/self/mountinfo; [ "\${#mounts[@]}" -gt 0 ] || exit 125;`,
    `for line in "\${mounts[@]}"; do ${judging} done; set +f; };`,
    firstIsGone,
    `cadre_look ${lists.map(quoted).join(' ')}; unset -f cadre_look;`,
  ].join(' ');
}

/** The scripts that enter a command, to detect when they change. */
export const enterScripts = [verifyScript, lookFirst([]), waitFirst(9)];

/** On one line, whatever it contains. */
function quoted(text: string): string {
  // Bytes of exact paths are written in bash's syntax.
  const escaped = showBytes(text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n'));
  return `$'${escaped}'`;
}

interface Mount {
  device: string;
  /** The mounted part of its file system. */
  root: string;
  place: string;
  /** The type of the file system. */
  type: string;
  options: string;
}

/** Mounts that may be writable inside, as devices with paths on them. Mounts of the system within them are allowed too. */
function writableOrigins({ paths, temporary }: SandboxPolicy, mounts: readonly Mount[]): string[] {
  const writable = [temporary, ...paths.flatMap(({ path, access }) => (access === 'write' ? [path] : []))];
  const tops = writable.filter((path) => !writable.some((other) => other !== path && isBelow(path, other)));
  return [...new Set(tops)].flatMap((path) => {
    const around = mounts.findLast(({ place }) => isBelow(path, place));
    const within = mounts.filter(({ place }) => isBelow(place, path));
    const own = around ? [origin({ ...around, root: join(around, path) })] : [];
    return [...own, ...within.map(origin)];
  });
}

/** Mounts of the system that others cover, outside or inside: they are out of reach, and stay as they were. */
function coveredOnes(mounts: readonly Mount[]): string[] {
  const isOverInside = (place: string) => [privatePath, '/dev', '/proc'].some((over) => isBelow(place, over));
  return mounts
    .filter(
      ({ place }, index) =>
        isOverInside(place) || mounts.slice(index + 1).some((later) => isBelow(place, later.place)),
    )
    .map(({ device, root, place }) => `${device}${escaped(root)}//${escaped(place)}`);
}

/**
 * File systems in memory that this machine already has. Any other one is new, made by `bwrap` to hide a directory: anything
 * written there is lost with the command. The list is never empty.
 */
function memoryDevices(mounts: readonly Mount[]): string[] {
  return ['none', ...new Set(mounts.filter(({ type }) => type === 'tmpfs').map(({ device }) => device))];
}

function join({ root, place }: Mount, path: string): string {
  const rest = place === '/' ? path : path.slice(place.length);
  return `${root === '/' ? '' : root}${rest}`;
}

/** The root of a file system is written as the empty string, so that everything that begins with a slash is below it. */
function origin({ device, root }: Mount): string {
  return `${device}${escaped(root === '/' ? '' : root)}`;
}

/** Those of this process, outer ones first. */
export function mountsHere(): Mount[] {
  const lines = decodePath(readFileSync('/proc/self/mountinfo')).trimEnd().split('\n');
  return lines.map((line) => {
    const [, , device = '', root = '', place = '', options = ''] = line.split(' ');
    const [, type = ''] = / - (\S+)/.exec(line) ?? [];
    return { device, root: unescaped(root), place: unescaped(place), options, type };
  });
}

/** As the kernel escapes paths in that file. */
function escaped(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
}
