import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in which every change, anywhere, is found below `upper`; what lies below it stays as it is. */
export interface Overlay {
  root: string;
  upper: string;
  remove(): void;
}

/** `lower` are layers, the topmost first. Only in a mount name space that goes with this process. */
export function layOverlay(base: string, lower: readonly string[]): Overlay {
  const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [upper, work, root]) mkdirSync(path, { recursive: true });
  const layers = `lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work}`;
  mount('-t', 'overlay', 'overlay', '-o', layers, root);
  return { root, upper, remove: () => execFileSync('umount', ['-l', root]) };
}

/** Real file systems beside the root have no layer here, and must not be reached. */
export function otherFileSystems(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [before = '', after = ''] = line.split(' - ');
      const place = before.split(' ')[4] ?? '';
      const kind = after.split(' ')[0] ?? '';
      const isReal = /^(?:ext[234]|xfs|btrfs|zfs|f2fs|nfs4?|fuse.*|9p|virtiofs)$/.test(kind);
      return isReal && place !== '/' ? [place] : [];
    });
}

export function mountTmpfs(place: string): void {
  mount('-t', 'tmpfs', '-o', 'mode=0755', 'tmpfs', place);
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * The inside of a machine: own processes, network, IPC and host name, the overlay as its root, and devices that
 * are no hardware. Everything but `/proc/sys` is apart from this machine; the warden watches that.
 */
export const enterMachine = `
set -e
root=$1; shift
cd "$root"
for one in $CADRE_CLOSED; do [ ! -d ".$one" ] || mount -t tmpfs -o ro tmpfs ".$one"; done
mount -t tmpfs -o mode=0755 tmpfs dev
for one in null zero full random urandom tty; do touch dev/$one; mount --bind /dev/$one dev/$one; done
mkdir dev/shm dev/pts; chmod 1777 dev/shm
ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts; ln -s pts/ptmx dev/ptmx
mount -t proc proc proc
mount -t sysfs sysfs sys
mkdir -p .before
pivot_root . .before
umount -l .before
rmdir .before
ip link set lo up
# Not by exec: the first process of a machine has to clear away those that lost their parent.
"$@"
exit $?
`;
