import { existsSync, readFileSync } from 'node:fs';

/**
 * The consequences of running as root on a machine; undefined for other users, and in a container, which confines by itself.
 */
export function explainRoot(
  isRoot: boolean,
  isConfined: boolean,
  isContained: () => boolean = isInContainer,
): string | undefined {
  if (!isRoot || isContained()) return undefined;
  return isConfined
    ? `Cadre is running as root outside a container. ${inSandbox} ${advice}`
    : `Cadre is running as root outside a container, and nothing confines shell commands. ${advice}`;
}

const inSandbox =
  'To the kernel, a confined command is still root: only the sandbox protects the machine, not the limits of a user account, and a command that runs outside the sandbox may change anything.';
const advice = 'Run Cadre as an ordinary user, or in a container.';

/** By the marks that container runtimes leave, and by a root that is another user outside. */
function isInContainer(): boolean {
  return (
    ['/.dockerenv', '/run/.containerenv', '/run/host/container-manager'].some(existsSync) ||
    /docker|kubepods|lxc|containerd|podman/.test(readTextOrEmpty('/proc/1/cgroup')) ||
    /(?:^|\0)container=/.test(readTextOrEmpty('/proc/1/environ')) ||
    !/^\s*0\s+0\s+4294967295\s*$/.test(readTextOrEmpty('/proc/self/uid_map') || '0 0 4294967295')
  );
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
