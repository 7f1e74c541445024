// Loaded on first use in a session, which would wait for the real disk: in a simulation they are there from the start.
import '../../src/door/read-frame.ts';
import '../../src/loop/compact/compact.ts';
import '../../src/loop/run-tools.ts';
import '../../src/session/rewind-session.ts';
import type { AgentKernel } from '../../src/agents/kernel.ts';
import { SkillScopes } from '../../src/knowledge/skill-scope.ts';
import { ok } from '../../src/lib/result.ts';
import { Secrets } from '../../src/lib/secrets/secrets.ts';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import type { PermissionContext } from '../../src/permissions/context.ts';
import type { Model, Tool } from '../../src/protocol/index.ts';
import { claimFeature } from '../../src/session/claim.ts';
import { SessionCommands } from '../../src/session/commands.ts';
import type { Identity } from '../../src/session/identity.ts';
import { type Kernel, openKernel } from '../../src/session/kernel.ts';
import { Lead, type LeadParts } from '../../src/session/lead/lead.ts';
import { LeadState } from '../../src/session/lead/lead-state.ts';
import { Features } from '../../src/session/opening.ts';
import type { SessionClaim } from '../../src/session/owner.ts';
import type { Restored } from '../../src/session/restore.ts';
import type { SessionPorts } from '../../src/session/session-ports.ts';
import type { Surroundings } from '../../src/session/surroundings.ts';
import type { SuspendedWork } from '../../src/session/suspended-work.ts';
import { lateLetter } from '../../src/session/tasks.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { LoadedSettings } from '../../src/settings/loaded.ts';
import { openTrust } from '../../src/settings/trust.ts';
import { createLayout } from '../../src/store/layout.ts';
import type { Letter } from '../../src/tasks/inbox.ts';

export const sessionId = '00000000-0000-4000-8000-00000000cade';
export const cwd = '/dev/null/work';
/** Nothing can be made there: whatever does not go through the simulated disk fails. */
export const home = '/dev/null/simulated';
export const layout = createLayout(home);
export const transcriptPath = layout.transcript(cwd, sessionId);

export function identify(goesOn: boolean): Identity {
  return { id: sessionId, files: layout.session(cwd, sessionId), goesOn };
}

/** The right to a session that nobody else wants. */
export const soleClaim: SessionClaim = {
  ...{ epoch: 1, pid: 1, isClosedToEarlier: false, isTaken: false },
  ...{ check: () => ok(undefined), raise: () => ok(undefined) },
  onLost() {},
  pass() {},
  release() {},
};

/** The parts that a simulated process gives to its session. */
export interface SimulatedParts extends Pick<Surroundings, 'clock' | 'ids' | 'machine'> {
  claim: SessionClaim;
  model: Model;
  tools: readonly Tool[];
  /** What is on the disk from before. */
  restored: Restored | undefined;
  /** False: without a disk. */
  persist?: boolean;
  /** Replaces parts of the kernel by wrong ones, to see whether that is found. */
  plant?(kernel: Kernel): void;
  /** Continues what a limit had suspended. */
  goOn?(work: SuspendedWork, kernel: Kernel): void;
}

export interface SimulatedSession {
  kernel: Kernel;
  commands: SessionCommands;
  lead: Lead;
}

const trust = openTrust({ home, root: cwd, everything: true });
const settings = await loadDefaults();

/**
 * A session as `openSession` makes it, of the production's kernel, tasks, inbox, log, pump, commands, lead and loop, without the
 * features that touch the machine: no MCP, hooks, skills, sandbox, worktrees or files.
 */
export function openSimulated(parts: SimulatedParts): SimulatedSession {
  const kernel = openKernel({
    identity: identify(parts.restored !== undefined),
    options: { permissionMode: 'bypassPermissions', persist: parts.persist ?? true },
    place: makePlace(parts),
    settings,
    trust,
    claim: parts.claim,
    restored: parts.restored,
    tape: undefined,
  });
  parts.plant?.(kernel);
  const ports = makePorts(kernel, parts);
  const commands = new SessionCommands(kernel, ports);
  for (const record of parts.restored?.untold ?? [])
    kernel.inbox.post(lateLetter(record, ports.agents.settings));
  const work = parts.restored?.suspended;
  if (work) parts.goOn?.(work, kernel);
  if (work?.lead) kernel.inbox.post(goOnLetter);
  commands.listen();
  endOnLoss(kernel, commands);
  if (!kernel.inbox.isEmpty()) commands.pump.wake();
  return { kernel, commands, lead: ports.lead };
}

const goOnLetter: Letter = {
  ...{
    delivery: 'steer',
    content: [{ type: 'text', text: 'Your run continues.' }],
    origin: { kind: 'harness' },
  },
};

/** As the session's feature does. */
function endOnLoss(kernel: Kernel, commands: SessionCommands): void {
  const opened = claimFeature(commands).open(kernel);
  if ('ready' in opened) opened.ready?.();
}

function makePlace({ clock, ids, machine }: SimulatedParts): Surroundings {
  return {
    ...{ cwd, root: cwd, mainRoot: cwd, isRepository: false, userHome: home, home, layout },
    ...{ environment: {}, secrets: new Secrets(), shell: '/bin/sh', machine, clock, ids, atEnd: [] },
    outside: { clock, ids },
  };
}

/** What a session's features would contribute. Whatever is not used in a simulated run is missing, and fails loudly. */
function makePorts(kernel: Kernel, parts: SimulatedParts): SessionPorts {
  const agents = { settings: settings.agents ?? {}, tasks: kernel.tasks, roster: kernel.roster };
  const definitions = { settings: agents.settings, main: undefined };
  const hands = { hands: makeHands(kernel), warm() {}, async observeFiles() {} };
  const mcp = { isWanted: false, shown: [], status: () => [], tools: () => [], late: () => [] };
  // Typed: a changed port must not compile here, rather than lose every prompt.
  const read: LeadParts['prompts']['read'] = async (content) => ok(content);
  const prompts = { commands: () => [], skillNames: [], read };
  const permissions = makePermissions();
  const account = { report: () => ({ usd: 0 }) };
  const models = { current: parts.model, account, caps: {}, isBroken: () => false, noteUserAction() {} };
  const state = new LeadState(kernel, {
    ...{ models, permissions, judges: {}, agent: undefined, coordinates: false },
  } as unknown as ConstructorParameters<typeof LeadState>[1]);
  const lead = new Lead(kernel, {
    ...{ options: kernel.options, system: ['You are simulated.'], tools: parts.tools, allTools: parts.tools },
    ...{
      mcp,
      models,
      permissions,
      prompts,
      state,
      hands: hands.hands,
      scopes: new SkillScopes(),
      maxAgents: 10,
    },
    planning: { takeInstructions: () => undefined, forget() {} },
  } as unknown as LeadParts);
  const leases = { beginRun() {}, endRun() {} };
  return {
    ...{ agents: agents as unknown as AgentKernel, definitions, features: new Features(kernel), hands },
    ...{ lead, leases, mcp, permissions, prompts },
  } as unknown as SessionPorts;
}

function makePermissions() {
  const context: PermissionContext = {
    ...{ ceiling: openCeiling, role: fullRole, mode: 'bypassPermissions', rules: [] },
    workspace: { cwd, directories: [], home, userHome: home, realPath: (path) => ({ real: path }) as never },
  };
  return { context: () => context, mode: context.mode, hasJudge: false, noteRun() {} };
}

function makeHands({ tasks }: Kernel): AgentContext['hands'] {
  return {
    directory: { root: cwd, current: cwd, move() {} },
    files: { get: () => undefined, set() {} },
    history: { keep: async () => ok(undefined) },
    outputs: { pathFor: (name) => `/dev/null/outputs/${name}` },
    shell: { shell: '/bin/sh', environment: async () => ({}) } as AgentContext['hands']['shell'],
    tasks,
    todos: { replace() {} },
  };
}

async function loadDefaults(): Promise<LoadedSettings> {
  const places = { home, userHome: home, cwd, root: cwd, managedDirectories: [] };
  const loaded = await loadSettings({ ...places, sources: [], trusted: true, trust });
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value;
}
