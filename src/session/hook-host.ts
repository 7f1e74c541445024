import type { AgentContext } from '../loop/agent-context.ts';
import type { AgentEvent } from '../protocol/index.ts';
import type { SessionLog } from './log.ts';
import type { OpenedHooks } from './settle-hooks.ts';
import type { Settled } from './settled.ts';

export interface HookWiring {
  hands: AgentContext['hands'];
  log: SessionLog;
  publish(event: AgentEvent): void;
}

/** A small one where there surely is one; else the session's own. */
function smallModel({ models, settings }: Settled): string | null {
  const isKnown = models.current.id.startsWith('anthropic/') || Object.hasOwn(settings.modelAliases, 'haiku');
  return isKnown ? 'haiku' : null;
}

/** Opens the session's hooks, if there are any, and tells them of its start as soon as somebody can be listening. */
export function openHooks(settled: Settled, wiring: HookWiring): OpenedHooks | undefined {
  const { hooks, identity, options, around, settings, models, permissions } = settled;
  if (!hooks) return undefined;
  const { hands, log, publish } = wiring;
  const { allowedHttpHookUrls } = settings;
  const opened = hooks.open({
    sessionId: identity.id,
    transcriptPath: log.path,
    agentTranscript: (id) => (options.persist === false ? null : identity.files.agentTranscript(id)),
    projectDirectory: around.cwd,
    permissionMode: () => permissions.context().mode,
    clock: around.outside.clock,
    ids: around.outside.ids,
    shell: hands.shell.shell,
    environment: () => hands.shell.environment(),
    variables: { ...around.environment, ...settings.env },
    ...(allowedHttpHookUrls ? { allowedUrls: allowedHttpHookUrls } : {}),
    model: (name) => models.resolve(name ?? smallModel(settled)),
    publish,
  });
  const start = setImmediate(() => void opened.session.open());
  start.unref();
  return opened;
}
