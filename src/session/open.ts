import { ok, type Result, usage } from '../lib/result.ts';
import { coordinatorRole } from '../permissions/roles.ts';
import type { Tool } from '../protocol/index.ts';
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import { openTrust, type Trust } from '../settings/trust.ts';
import type { SessionSummary } from '../store/sessions.ts';
import { coreTools } from '../tools/index.ts';
import { installedRipgrep } from '../tools/ripgrep.ts';
import type { StructuredOutput } from '../tools/synthetic-output.ts';
import type { NewWorktree } from '../workspace/worktree-create.ts';
import { assemble } from './assemble.ts';
import { isAttended } from './attended.ts';
import { checkOptions } from './check-options.ts';
import { chooseModel } from './choose-model.ts';
import type { Coordination } from './coordination.ts';
import { type Identity, identify } from './identity.ts';
import { checkJudge, noJudge } from './judge.ts';
import { learnSecrets } from './learn-secrets.ts';
import { mainAgent, mainTools, optionsOf } from './main-agent.ts';
import { settingsNotices, thinkingNotices, toolNotices } from './notices.ts';
import { observeShell } from './observe-shell.ts';
import { actOnTape } from './on-tape.ts';
import { openReel, type SessionReel, withRecordedOptions } from './open-reel.ts';
import type { SessionOptions } from './options.ts';
import { claimSession, sweepDead } from './owner.ts';
import { pathNoter } from './path-noter.ts';
import { readMemory, renderSystem } from './render-system.ts';
import { findEarlier, restore } from './restore.ts';
import { resumedMode } from './resumed-mode.ts';
import { checkSandbox, isConfined, sweepConfined, withSandboxNoted } from './sandbox.ts';
import { Session } from './session.ts';
import { type SettledAgents, settleAgents } from './settle-agents.ts';
import { type CoordinatorChoice, settleCoordinator } from './settle-coordinator.ts';
import { settleHooks } from './settle-hooks.ts';
import { settleMcp } from './settle-mcp.ts';
import { type LeadPermissions, settlePermissions } from './settle-permissions.ts';
import { settleSkills } from './settle-skills.ts';
import { SlashCommands } from './slash-commands.ts';
import { checkHome, lookAround, type Surroundings } from './surroundings.ts';
import { poolTools } from './tool-pool.ts';
import { startOf, sweepDeadWorktrees, worktreeWorld } from './worktrees.ts';

/**
 * Opens a session: reads settings once, settles every choice into a value, and wires the parts. Whatever is wrong
 * with the user's input or configuration is found here, before a token is spent.
 */
export async function openSession(given: SessionOptions = {}): Promise<Result<Session>> {
  const wanted = await withRecordedOptions(given);
  if (!wanted.ok) return wanted;
  const options = wanted.value;
  const place = lookAround(options);
  const home = checkHome(place);
  if (!home.ok) return home;
  const checked = checkOptions(options, place);
  if (!checked.ok) return checked;
  const trust = openTrust({ home: place.home, root: place.root, everything: options.trust === true });
  const settings = await loadSettings({
    home: place.home,
    userHome: place.userHome,
    cwd: place.cwd,
    root: place.root,
    mainRoot: place.mainRoot,
    sources: options.settingSources ?? ['user', 'project', 'local'],
    ...(options.settings === undefined ? {} : { flagSettings: options.settings }),
    trusted: options.trust === true,
    trust,
  });
  if (!settings.ok) return settings;
  learnSecrets(place, settings.value);
  const confinable = await checkSandbox(options, settings.value);
  if (!confinable.ok) return confinable;
  const taped = await openReel(await withSandboxNoted(options, settings.value), place, settings.value);
  if (!taped.ok) return taped;
  const { reel, around } = taped.value;
  const earlier = await findEarlier(options, around);
  if (!earlier.ok) return earlier;
  const identity = identify(options, around, earlier.value);
  if (!identity.ok) return identity;
  sweepDead(around.layout.home, around.outside.ids);
  const sweepNotices = reel?.isReplay
    ? []
    : [...(await sweepConfined(around.layout.home)), ...(await sweepDeadWorktrees(around))];
  // Before the history is read: what another process still adds to it would be missed.
  const { id, files } = identity.value;
  const claim = claimSession(around.layout.home, id, files.directory, around.outside.ids);
  if (!claim.ok) return claim;
  const opened = await openClaimed({
    identity: identity.value,
    options: { ...options, ...questionsOf(options, reel) },
    around,
    settings: settings.value,
    trust,
    earlier: earlier.value,
    reel,
    releaseClaim: claim.value,
    sweepNotices,
  });
  if (!opened.ok) claim.value();
  return opened;
}

interface Claimed {
  identity: Identity;
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  trust: Trust;
  earlier: SessionSummary | undefined;
  reel: SessionReel | undefined;
  releaseClaim(): void;
  /** What was found of worktrees that were left behind. */
  sweepNotices: string[];
}

async function openClaimed(claimed: Claimed): Promise<Result<Session>> {
  const { identity, around, settings, trust, earlier, reel, releaseClaim } = claimed;
  const loaded = earlier ? await restore(earlier, around) : ok(undefined);
  if (!loaded.ok) return loaded;
  const restored = loaded.value;
  const resumed = resumedMode(claimed.options, settings, restored);
  const options = { ...claimed.options, ...(resumed.mode ? { permissionMode: resumed.mode } : {}) };
  const mode = settleCoordinator({ identity, options, around, settings, restored });
  if (!mode.ok) return mode;
  const agents = await settleAgents(options, around, settings, trust, mode.value.on);
  if (!agents.ok) return agents;
  const mcp = await settleMcp(options, around, settings, trust, agents.value.definitions);
  if (!mcp.ok) return mcp;
  const skills = await settleSkills(options, around, trust);
  const memory = await readMemory(around, settings);
  const main = mainAgent(options.agent ?? restored?.state?.agent, agents.value.definitions);
  if (!main.ok) return main;
  const asked = { ...optionsOf(main.value, restored?.state !== undefined), ...options };
  const models = await chooseModel({ identity, options: asked, around, settings, restored, reel });
  if (!models.ok) return models;
  const permissions = settlePermissions(asked, around, settings, identity.goesOn ? restored : undefined, {
    readable: [identity.files.directory],
    scratchpad: mode.value.scratchpad,
    role: mode.value.on ? coordinatorRole : main.value?.role,
  });
  if (!permissions.ok) return permissions;
  const noteTool = await pathNoter(memory, skills.skills, around.root);
  const isAuto = permissions.value.mode === 'auto';
  const judged = isAuto ? checkJudge({ options, settings, models: models.value }) : ok(undefined);
  if (!judged.ok) return judged;
  const builtIn = coreTools(options.ripgrep ?? installedRipgrep(), around.home, {
    environment: { ...around.environment, ...settings.env },
    attended: isAttended(options),
    servers: mcp.value.watching,
    ...(models.value.search ? { search: models.value.search } : {}),
  }).map((tool) => observeShell(noteTool(tool)));
  const driving = [...agents.value.tools, ...(await skills.makeTool(permissions.value.context().rules))];
  const allBuiltIn = [...builtIn, ...driving];
  const tools = poolTools(
    allBuiltIn,
    options.ownTools ?? [],
    options.tools,
    permissions.value.context().rules,
  );
  if (!tools.ok) return tools;
  if (main.value) tools.value.splice(0, tools.value.length, ...mainTools(main.value, tools.value));
  const all = poolTools(allBuiltIn, options.ownTools ?? [], undefined, permissions.value.context().rules);
  if (!all.ok) return all;
  const coordination = mode.value.on
    ? await coordinate(claimed, mode.value, allBuiltIn, all.value, agents.value, permissions.value)
    : undefined;
  if (coordination) tools.value.splice(0, tools.value.length, ...coordination.tools);
  if (reel) for (const pool of [tools.value, all.value]) wrapAll(pool, reel, driving, agents.value.recorded);
  const output = await openOutput(options.outputSchema);
  if (!output.ok) return output;
  if (output.value) tools.value.push(output.value.tool);
  const preloaded = await skills.preload(agents.value.definitions);
  const leading = coordination?.definition ?? main.value;
  const worktree = await beginWorktree(claimed);
  if (!worktree.ok) return worktree;
  const seen = worktree.value ? { ...around, cwd: worktree.value.record.path } : around;
  const prompted = coordination?.prompted(asked) ?? asked;
  const system = renderSystem(prompted, seen, memory, tools.value, models.value.current.id, preloaded);
  // A replay runs nothing, and what hooks said is not on the tape.
  const hooks = reel?.isReplay
    ? undefined
    : await settleHooks({
        ...{ options, around, settings, definitions: agents.value.definitions, main: leading },
        inSkills: skills.skills.some((skill) => skill.hooks !== undefined),
        source: identity.goesOn ? 'resume' : earlier ? 'fork' : 'startup',
        model: models.value.current.id,
      });
  const notices = [
    ...(restored?.notices ?? []),
    ...resumed.notices,
    ...mode.value.notices,
    ...claimed.sweepNotices,
    ...(worktree.value?.notes ?? []),
    ...settingsNotices(settings),
    ...(isAuto && !permissions.value.hasJudge ? [noJudge] : []),
    ...agents.value.notices,
    ...mcp.value.notices,
    ...skills.notices,
    ...(hooks?.notices ?? []),
    ...(hooks && reel ? [hooksOffTape] : []),
    ...toolNotices(permissions.value.context().rules, allBuiltIn),
    ...system.notices,
    ...thinkingNotices(options.thinking, models.value.current),
  ];
  return ok(
    new Session(
      assemble({
        identity,
        options: asked,
        main: leading,
        coordination,
        around,
        settings,
        restored,
        models: models.value,
        permissions: permissions.value,
        tools: tools.value,
        allTools: all.value,
        agents: { ...agents.value, renderSystem: system.renderAgent },
        mcp: mcp.value,
        hooks,
        skills,
        preloaded,
        slashCommands: new SlashCommands(
          skills,
          [mcp.value.commands, ...(options.commandSources ?? [])],
          (text) => around.secrets.hide(text),
        ),
        output: output.value,
        worktree: worktree.value?.record,
        system: system.parts,
        notices,
        reel,
        releaseClaim,
      }),
    ),
  );
}

/** Loaded only where a lead coordinates. */
async function coordinate(
  { identity, options, around, settings }: Claimed,
  mode: CoordinatorChoice,
  builtIn: readonly Tool[],
  all: readonly Tool[],
  agents: SettledAgents,
  permissions: LeadPermissions,
): Promise<Coordination> {
  const { openCoordination } = await import('./coordination.ts');
  const { rules } = permissions.context();
  const { scratchpad } = mode;
  const owner = identity.id;
  return openCoordination({ options, around, settings, agents, builtIn, all, rules, scratchpad, owner });
}

async function beginWorktree({
  options,
  around,
  settings,
  identity,
  reel,
}: Claimed): Promise<Result<NewWorktree | undefined>> {
  if (options.worktree === undefined) return ok(undefined);
  const { openWorktree } = await import('./worktree-desk.ts');
  const wanted = {
    ...{ cwd: around.cwd, session: identity.id, token: around.ids.token(6).toLowerCase() },
    name: options.worktree === true ? undefined : options.worktree,
    start: startOf(settings),
  };
  const { worktree } = settings;
  const fill = {
    copyDirectories: worktree.copyDirectories,
    linkDirectories: worktree.symlinkDirectories,
    sandboxed: await isConfined(options, settings),
  };
  const made = await actOnTape(reel)('--worktree', () => openWorktree(wanted, fill, worktreeWorld(around)));
  return made.ok ? made : usage(`--worktree: ${made.problem.message}`, made.problem.hint);
}

const hooksOffTape = 'Hooks run, but what they say is not recorded: a replay goes without them.';

/** What agents and skills do is on the tape itself, so that the tools that start and stop them are not. */
function wrapAll(pool: Tool[], reel: SessionReel, leading: readonly Tool[], recorded: readonly Tool[]): void {
  const goesOn = (tool: Tool) =>
    recorded.includes(tool) || (!leading.includes(tool) && tool.name !== 'TaskStop');
  const wrapped = pool.map((tool) => (goesOn(tool) ? reel.wrapTool(tool) : tool));
  pool.splice(0, pool.length, ...wrapped);
}

/** On a tape, and from one, answers to questions are there too. */
function questionsOf(
  options: SessionOptions,
  reel: SessionReel | undefined,
): Pick<SessionOptions, 'onQuestion'> {
  const onQuestion = reel?.wrapQuestions(options.onQuestion);
  return onQuestion ? { onQuestion } : {};
}

/** The tool by which the agent hands in an answer of a given shape; loaded only where one is wanted. */
async function openOutput(
  schema: SessionOptions['outputSchema'],
): Promise<Result<StructuredOutput | undefined>> {
  if (schema === undefined) return ok(undefined);
  const { outputTool } = await import('../tools/synthetic-output.ts');
  return outputTool(schema);
}
