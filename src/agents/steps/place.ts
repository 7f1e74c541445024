import { ok, type Result, usage } from '../../lib/result.ts';
import { escapeHarnessTags, remind } from '../../lib/text/harness-tags.ts';
import type { PermissionContext } from '../../permissions/context.ts';
import type { Look } from '../../places/look.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { AgentWorktree, FileLeases, Rule } from '../../protocol/index.ts';
import { lookAtFiles } from '../../shell/look-files.ts';
import { isWithin, relativeParts } from '../../workspace/paths.ts';
import { locateStand, locateWorkspace } from '../../workspace/worktrees/record.ts';
import { resolveIsolation } from '../isolation.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import type { LiveAgent } from '../roster.ts';
import { type AgentSpec, formatType } from '../spec.ts';
import type { AgentWorktrees } from '../worktrees.ts';
import { noEngine } from './type.ts';

export interface PlaceNeeds {
  worktrees: AgentWorktrees;
  /** Which agent writes which file, as an agent's tools see it. */
  openLeases(agentId: string): FileLeases;
}

/** Where it works: with its parent, in its own worktree, or elsewhere. */
export function placeStep({ worktrees, openLeases }: PlaceNeeds): AgentStep {
  return {
    name: 'place',
    async complete(spec, agents, signal) {
      spec.place.leases = openLeases(spec.id);
      const elsewhere = spec.earlier?.state.runsAt;
      const settled =
        elsewhere !== undefined
          ? await goElsewhere(spec, agents, elsewhere, signal)
          : spec.earlier
            ? await returnTo(spec, worktrees, signal)
            : await settle(spec, agents, worktrees, signal);
      if (!settled.ok) return settled;
      const { worktree } = spec.place;
      spec.place.cwd = worktree ? locateStand(worktree) : (spec.earlier?.state.cwd ?? spec.place.cwd);
      return settled;
    },
    async release({ place }) {
      if (place.worktree) place.kept = await worktrees.leave(place.worktree);
    },
  };
}

async function settle(
  spec: AgentSpec,
  agents: AgentKernel,
  worktrees: AgentWorktrees,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { id, parent, request, definition, place } = spec;
  const wish = request.worktree === undefined ? undefined : 'worktree';
  const isolation = resolveIsolation(spec, agents);
  if (wish && request.isolation !== undefined && request.isolation !== wish)
    return usage(`worktree: it goes with isolation: worktree, not with ${request.isolation}.`);
  if (request.host !== undefined && isolation !== 'remote')
    return usage(`host: it goes with isolation: remote, not with ${request.isolation ?? wish}.`);
  if (isolation === 'remote') return goElsewhere(spec, agents, isolation, signal);
  if (isolation !== 'worktree') return ok(undefined);
  const kept = worktreesKept(parent, definition?.name);
  if (kept)
    return wish
      ? usage(
          `worktree: no scratch copy can be made here. ${kept.reason}`,
          `Leave worktree out, or ${kept.hint}.`,
        )
      : usage(
          `isolation: worktree is not possible here. ${kept.reason}`,
          `Leave isolation out, choose a type without it, or ${kept.hint}.`,
        );
  const { name, description, worktree: copyOf } = request;
  const root = findHighest(parent.context.permissions.workspace);
  const { cwd } = place;
  const made = await worktrees.make({ agentId: id, description, copyOf, cwd, root, name, signal });
  if (!made.ok) {
    const { message, hint } = made.problem;
    return usage(
      wish ? `worktree: ${message}` : `isolation: worktree is not possible here. ${message}`,
      hint,
    );
  }
  place.worktree = made.value.record;
  spec.notes.push(...made.value.notes);
  place.gaps = made.value.notes;
  return ok(undefined);
}

/** Its files and its loop are in another place, which looks at once whether it can have them. */
async function goElsewhere(
  spec: AgentSpec,
  agents: AgentKernel,
  name: string,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { place, request, definition, conversation } = spec;
  const placement = agents.placements.get(name);
  if (!placement)
    return usage(
      `The agent type ${formatType(spec)} runs elsewhere (isolation: ${name}), which is not available here: ${noEngine}`,
    );
  place.runsAt = name;
  place.host = spec.earlier?.state.host ?? request.host ?? definition?.host;
  place.makesWorktree = true;
  // What it must know of its mode is said where it runs.
  conversation.reminder = undefined;
  return (await placement.prepare?.(agents, spec, signal)) ?? ok(undefined);
}

/** The directory that its parent is held to: its own, or one around it that was added. */
function findHighest({ cwd, directories }: CallWorkspace): string {
  const [highest = cwd] = directories
    .filter((directory) => isWithin(cwd, directory))
    .sort((a, b) => a.length - b.length);
  return highest;
}

/** The worktree of its earlier run, made again if it was removed. */
async function returnTo(
  spec: AgentSpec,
  worktrees: AgentWorktrees,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { state } = spec.earlier ?? {};
  if (!state?.worktree) return ok(undefined);
  const { worktree, name, description } = state;
  const kept = worktreesKept(spec.parent, spec.definition?.name);
  if (kept)
    return usage(`${spec.id} works in its own worktree. ${kept.reason} To message it again, ${kept.hint}.`);
  const again = await worktrees.again({ agentId: spec.id, name, description, signal }, worktree);
  if (!again.ok) return usage(`Its worktree can no longer be used. ${again.problem.message}`);
  const { record, news, notes } = again.value;
  spec.place.worktree = record;
  spec.notes.push(...notes);
  const told = [...(news === undefined ? [] : [news]), ...notes];
  if (told.length > 0) spec.conversation.reminder = remind(escapeHarnessTags(told.join('\n')));
  return ok(undefined);
}

/**
 * The permissions of an agent with its own worktree. Its worktree takes the place of the main checkout, which it can
 * read but never write. Rules that are anchored in the checkout apply to the worktree, too.
 */
export function isolatePermissions(
  worktree: AgentWorktree,
): (context: PermissionContext) => PermissionContext {
  const own = lookAtFiles([worktree.path]);
  return (context) => {
    const { look: around = own } = context.workspace;
    const look = {
      ...joinLooks(own, around),
      open: () => joinLooks(own.open?.() ?? own, around.open?.() ?? around),
    };
    return {
      ...context,
      rules: context.rules.flatMap((rule) => anchoredToo(rule, worktree)),
      workspace: isolateWorkspace({ ...context.workspace, look }, worktree),
    };
  };
}

/** Programs are those that the session finds, including git for history; so are the user's settings of git and credentials. */
function joinLooks(own: Look, around: Look): Look {
  const { past, otherProgram, otherRepositories, gitOpens, heeded } = around;
  const sameFile = (path: string) => own.sameFile(path) ?? around.sameFile(path);
  return { ...own, past, otherProgram, otherRepositories, gitOpens, heeded, sameFile };
}

/** Why no worktree may be made or opened for an agent now: that would be a change. Undefined if one may be. */
export function worktreesKept(
  { context: { permissions } }: LiveAgent,
  type: string | undefined,
): { reason: string; hint: string } | undefined {
  const { mode, ceiling, rules } = permissions;
  if (mode === 'plan' || ceiling.writes !== 'any')
    return {
      reason: 'In plan mode nothing may be changed, and creating a worktree is a change.',
      hint: 'wait until the plan is approved',
    };
  if (mode !== 'dontAsk' || rules.some((rule) => allowsWorktree(rule, type))) return undefined;
  return {
    reason: 'It makes a worktree, and mode dontAsk denies changes that no rule allows.',
    hint: 'ask the user to allow EnterWorktree',
  };
}

/** A rule that allows worktrees, all agents or this type of agent. */
function allowsWorktree({ behaviour, tool, specifier }: Rule, type: string | undefined): boolean {
  if (behaviour !== 'allow') return false;
  const isAny = specifier === undefined && (tool === 'EnterWorktree' || tool === 'Agent');
  return isAny || (tool === 'Agent' && specifier !== undefined && specifier === type);
}

function isolateWorkspace(workspace: CallWorkspace, worktree: AgentWorktree): CallWorkspace {
  const { main } = worktree;
  const own = locateWorkspace(worktree);
  const directories = workspace.directories.filter((directory) => {
    const real = workspace.realPath(directory);
    return !isWithin(real, main) && !isWithin(main, real);
  });
  return {
    ...workspace,
    cwd: own,
    directories,
    readable: [...(workspace.readable ?? []), locateWorkspace({ ...worktree, path: main })],
    isolated: {
      writes: [own, ...directories],
      from: main,
      start: workspace.isolated?.start ?? workspace.cwd,
    },
  };
}

function anchoredToo(rule: Rule, { path, main }: AgentWorktree): Rule[] {
  const within = relativeParts(rule.base, main);
  return within === undefined ? [rule] : [rule, { ...rule, base: [path, ...within].join('/') }];
}
