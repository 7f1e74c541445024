import { resolve } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import type { HookedChild } from '../agents/services.ts';
import type { HookEntry } from '../hooks/entry.ts';
import type { HookHost } from '../hooks/host.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { Hooks, SessionSource } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

export interface HookNeeds {
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  definitions: readonly AgentDefinition[];
  /** Whether any skill has some. */
  inSkills: boolean;
  main: AgentDefinition | undefined;
  source: SessionSource;
  model: string;
}

/** Hooks that wait for the session they are for. */
export interface SettledHooks {
  notices: string[];
  open(host: HookHost): OpenedHooks;
}

export interface OpenedHooks {
  session: SessionHooks;
  forAgent(child: HookedChild): Hooks | undefined;
}

/** All hooks there are, of which nothing has run. Undefined where there are none: then nothing of them is loaded. */
export async function settleHooks(needs: HookNeeds): Promise<SettledHooks | undefined> {
  const { options, around, settings, definitions, inSkills, main, source, model } = needs;
  const plugins = (options.pluginDirectories ?? []).map((path) => resolve(around.cwd, path));
  const withHooks = definitions.filter((definition) => definition.hooks !== undefined);
  const isNone =
    settings.hooks.length + plugins.length + withHooks.length === 0 && !options.hooks && !inSkills;
  if (isNone) return undefined;
  const { isDisabled, loadHooks } = await import('../hooks/load-hooks.ts');
  const { ownHooks, SessionHooks } = await import('../hooks/session-hooks.ts');
  const { entries, faults } = loadHooks({
    ...{ settings, plugins },
    ...(options.hooks ? { given: options.hooks } : {}),
  });
  const own = new Map<AgentDefinition, HookEntry[]>();
  for (const definition of withHooks.filter(mayRun)) {
    const kind = definition.source === 'managed' ? 'managed' : 'agent';
    if (isDisabled(settings, kind)) continue;
    const read = ownHooks(definition, around.cwd, definition === main);
    own.set(definition, read.entries);
    faults.push(...read.faults);
  }
  const held = withHooks.filter((definition) => !mayRun(definition)).map(({ name }) => name);
  const mainOwn = main ? (own.get(main) ?? []) : [];
  const all = [...entries, ...mainOwn];
  const notices = [...heldNotice(held), ...faultNotice(faults.length)];
  const isIdle = all.length === 0 && own.size === 0 && !inSkills;
  if (isIdle && notices.length === 0) return undefined;
  return {
    notices,
    open(host) {
      const leadType = main ? { leadType: main.name } : {};
      const session = new SessionHooks(host, {
        ...{ entries, leadEntries: mainOwn, source, model, ...leadType },
        ...(inSkills
          ? { skills: { isOff: (isManaged) => isDisabled(settings, isManaged ? 'managed' : 'agent') } }
          : {}),
      });
      return {
        session,
        forAgent({ id, type, parentToolUseId, definition }) {
          const mine = (definition && own.get(definition)) ?? [];
          return session.forAgent({ id, type, parentToolUseId }, mine);
        },
      };
    },
  };
}

/** A repository's agent brings its hooks along only once they are trusted. */
export function mayRun({ source, trusted }: AgentDefinition): boolean {
  return source !== 'project' || trusted === true;
}

function heldNotice(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const agents = names.length === 1 ? 'the agent' : 'the agents';
  return [
    `Held until you trust this repository: hooks of ${agents} ${names.slice(0, 10).join(', ')}. cadre trust shows them and asks.`,
  ];
}

function faultNotice(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count === 1 ? 'One hook is' : `${count} hooks are`} broken and will not run; cadre hooks says why.`,
  ];
}
