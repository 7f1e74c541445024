import { HarnessCommands } from '../../hooks/harness-commands.ts';
import { findCutOff } from '../../landing/moving/journal.ts';
import type { Ground } from '../../landing/types.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { openRefusals } from '../../permissions/reader-refusals.ts';
import { watchRunningCommands } from '../../sandbox/running-commands.ts';
import type { SessionOptions } from '../../session/options.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { fillOptions, sweepDeadWorktrees } from '../../session/worktrees/worktrees.ts';
import { worktreeWorld } from '../../session/worktrees/world.ts';
import { findRepository } from '../../workspace/worktrees/repository.ts';
import { openCommandSandbox } from '../command-sandbox.ts';
import { readSettings } from '../read-settings.ts';
import { isPerson } from '../trust/repository-trust.ts';

interface OpenedLanding {
  ground: Ground;
  /** Leftovers of a crash. */
  notices: string[];
  close(): Promise<void>;
}

/** Landing without a session: settings read once, a sandbox for the gate and for git's filters. */
export async function openLanding(
  options: Pick<SessionOptions, 'cwd' | 'environment' | 'clock'>,
  purpose: 'look' | 'change',
): Promise<Result<OpenedLanding>> {
  const around = lookAround(options);
  const forgetCommands = watchRunningCommands(around.home);
  const opened = await openGround(around, purpose);
  if (!opened.ok) {
    forgetCommands();
    return opened;
  }
  const close = async () => {
    await opened.value.close();
    forgetCommands();
  };
  return ok({ ...opened.value, close });
}

async function openGround(around: Surroundings, purpose: 'look' | 'change'): Promise<Result<OpenedLanding>> {
  if (purpose === 'change' && !isPerson(around.environment))
    return usage(
      'An agent cannot land or drop work with this command.',
      'Use the Land tool, which asks the user.',
    );
  const settings = await readSettings(around);
  if (!settings.ok) return settings;
  const repository = await findRepository(around.cwd, worktreeWorld(around));
  if (!repository.ok) return repository;
  const { common } = repository.value;
  const notices =
    purpose === 'change' ? await sweepDeadWorktrees(around) : describeCutOff(around.home, common);
  const { gate } = settings.value.worktree;
  const held = settings.value.held.filter(({ key }) => ['worktree.gate', 'worktree.setup'].includes(key));
  for (const { key, file } of purpose === 'change' ? held : [])
    notices.push(
      `${key} in ${file} is not run: the repository is not trusted. cadre trust shows it and asks.`,
    );
  const opened = await openCommandSandbox(around, settings.value, (text) => notices.push(text));
  if (!opened.ok) return opened;
  const sandbox = opened.value;
  const { shellGate } = await import('../../landing/gate.ts');
  const env = { ...around.environment };
  const { rules } = settings.value;
  const world = worktreeWorld(around, { settings: settings.value, sandbox, rules: () => rules });
  const ownCommands = new HarnessCommands(settings.value);
  const refusals = openRefusals(around, settings.value, rules);
  return ok({
    ground: {
      repository: repository.value,
      world,
      fill: await fillOptions(settings.value, sandbox, refusals, { env, clock: world.clock, rules }),
      findDenied: refusals.writing,
      commands: () => ownCommands.list(),
      gate:
        gate === undefined
          ? undefined
          : shellGate({ command: gate, env, clock: world.clock, sandbox, rules }),
    },
    notices,
    close: async () => sandbox?.close(),
  });
}

/** A look changes nothing, so what a crash left half done stays, and is said. */
function describeCutOff(home: string, common: string): string[] {
  return findCutOff(home)
    .filter((journal) => journal.common === common)
    .map(
      ({ branch, top }) =>
        `A landing on ${branch} in ${top} was interrupted. cadre worktree land or cadre doctor --fix finishes it, or takes it back.`,
    );
}
