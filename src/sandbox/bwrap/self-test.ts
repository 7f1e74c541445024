import { closeSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { mkdirSync, openSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { holdPlace } from '../../lib/files/hold-directory.ts';
import { removeTree } from '../../lib/files/remove-tree.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { listKnown } from '../../lib/told.ts';
import type { ConfinedLaunch, Sandbox } from '../../protocol/sandbox.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { noDenials } from '../denials.ts';
import { listNames } from '../guard/look.ts';
import type { SandboxOptions } from '../options.ts';
import { planPolicy } from '../policy.ts';
import { ToolChainSecrets } from '../tool-chain-secrets.ts';
import { isListedInHome } from '../view.ts';
import { selfTestScript } from './self-test-script.ts';
import { buildSystemView } from './system-view.ts';

export type SelfTestOptions = Pick<
  SandboxOptions,
  'settings' | 'home' | 'userHome' | 'environment' | 'isRoot'
>;

/**
 * Tests the important limits from inside, under the policy that commands get: its own workspace, the user's real home, the
 * real lists. A line for each that fails. Restrictions from settings and rules are left out: they only add limits, and one
 * that no command can run with must not look like a missing sandbox.
 */
export async function testWalls(sandbox: Sandbox, options: SelfTestOptions): Promise<Result<string[]>> {
  const place = join(options.home, `self-test-${nameByProcess()}`);
  try {
    const made = ensurePrivateDirectory(place);
    if (!made.ok) return made;
    const real = resolveRealPath(place);
    for (const name of ['work', 'tmp']) mkdirSync(join(place, name), { mode: 0o700 });
    for (const name of ['canary', 'outside']) writeFileSync(join(place, name), '', { mode: 0o600 });
    const confined = await confine(sandbox, real, options);
    return confined.ok ? await runInside(confined.value) : confined;
  } catch (error) {
    return failure(`The sandbox cannot be tested: ${formatError(error)}`);
  } finally {
    removeTree(place);
  }
}

function confine(sandbox: Sandbox, place: string, options: SelfTestOptions) {
  const work = join(place, 'work');
  const { userHome, settings } = options;
  const launch = {
    ...{ file: '/bin/sh', cwd: work, env: { PATH: '/usr/bin:/bin', HOME: userHome, LC_ALL: 'C' } },
    args: [] as string[],
  };
  const inputs = {
    ...options,
    temporary: join(place, 'tmp'),
    writable: () => [],
    system: () => buildSystemView(options.isRoot),
    secrets: new ToolChainSecrets(),
    given: () => [join(place, 'outside')],
    denials: noDenials,
    settings: { ...settings, network: { ...settings.network, deniedDomains: [] } },
  };
  const scope = { writes: 'workspace' as const, directories: [work], rules: [] };
  const { policy } = planPolicy(launch, scope, inputs, [work]);
  const shown = policy.paths.filter(({ access }) => access !== 'none').map(({ path }) => path);
  const isShown = (path: string) => shown.some((one) => `${one}/`.startsWith(`${path}/`));
  const realHome = resolveRealPath(userHome);
  const hidden = listKnown(listNames(realHome))
    // The script gets them as words.
    .filter((name) => name.startsWith('.') && !isListedInHome(name) && name.isWellFormed())
    .map((name) => join(realHome, name))
    .filter((path) => !isShown(path))
    .slice(0, maxEntries);
  const system = inputs.system().hidden.filter((path) => path.startsWith('/etc/'));
  const sockets = settings.network.allowAllUnixSockets === true ? 'open' : 'closed';
  const places = [join(place, 'canary'), join(place, 'outside'), sockets, ...hidden, ...system];
  return sandbox.confine({ ...launch, args: ['-c', selfTestScript, 'self-test', ...places] }, policy);
}

const maxEntries = 12;

async function runInside(launch: ConfinedLaunch): Promise<Result<string[]>> {
  const descriptors: number[] = [];
  const pieces: Uint8Array[] = [];
  try {
    for (const { path, place } of launch.files) {
      const opened = place ? holdPlace(path) : ok(openSync(path, 'r'));
      if (!opened.ok) return opened;
      descriptors.push(opened.value);
    }
    const { file, args, cwd, env } = launch;
    const end = await spawnOwned({
      ...{ file, args, cwd, env: { ...env }, descriptors, takesAllAlong: true },
      ...{ owner: 'cadre-probe', clock: systemClock, timeoutMs: 20_000 },
      output: (chunk) => pieces.push(chunk),
    }).ended;
    const lines = Buffer.concat(pieces).toString('utf8').trimEnd().split('\n');
    // A script that did not reach its end has proved nothing.
    if (lines.at(-1) !== 'done')
      return failure(`The sandbox cannot be tested: ${lines[0] || end.problem || `exit code ${end.code}`}`);
    return ok(lines.slice(0, -1));
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
    launch.release?.();
  }
}
