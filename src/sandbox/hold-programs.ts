import { systemClock } from '../lib/clock.ts';
import { RealPlaces } from '../lib/files/real-places.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import type { OwnPlaces } from '../workspace/running-commands.ts';
import { programPlaces } from '../workspace/search-path.ts';
import { findSystemProgram } from './bwrap/find-program.ts';

/** Long enough for a busy machine; where it is not, git is run as if there were no such program. */
const maxTrialMs = 10_000;

/**
 * The words before a program that let it write at some places only, or read at some only, whatever links lead out of those: a
 * process outside can put one there and take it away while the program runs. It has all else of this process: network, rights.
 * Undefined where this machine has no such way, as a trial shows.
 */
export async function openHold(): Promise<((places: OwnPlaces) => string[]) | undefined> {
  const program = process.platform === 'linux' ? findSystemProgram('bwrap', undefined) : undefined;
  if (program === undefined) return undefined;
  const hold = (places: OwnPlaces) => [
    ...[program, '--die-with-parent', ...chooseView(places), '--dev-bind', '/dev', '/dev'],
    // Without a name space for users root keeps its rights only so.
    ...(process.geteuid?.() === 0 ? ['--cap-add', 'ALL'] : []),
    ...places.open.flatMap((path) => ['--bind', path, path]),
    ...places.closed.flatMap((path) => ['--ro-bind', path, path]),
    ...['--', ...verifyFirst(places)],
  ];
  const [file = '', ...args] = hold({ open: [], closed: [] });
  const trial = await spawnOwned({
    ...{ file, args: [...args, '/bin/sh', '-c', ': > /dev/null'], cwd: '/', env: {}, owner: 'cadre' },
    ...{ clock: systemClock, output: () => {}, timeoutMs: maxTrialMs },
  }).ended;
  return trial.code === 0 ? hold : undefined;
}

function chooseView({ shown }: OwnPlaces): string[] {
  if (!shown) return ['--ro-bind', '/', '/'];
  return [...programPlaces, ...shown].flatMap((path) => ['--ro-bind-try', path, path]);
}

/** `bwrap` mounts by name: what is there must be what was there when the names were found to be real. */
function verifyFirst({ open, shown = [] }: OwnPlaces): string[] {
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
