import { parseDomain } from '../../lib/hosts.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { ConfinedLaunch, Launch, Sandbox } from '../../protocol/sandbox.ts';
import { privatePath } from '../temporary.ts';
import { type BwrapOptions, bwrapSandbox, type Mounts, prepareMounts, runQuietly } from './bwrap.ts';
import { behindGate } from './gate.ts';
import { outerProcessFiles, processFiles } from './mounts.ts';
import { type DomainLists, type DomainProxy, startProxy } from './proxy.ts';
import { enterVerified } from './verify-mounts.ts';

export interface NetworkOptions extends BwrapOptions {
  socat: string;
}

const port = 3128;
/** The path of the proxy's socket inside. */
const socketInside = `${privatePath}/.proxy`;

/**
 * The same with listed hosts. There is still no network but loopback; on it `socat` forwards to our proxy's socket. It must
 * open that socket, which the command must not: so the command runs in a second, inner sandbox with the filter, its own
 * processes, and none of the privileges with which the outer one was made.
 */
export function networkSandbox(options: NetworkOptions): Sandbox {
  const plain = bwrapSandbox(options);
  /** By the hosts that they let through. */
  const proxies = new Map<string, Promise<Result<DomainProxy>>>();
  const shareProxy = (lists: DomainLists) => {
    const key = JSON.stringify([lists.allowed, lists.denied]);
    const proxy = proxies.get(key) ?? startProxy(lists);
    proxies.set(key, proxy);
    return proxy;
  };
  return {
    name: 'bwrap with listed hosts',
    program: options.program,
    shape: () => JSON.stringify([plain.shape?.(), outer, inner, bridge]),
    probe: () => probe(options),
    async confine(launch, policy) {
      if (policy.network === 'none') return plain.confine(launch, policy);
      const started = await shareProxy(policy.network);
      if (!started.ok) return started;
      const inner = await plain.confine(launch, policy);
      if (!inner.ok) return inner;
      const mounts = await prepareMounts(options, launch, policy, outerProcessFiles);
      return mounts.ok
        ? ok(
            nested(options, launch, enterVerified(policy, launch), mounts.value, inner.value, {
              socket: started.value.path,
              unproxied: listUnproxied(policy.network.allowed),
            }),
          )
        : mounts;
    },
    close() {
      for (const proxy of proxies.values()) void proxy.then((started) => started.ok && started.value.close());
    },
  };
}

/**
 * Both die together; the outer one keeps the privileges that are needed to make the inner one, and the inner one drops them.
 */
const outer = ['--unshare-all', '--die-with-parent'];
const inner = [
  '--unshare-pid',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  ...['--dev-bind', '/', '/', ...processFiles],
];

/** Waits until the port is listening. */
const bridge = [
  `"$0" TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${socketInside} 3<&- >/dev/null 2>&1 &`,
  'tries=0',
  `until "$0" -u OPEN:/dev/null TCP4:127.0.0.1:${port} >/dev/null 2>&1 || [ $tries -ge 100 ]`,
  'do tries=$((tries + 1)); sleep 0.01; done',
  'exec "$@"',
].join('\n');

function nested(
  { program, socat }: NetworkOptions,
  { cwd }: Launch,
  entered: readonly string[],
  mounts: Mounts,
  plain: ConfinedLaunch,
  { socket, unproxied }: { socket: string; unproxied: string },
): ConfinedLaunch {
  const command = ['--chdir', cwd, '--seccomp', '3', '--', ...entered];
  const proxy = `http://127.0.0.1:${port}`;
  const [filter] = plain.files;
  return {
    ...plain,
    files: [...(filter ? [filter] : []), ...mounts.files],
    release() {
      plain.release?.();
      mounts.release?.();
    },
    args: [
      ...[...outer, ...mounts.args, '--ro-bind', socket, socketInside],
      ...['--', ...behindGate(plain.gate, ['/bin/sh', '-c', bridge, socat, program, ...inner, ...command])],
    ],
    env: {
      ...plain.env,
      ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: unproxied },
      ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: unproxied },
      NODE_USE_ENV_PROXY: '1',
    },
  };
}

/** The names of a command's own loopback, but for those that the user listed, which mean this machine outside. */
function listUnproxied(allowed: readonly string[]): string {
  const listed = allowed.flatMap((text) => parseDomain(text) ?? []).filter(({ below }) => !below);
  return ['localhost', '127.0.0.1', '::1']
    .filter((name) => !listed.some((one) => one.name === name))
    .join(',');
}

async function probe({ program }: NetworkOptions): Promise<Result<void>> {
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', ...outerProcessFiles, '--tmpfs', privatePath];
  const said = await runQuietly(program, [
    ...outer,
    ...mounts,
    '--',
    program,
    ...inner,
    '--',
    '/bin/sh',
    '-c',
    ':',
  ]);
  return said === undefined
    ? ok(undefined)
    : failure(
        `${program} cannot be run inside itself here (${said}), which sandbox.network.allowedDomains needs.`,
        'Most likely user namespaces are restricted on this system. Without allowedDomains it may work.',
      );
}
