import { ok, type Result, usage } from '../lib/result.ts';
import { coordinatorRole } from '../permissions/roles.ts';
import { variableNotices } from '../settings/environment.ts';
import type { NewWorktree } from '../workspace/worktree-create.ts';
import { chooseModel } from './choose-model.ts';
import type { Claimed } from './claimed.ts';
import { checkJudge, noJudge } from './judge.ts';
import { mainAgent, optionsOf } from './main-agent.ts';
import { directoryNotices, settingsNotices, thinkingNotices, toolNotices } from './notices.ts';
import { actOnTape } from './on-tape.ts';
import { pathNoter } from './path-noter.ts';
import { readMemory, renderSystem } from './render-system.ts';
import { restore } from './restore.ts';
import { resumedMode } from './resumed-mode.ts';
import { isConfined } from './sandbox.ts';
import { settleAgents } from './settle-agents.ts';
import { settleCoordinator } from './settle-coordinator.ts';
import { settleHooks } from './settle-hooks.ts';
import { settleMcp } from './settle-mcp.ts';
import { settlePermissions } from './settle-permissions.ts';
import { settleSkills } from './settle-skills.ts';
import { settleTools } from './settle-tools.ts';
import type { Settled } from './settled.ts';
import { SlashCommands } from './slash-commands.ts';
import { startOf, worktreeWorld } from './worktrees.ts';

/** Makes every choice of a session that was claimed; what cannot be had is said here. */
export async function settle(claimed: Claimed): Promise<Result<Settled>> {
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
  const main = mainAgent(options.agent ?? restored?.state?.agent, agents.value);
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
  const pools = await settleTools({
    ...{ claimed: { ...claimed, options }, mode: mode.value, agents: agents.value, mcp: mcp.value, skills },
    ...{ main: main.value, models: models.value, rules: permissions.value.context().rules, noteTool },
  });
  if (!pools.ok) return pools;
  const { tools, all, builtIn, coordination, output } = pools.value;
  const preloaded = await skills.preload(agents.value.definitions);
  const leading = coordination?.definition ?? main.value;
  const worktree = await beginWorktree(claimed);
  if (!worktree.ok) return worktree;
  const seen = worktree.value ? { ...around, cwd: worktree.value.record.path } : around;
  const prompted = coordination?.prompted(asked) ?? asked;
  const system = renderSystem(prompted, seen, memory, tools, models.value.current.id, preloaded);
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
    ...directoryNotices(settings),
    ...variableNotices({ ...around.environment, ...settings.env }),
    ...(isAuto && !permissions.value.hasJudge ? [noJudge] : []),
    ...agents.value.notices,
    ...mcp.value.notices,
    ...skills.notices,
    ...(hooks?.notices ?? []),
    ...(hooks && reel ? [hooksOffTape] : []),
    ...toolNotices(permissions.value.context().rules, builtIn),
    ...system.notices,
    ...thinkingNotices(options.thinking, models.value.current),
  ];
  return ok({
    identity,
    options: asked,
    main: leading,
    coordination,
    around,
    settings,
    restored,
    models: models.value,
    permissions: permissions.value,
    tools: tools,
    allTools: all,
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
    output,
    worktree: worktree.value?.record,
    system: system.parts,
    notices,
    reel,
    releaseClaim,
  });
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
    sandboxed: await isConfined(options, settings, around),
  };
  const made = await actOnTape(reel)('--worktree', () => openWorktree(wanted, fill, worktreeWorld(around)));
  return made.ok ? made : usage(`--worktree: ${made.problem.message}`, made.problem.hint);
}

const hooksOffTape = 'Hooks run, but what they say is not recorded: a replay goes without them.';
