import { systemClock } from '../lib/clock.ts';
import { RealPlaces } from '../lib/files/real-places.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import type { OwnPlaces } from '../workspace/running-commands.ts';
import { programPlaces } from '../workspace/search-path.ts';
import { findSystemProgram } from './bwrap/find-program.ts';
import { mountsHere } from './bwrap/verify-mounts.ts';
import { isBelow } from './guard/look.ts';

/** Long enough for a busy machine; where it is not, git is run as if there were no such program. */
const maxTrialMs = 10_000;

type Hold = (places: OwnPlaces) => string[];

/**
 * The words before a program that let it write at some places only, or read at some only, whatever links lead out of those: a
 * process outside can put one there and take it away while the program runs. It has all else of this process: network, rights.
 * Undefined where this machine has no such way, as a trial shows.
 */
export async function openHold(): Promise<Hold | undefined> {
  const program = process.platform === 'linux' ? findSystemProgram('bwrap', undefined) : undefined;
  if (program === undefined) return undefined;
  const follow: Hold = (places) => hold(program, { ...places, linkless: undefined });
  const refuse: Hold = (places) => hold(program, places);
  const nowhere = { open: [], closed: [] };
  // Before Linux 5.10 and util-linux 2.38 links are followed within the work tree.
  if (await works(refuse({ ...nowhere, shown: ['/etc'], linkless: '/etc' }))) return refuse;
  return (await works(follow(nowhere))) ? follow : undefined;
}

interface Places extends Omit<OwnPlaces, 'linkless'> {
  linkless?: string | undefined;
}

function hold(program: string, places: Places): string[] {
  // Without a name space for users root keeps its rights only so.
  const rights = process.geteuid?.() === 0 ? 'ALL' : places.linkless && 'CAP_SYS_ADMIN';
  return [
    ...[program, '--die-with-parent', ...chooseView(places), '--dev-bind', '/dev', '/dev'],
    ...(rights ? ['--cap-add', rights] : []),
    ...places.open.flatMap((path) => ['--bind', path, path]),
    ...places.closed.flatMap((path) => ['--ro-bind', path, path]),
    ...['--', ...refuseLinks(places), ...verifyFirst(places)],
  ];
}

async function works([file = '', ...args]: string[]): Promise<boolean> {
  const trial = await spawnOwned({
    ...{ file, args: [...args, '/bin/sh', '-c', ': > /dev/null'], cwd: '/', env: {}, owner: 'cadre' },
    ...{ clock: systemClock, output: () => {}, timeoutMs: maxTrialMs },
  }).ended;
  return trial.code === 0;
}

/** No link is followed below that mount from then on; git and `cp` only read where they lead. */
function refuseLinks({ linkless, open }: Places): string[] {
  if (linkless === undefined) return [];
  const options = findMountOptions(linkless);
  // The kernel lets an ordinary user change none of these.
  const kept = options.filter((one) => ['ro', 'noexec', 'noatime', 'nodiratime', 'relatime'].includes(one));
  const times = options.includes('noatime') || options.includes('relatime') ? [] : ['strictatime'];
  const access = open.includes(linkless) ? [] : ['ro'];
  const wanted = new Set([
    ...['remount', 'bind', 'nosuid', 'nodev', 'nosymfollow'],
    ...[...kept, ...times, ...access],
  ]);
  const script = 'command -p mount -n -o "$1" none "$2" || exit 125; shift 2; exec "$@"';
  return ['/bin/sh', '-c', script, 'hold', [...wanted].join(','), linkless];
}

/** Of the mount that a path is on. */
function findMountOptions(path: string): string[] {
  const around = mountsHere().filter(({ place }) => isBelow(path, place));
  const depth = Math.max(...around.map(({ place }) => place.length));
  // The last one that was mounted there covers the others.
  return around.findLast(({ place }) => place.length === depth)?.options.split(',') ?? [];
}

function chooseView({ shown }: Places): string[] {
  if (!shown) return ['--ro-bind', '/', '/'];
  return [...programPlaces, ...shown].flatMap((path) => ['--ro-bind-try', path, path]);
}

/** `bwrap` mounts by name: what is there must be what was there when the names were found to be real. */
function verifyFirst({ open, shown = [] }: Places): string[] {
  const places = new RealPlaces();
  try {
    const found = [...new Set([...shown, ...open])].flatMap((path) => {
      const seen = places.look(path);
      return seen.state === 'found' ? [{ path, identity: `${seen.value.dev}:${seen.value.ino}` }] : [];
    });
    if (found.length === 0) return [];
    const paths = found.map(({ path }) => path);
    const identities = found.map(({ identity }) => `${identity}\n`).join('');
    return ['/bin/sh', '-c', verifyScript, 'hold', `${paths.length}`, identities.trimEnd(), ...paths];
  } finally {
    places.close();
  }
}

const verifyScript = `count=$1 wanted=$2; shift 2
[ "$(at=0; for one do [ $at -lt $count ] || break; at=$((at + 1)); stat -c %d:%i -- "$one"; done)" = "$wanted" ] ||
{ echo 'A directory was moved or replaced meanwhile: try again.' >&2; exit 125; }
shift $count; unset count wanted; exec "$@"`;
