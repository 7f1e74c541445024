import type { SandboxManager as Manager } from '@anthropic-ai/sandbox-runtime';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import type { ConfinedLaunch, Launch, Sandbox, SandboxPolicy } from '../../protocol/sandbox.ts';

export interface RuntimeOptions {
  /** For all sessions of this process: the package has one network for all of them. */
  lists: { allowed: readonly string[]; denied: readonly string[] };
  localBinding: boolean;
}

/**
 * For systems without bubblewrap (macOS): `@anthropic-ai/sandbox-runtime`, which writes a profile for the system's own
 * sandbox. Kept thin. Any warning from it is treated as "does not work".
 */
export function runtimeSandbox(options: RuntimeOptions): Sandbox {
  let started: Promise<Result<typeof Manager>> | undefined;
  const manager = () => {
    started ??= start(options);
    return started;
  };
  return {
    name: 'sandbox-runtime',
    async probe() {
      const works = await manager();
      return works.ok ? ok(undefined) : works;
    },
    async confine(launch, policy) {
      const works = await manager();
      return works.ok ? wrap(works.value, launch, policy) : works;
    },
    close() {
      void started?.then((works) => (works.ok ? works.value.reset() : undefined)).catch(() => {});
    },
  };
}

async function start({ lists, localBinding }: RuntimeOptions): Promise<Result<typeof Manager>> {
  try {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
    if (!SandboxManager.isSupportedPlatform()) return failure('There is no sandbox for this system.');
    const { errors, warnings } = await SandboxManager.checkDependenciesAsync();
    const [problem] = [...errors, ...warnings];
    if (problem !== undefined) return failure(`The system sandbox is incomplete: ${problem}`);
    await SandboxManager.initialize({
      network: {
        allowedDomains: [...lists.allowed],
        deniedDomains: [...lists.denied],
        allowLocalBinding: localBinding,
      },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    });
    return ok(SandboxManager);
  } catch (error) {
    return failure(`The system sandbox does not work: ${formatError(error)}`);
  }
}

async function wrap(
  manager: typeof Manager,
  launch: Launch,
  policy: SandboxPolicy,
): Promise<Result<ConfinedLaunch>> {
  const paths = (access: string) =>
    policy.paths.filter((entry) => entry.access === access).map(({ path }) => path);
  const command = [launch.file, ...launch.args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  try {
    const { argv, env } = await manager.wrapWithSandboxArgv(
      command,
      '/bin/bash',
      {
        filesystem: {
          allowWrite: [...paths('write'), policy.temporary],
          denyWrite: [...paths('read'), ...paths('none')],
          denyRead: paths('none'),
          // The more exact entry wins, in either direction.
          allowRead: [...paths('read'), ...paths('write'), policy.temporary],
        },
      },
      undefined,
      launch.cwd,
    );
    const [file, ...args] = argv;
    if (file === undefined) return failure('The system sandbox returned no command.');
    // Only the network variables it adds are used: the rest is this process's own environment.
    const proxies = Object.entries(env).filter(([name]) => /_proxy$/i.test(name));
    return ok({
      file,
      args,
      cwd: launch.cwd,
      env: {
        ...launch.env,
        ...Object.fromEntries(proxies.map(([name, value]) => [name, value ?? ''])),
        TMPDIR: policy.temporary,
      },
      files: [],
      release: () => manager.cleanupAfterCommand(),
    });
  } catch (error) {
    return failure(`The command cannot be confined: ${formatError(error)}`);
  }
}
