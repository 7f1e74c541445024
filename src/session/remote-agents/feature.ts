import { join } from 'node:path';
import type { Placement } from '../../agents/kernel.ts';
import type { AgentWorktrees } from '../../agents/worktrees.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { openRefusals } from '../../permissions/reader-refusals.ts';
import type { ShellSandbox } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { readEngineAddress } from '../../remote/engines/address.ts';
import { fillSection } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import { chooseStart } from '../worktrees/worktrees.ts';
import { sessionWorld } from '../worktrees/world.ts';
import type { RemoteParts } from './parts.ts';

/** Remote agents of a session, as the rest of it sees them. */
export interface SessionRemote {
  /** Absent without an engine. */
  readonly parts: RemoteParts | undefined;
}

export interface RemoteNeeds {
  worktrees: AgentWorktrees;
  permissions: LeadPermissions;
  sandbox: ShellSandbox | undefined;
}

/** How agents are sent to workers. Nothing is loaded without an engine, and nothing is connected before the first agent needs it. */
export function remoteFeature(needs: RemoteNeeds): SessionFeature<{ remote: SessionRemote }> {
  return {
    name: 'remote agents',
    async open(kernel) {
      const remote = await openRemote(kernel, needs);
      if (!remote.ok) return remote;
      const { parts, placement, close } = remote.value;
      return ok({
        remote: { parts },
        placements: placement && [placement],
        close,
      });
    },
  };
}

interface OpenedRemote extends SessionRemote {
  placement?: Placement;
  close?(): Promise<void>;
}

async function openRemote(kernel: Kernel, needs: RemoteNeeds): Promise<Result<OpenedRemote>> {
  const { options, settings, environment, tape, identity, place } = kernel;
  const chosen = readRemoteSettings(kernel);
  const isOn = chosen.engine !== undefined && chosen.engine !== false;
  if (!isOn && options.remote === true && !tape)
    return usage(
      '--remote: agents run on workers, but no engine is set.',
      'Give --engine ADDRESS, or set remote.engine or CADRE_ENGINE.',
    );
  // What workers send is not on a tape.
  if (!chosen.engine || tape) return ok({ parts: undefined });
  const engine = openLink(chosen.engine);
  if (!engine.ok) return engine;
  const { memoryJobFiles, openJobFiles } = await import('./job-files.ts');
  const { remotePlacement } = await import('./placement.ts');
  const isKept = options.persist !== false;
  const { permissions, sandbox, worktrees } = needs;
  const unfinished = new Set<Promise<unknown>>();
  const parts: RemoteParts = {
    home: place.layout.home,
    session: kernel.id,
    world: sessionWorld(kernel, permissions, sandbox),
    start: chooseStart(settings),
    worktrees,
    files: isKept ? openJobFiles(join(identity.files.directory, 'remote')) : memoryJobFiles(),
    isKept,
    label: chosen.label,
    budgetShare: chosen.budgetShare,
    connect: engine.value.connect,
    title: engine.value.title,
    finish(work) {
      const noted = work.finally(() => unfinished.delete(noted));
      unfinished.add(noted);
    },
    rules: (agentId) => permissions.listRules(agentId),
    refuses: () => {
      const refusals = openRefusals({ ...place, environment }, settings, permissions.listRules(null));
      return async (path) => (await refusals.reading(path))?.reason;
    },
  };
  const close = async () => {
    await Promise.allSettled([...unfinished]);
    await engine.value.close();
  };
  return ok({ parts, placement: remotePlacement(parts), close });
}

/** Options come before variables, and these before files. */
export function readRemoteSettings({
  options,
  settings,
  environment,
}: Pick<Kernel, 'options' | 'settings' | 'environment'>) {
  const filled = fillSection(settingsTable.remote.section, settings.remote, environment);
  const given = { ...filled, ...keepDefined({ engine: options.engine, agents: options.remote }) };
  // Without an engine all agents run here.
  return { ...given, agents: given.agents && Boolean(given.engine) };
}

interface Link {
  title: string;
  connect(): Promise<Result<Engine>>;
  close(): Promise<void>;
}

/** An engine that is opened when it is first needed. One that a program has opened is closed by the program. */
function openLink(given: string | Engine): Result<Link> {
  if (typeof given !== 'string')
    return ok({ title: given.title, connect: async () => ok(given), close: async () => {} });
  const address = readEngineAddress(given);
  if (!address.ok) return address;
  let opened: Promise<Result<Engine>> | undefined;
  return ok({
    title: address.value.title,
    async connect() {
      opened ??= import('../../remote/open-engine.ts').then(({ openEngine }) => openEngine(given));
      const engine = await opened;
      if (!engine.ok) opened = undefined;
      return engine;
    },
    async close() {
      const engine = await opened;
      if (engine?.ok) await engine.value.close();
    },
  });
}
