import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import { isSessionId, sessionLayoutIn } from '../store/layout.ts';
import { projectDirectories } from '../store/transcript-files.ts';
import { coreTools } from '../tools/index.ts';
import { installedRipgrep } from '../tools/ripgrep.ts';
import { assemble } from './assemble.ts';
import { chooseModel } from './choose-model.ts';
import type { Identity } from './identity.ts';
import { thinkingNotice } from './lead.ts';
import type { SessionOptions } from './options.ts';
import { claimSession } from './owner.ts';
import { renderSystem } from './render-system.ts';
import { type Restored, restore } from './restore.ts';
import { Session } from './session.ts';
import { settlePermissions } from './settle-permissions.ts';
import { checkHome, lookAround, type Surroundings } from './surroundings.ts';
import { poolTools } from './tool-pool.ts';

/**
 * Opens a session: reads settings once, settles every choice into a value, and wires the parts. Whatever is wrong
 * with the user's input or configuration is found here, before a token is spent.
 */
export async function openSession(options: SessionOptions = {}): Promise<Result<Session>> {
  const around = lookAround(options);
  const home = checkHome(around);
  if (!home.ok) return home;
  const settings = await loadSettings({
    home: around.home,
    userHome: around.userHome,
    cwd: around.cwd,
    root: around.root,
    sources: options.settingSources ?? ['user', 'project', 'local'],
    ...(options.settings === undefined ? {} : { flagSettings: options.settings }),
    trusted: options.trust === true,
  });
  if (!settings.ok) return settings;
  const restored = await restore(options, around);
  if (!restored.ok) return restored;
  const identity = identify(options, around, restored.value);
  if (!identity.ok) return identity;
  return openAs(identity.value, options, around, settings.value, restored.value);
}

async function openAs(
  identity: Identity,
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  restored: Restored | undefined,
): Promise<Result<Session>> {
  const models = await chooseModel(options, around, settings, restored);
  if (!models.ok) return models;
  const permissions = settlePermissions(options, around, settings, restored, [identity.files.directory]);
  if (!permissions.ok) return permissions;
  const builtIn = coreTools(options.ripgrep ?? installedRipgrep(), around.home);
  const tools = poolTools(builtIn, options.ownTools ?? [], options.tools, permissions.value.context().rules);
  if (!tools.ok) return tools;
  const system = await renderSystem(options, around, settings, tools.value, models.value.current.id);
  const release = claimSession(identity.files.directory, identity.id);
  if (!release.ok) return release;
  const notices = [
    ...(restored?.notices ?? []),
    ...heldNotice(settings),
    ...system.notices,
    ...thinkingNotice(options.thinking, models.value.current),
  ];
  return ok(
    new Session(
      assemble({
        identity,
        options,
        around,
        settings,
        restored,
        models: models.value,
        permissions: permissions.value,
        tools: tools.value,
        system: system.parts,
        notices,
        releaseClaim: release.value,
      }),
    ),
  );
}

function identify(
  options: SessionOptions,
  around: Surroundings,
  restored: Restored | undefined,
): Result<Identity> {
  const fork = options.fork === true && restored !== undefined;
  if (options.sessionId !== undefined && !isSessionId(options.sessionId))
    return usage(`--session-id ${options.sessionId}: expected a UUID.`, 'For example the output of uuidgen.');
  if (options.sessionId !== undefined && restored && !fork)
    return usage(
      'A session that is gone on with keeps its id.',
      'Leave out --session-id, or add --fork-session.',
    );
  const goesOn = restored !== undefined && !fork;
  if (options.sessionId !== undefined && isTaken(around, options.sessionId))
    return usage(
      `--session-id ${options.sessionId}: there is a session with this id.`,
      'Go on with it by --resume, or give another id.',
    );
  const id = goesOn ? restored.sessionId : (options.sessionId ?? around.ids.uuid());
  const files = goesOn
    ? sessionLayoutIn(restored.projectDirectory, id)
    : around.layout.session(around.cwd, id);
  return ok({ id, files, goesOn });
}

function isTaken({ layout }: Surroundings, id: string): boolean {
  return projectDirectories(layout).some((directory) =>
    existsSync(sessionLayoutIn(directory, id).transcript),
  );
}

function heldNotice(settings: LoadedSettings): string[] {
  const named = (liftedBy: 'trust' | 'nothing') =>
    settings.held
      .filter((entry) => entry.liftedBy === liftedBy)
      .map((entry) => `${entry.key} (${entry.file})`)
      .join(', ');
  const [held, ignored] = [named('trust'), named('nothing')];
  return [
    ...(held
      ? [`Held until you trust this repository: ${held}. --trust lets them take effect in this run.`]
      : []),
    ...(ignored ? [`Ignored, since no repository may ask for it: ${ignored}.`] : []),
  ];
}
