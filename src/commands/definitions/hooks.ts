import { resolve } from 'node:path';
import { loadAgents } from '../../agents/definitions/load-agents.ts';
import type { HookEntry, HookFault } from '../../hooks/entry.ts';
import { formatHookName } from '../../hooks/firing.ts';
import { isDisabled, loadHooks } from '../../hooks/load-hooks.ts';
import { ownHooks, skillHooks } from '../../hooks/session-hooks.ts';
import { loadSkills } from '../../knowledge/load-skills.ts';
import { openSkill } from '../../knowledge/open-skill.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { mayRun } from '../../session/hooks.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { formatRule } from '../../settings/rules.ts';
import { openTrust, type Trust } from '../../settings/trust.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { joinSections, section } from './sections.ts';

type HooksFlags = FlagsOf<'hooks'>;

type State = 'runs' | 'held' | 'refused' | 'disabled';

interface Listed {
  hooks: { entry: HookEntry; state: State }[];
  broken: HookFault[];
}

/** `cadre hooks`: the configured hooks, their source, whether they run, and broken ones. Runs nothing. */
export async function printHooks(flags: HooksFlags): Promise<Result<string>> {
  const listed = await listHooks(lookAround({}), flags);
  if (!listed.ok) return listed;
  return ok(flags.json ? formatJson(buildReport(listed.value)) : page(listed.value));
}

async function listHooks(around: Surroundings, flags: HooksFlags): Promise<Result<Listed>> {
  const { cwd, root, home, userHome } = around;
  const trusted = flags.trust === true;
  const trust = openTrust({ home, root, everything: trusted });
  const settings = await readSettings(around, { trusted, trust, flagSettings: flags.settings });
  if (!settings.ok) return settings;
  const plugins = (flags.pluginDir ?? []).map((path) => resolve(cwd, path));
  const { entries, idle, faults } = loadHooks({ settings: settings.value, plugins });
  const listed: Listed = {
    hooks: [
      ...entries.map((entry) => ({ entry, state: 'runs' as const })),
      ...idle.map(({ entry, reason }) => ({ entry, state: reason })),
    ],
    broken: faults,
  };
  const { definitions } = await loadAgents({ cwd, root, home, userHome, trust, pluginDirectories: plugins });
  for (const definition of definitions) {
    const own = ownHooks(definition, cwd, false);
    const kind = definition.source === 'managed' ? 'managed' : 'agent';
    const state = !mayRun(definition) ? 'held' : isDisabled(settings.value, kind) ? 'disabled' : 'runs';
    listed.hooks.push(...own.entries.map((entry) => ({ entry, state: state as State })));
    listed.broken.push(...own.faults);
  }
  await addSkillHooks(listed, around, flags, settings.value, trust);
  return ok(listed);
}

/** Hooks that are active while a skill runs. */
async function addSkillHooks(
  listed: Listed,
  { cwd, root, home, userHome }: Surroundings,
  { pluginDir = [] }: HooksFlags,
  settings: LoadedSettings,
  trust: Trust,
): Promise<void> {
  const pluginDirectories = pluginDir.map((path) => resolve(cwd, path));
  const { skills } = await loadSkills({ cwd, root, home, userHome, pluginDirectories });
  for (const skill of skills) {
    if (!skill.hooks || skill.source === 'plugin') continue;
    const isManaged = skill.source === 'managed';
    const { name, file, hooks } = skill;
    const own = skillHooks({ name, file, isManaged, hooks }, cwd, true);
    const opened = await openSkill(skill, { cwd, root, trust });
    const mayRun = opened.ok && opened.value.scope.hooks !== undefined;
    const isOff = isDisabled(settings, isManaged ? 'managed' : 'agent');
    const state = !mayRun ? 'held' : isOff ? 'disabled' : 'runs';
    listed.hooks.push(...own.entries.map((entry) => ({ entry, state: state as State })));
    listed.broken.push(...own.faults);
  }
}

function buildReport({ hooks, broken }: Listed): object {
  return {
    hooks: hooks.map(({ entry, state }) => {
      const { event, matcher, only, handler, source } = entry;
      const { kind, file, agent, skill } = source;
      return {
        event,
        matcher,
        if: only ? formatRule(only) : undefined,
        state,
        source: { kind, file, agent, skill },
        handler: hideHeaders(handler),
      };
    }),
    broken,
  };
}

/** Without headers, which may hold secrets. */
function hideHeaders(handler: HookEntry['handler']): object {
  if (handler.type !== 'http') return handler;
  const { headers, ...shown } = handler;
  return { ...shown, headers: Object.keys(headers) };
}

const explanations: Record<State, string> = {
  runs: '',
  held: 'inactive until you trust it (cadre trust)',
  refused: 'refused: it points outside the repository',
  disabled: 'disabled by settings',
};

function page({ hooks, broken }: Listed): string {
  const rows = hooks.map(({ entry, state }) => row(entry, state));
  const faults = broken.map(({ file, field, reason }) => `${file}: ${field}: ${reason}`);
  return joinSections([
    rows.length > 0 ? rows.join('\n') : 'No hooks.',
    ...section('Broken, never run:', faults),
  ]);
}

function row(entry: HookEntry, state: State): string {
  const { event, matcher, only, handler, source } = entry;
  const about = [matcher, ...(only ? [`if ${formatRule(only)}`] : [])]
    .filter((part) => part !== '')
    .join(' ');
  const agent = source.agent === undefined ? '' : `, agent ${source.agent} only`;
  const skill = source.skill === undefined ? '' : `, while ${source.skill} runs`;
  return [
    `${event.padEnd(18)}  ${visibleLine(about || '*', 60).padEnd(16)}  ${handler.type.padEnd(7)}  ${visibleLine(formatHookName(entry), 200)}`,
    `    ${visibleLine(`${source.kind}, ${source.file}${agent}${skill}`, 500)}`,
    ...(state === 'runs' ? [] : [`    ${explanations[state]}`]),
  ].join('\n');
}
