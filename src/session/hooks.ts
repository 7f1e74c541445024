import { resolve } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import { hookStep } from '../agents/steps/hooks.ts';
import type { HookEntry, HookFault } from '../hooks/entry.ts';
import type { HookHost } from '../hooks/host.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Hooks } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import type { Kernel } from './kernel.ts';
import type { SessionSkills } from './knowledge/skills.ts';
import type { LeadHands } from './lead/hands.ts';
import type { Models } from './models.ts';
import type { SessionFeature } from './opening.ts';
import type { LeadPermissions } from './permissions.ts';

/** The user's hooks; absent if there are none. */
export interface OpenHooks {
  forLead?: Hooks | undefined;
}

/** The hooks of settings, plugins, agents and skills. Nothing is loaded for them if there are none. */
export function hookFeature(
  { hands }: LeadHands,
  { definitions, main }: AgentDefinitions,
  { on: coordinates }: CoordinatorChoice,
  { skills }: SessionSkills,
  models: Models,
  permissions: LeadPermissions,
): SessionFeature<OpenHooks> {
  return {
    name: 'hooks',
    async open(kernel) {
      const { tape } = kernel;
      // A replay runs no hooks, and their output is not on the tape.
      if (tape?.isReplay) return {};
      const inSkills = skills.some((skill) => skill.hooks !== undefined);
      const found = await findHooks(kernel, { definitions, main: coordinates ? undefined : main, inSkills });
      if (!found) return {};
      noteCommands(permissions, found);
      const leadType = coordinates ? 'coordinator' : main?.name;
      const session = openSessionHooks(kernel, found, { hands, models, permissions, leadType });
      return {
        forLead: session.lead,
        agentSteps: [
          hookStep(({ id, type, parentToolUseId, definition }) => {
            const mine = (definition && found.own.get(definition)) ?? [];
            return session.forAgent({ id, type, parentToolUseId }, mine);
          }),
        ],
        notices: [...found.notices, ...(tape ? [hooksOffTape] : [])],
        // As soon as a listener can be subscribed.
        ready: () => void setImmediate(() => void session.open()).unref(),
        async close({ isPassed }) {
          // The session has not ended: another process has it.
          if (!isPassed) await session.end('other');
        },
      };
    },
  };
}

/** What hooks from elsewhere than settings run is not for agents to change either. */
function noteCommands({ ownCommands }: LeadPermissions, { entries, own }: FoundHooks): void {
  for (const { handler, source } of [...entries, ...[...own.values()].flat()])
    if (source.kind === 'plugin' || source.kind === 'agent') ownCommands.addHooks(handler, source.file);
}

interface FoundHooks {
  entries: HookEntry[];
  leadEntries: HookEntry[];
  own: ReadonlyMap<AgentDefinition, HookEntry[]>;
  /** Whether any skill has hooks, and which hook sources are switched off. */
  skills?: { isOff(isManaged: boolean): boolean };
  notices: string[];
  SessionHooks: typeof SessionHooks;
}

/** All hooks, none of them run yet; undefined if there are none. */
async function findHooks(
  { options, place: around, settings }: Kernel,
  {
    definitions,
    main,
    inSkills,
  }: { definitions: readonly AgentDefinition[]; main: AgentDefinition | undefined; inSkills: boolean },
): Promise<FoundHooks | undefined> {
  const plugins = (options.pluginDirectories ?? []).map((path) => resolve(around.cwd, path));
  // The main agent's definition may be adapted to its part: then it is not among those of agents.
  const candidates = main && !definitions.includes(main) ? [...definitions, main] : definitions;
  const withHooks = candidates.filter((definition) => definition.hooks !== undefined);
  const isNone =
    settings.hooks.length + plugins.length + withHooks.length === 0 && !options.hooks && !inSkills;
  if (isNone) return undefined;
  const { isDisabled, loadHooks } = await import('../hooks/load-hooks.ts');
  const { ownHooks, SessionHooks: Opened } = await import('../hooks/session-hooks.ts');
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
  const refused = withHooks.filter((definition) => !mayRun(definition)).map(({ name }) => name);
  const held = [...new Set(refused)];
  const mainOwn = main ? (own.get(main) ?? []) : [];
  const all = [...entries, ...mainOwn];
  const notices = [...heldNotice(held), ...faultNotice(faults)];
  const isIdle = all.length === 0 && own.size === 0 && !inSkills;
  if (isIdle && notices.length === 0) return undefined;
  const isOff = (isManaged: boolean) => isDisabled(settings, isManaged ? 'managed' : 'agent');
  return {
    ...{ entries, leadEntries: mainOwn, own, notices, SessionHooks: Opened },
    ...(inSkills ? { skills: { isOff } } : {}),
  };
}

interface HookWorld {
  hands: LeadHands['hands'];
  models: Models;
  permissions: LeadPermissions;
  leadType: string | undefined;
}

function openSessionHooks(
  kernel: Kernel,
  { entries, leadEntries, skills, SessionHooks: Opened }: FoundHooks,
  { hands, models, permissions, leadType }: HookWorld,
): SessionHooks {
  const { identity, options, place, settings, environment, restored, log, events } = kernel;
  const { allowedHttpHookUrls } = settings;
  const host: HookHost = {
    sessionId: identity.id,
    transcriptPath: log.path,
    agentTranscript: (id) => (options.persist === false ? null : identity.files.agentTranscript(id)),
    projectDirectory: place.cwd,
    permissionMode: () => permissions.context().mode,
    clock: place.outside.clock,
    ids: place.outside.ids,
    shell: hands.shell.shell,
    environment: () => hands.shell.environment(),
    variables: environment,
    ...(allowedHttpHookUrls ? { allowedUrls: allowedHttpHookUrls } : {}),
    confine: async (launch) => {
      const { sandbox } = hands.shell;
      if ((await sandbox?.ready()) === undefined) return undefined;
      const { rules, workspace } = permissions.context();
      const directories = [place.cwd, ...workspace.directories];
      return sandbox?.confine(launch, { writes: 'workspace', directories, rules });
    },
    noteHooks: (hooks, file) => permissions.ownCommands.addHooks(hooks, file),
    model: (name) => models.resolve(name ?? smallModel(models, settings)),
    publish: (event) => events.publish(event),
  };
  return new Opened(host, {
    ...{ entries, leadEntries, model: models.current.id },
    source: identity.goesOn ? 'resume' : restored ? 'fork' : 'startup',
    ...(leadType === undefined ? {} : { leadType }),
    ...(skills ? { skills } : {}),
  });
}

/** A small model if one is certain to exist, else the session's own. */
function smallModel({ current }: Models, { modelAliases }: LoadedSettings): string | null {
  const isKnown = current.id.startsWith('anthropic/') || Object.hasOwn(modelAliases, 'haiku');
  return isKnown ? 'haiku' : null;
}

const hooksOffTape = 'Hooks run, but their output is not recorded; a replay runs without hooks.';

/** An agent defined by a repository brings its hooks only once they are trusted. */
export function mayRun({ source, trusted }: AgentDefinition): boolean {
  return source !== 'project' || trusted === true;
}

function heldNotice(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const agents = names.length === 1 ? 'the agent' : 'the agents';
  return [
    `Inactive until you trust this repository: hooks of ${agents} ${names.slice(0, 10).join(', ')}. Run cadre trust to review them.`,
  ];
}

const maxFaults = 5;

/** One line for each broken hook: a guard that does not run must not be overlooked. */
function faultNotice(faults: readonly HookFault[]): string[] {
  const lines = faults
    .slice(0, maxFaults)
    .map(({ file, field, reason }) =>
      visibleLine(`This hook will not run: ${file}, ${field}: ${reason}`, 500),
    );
  const left = faults.length - maxFaults;
  return left > 0 ? [...lines, `${left} more hooks will not run. Run cadre hooks to see why.`] : lines;
}
