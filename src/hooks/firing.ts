import type { HookEvent, HookedCall, HookPlace, HookView } from '../protocol/index.ts';
import type { HookEntry } from './entry.ts';
import { eventFacts } from './events.ts';
import type { HookedAgent, HookHost } from './host.ts';
import { nameForHooks } from './tool-fields.ts';

/** An occasion at which hooks are asked. */
export interface Firing {
  event: HookEvent;
  /** The text that matchers are compared with. */
  subject: string;
  /** The hook's input besides the common fields. */
  fields: Readonly<Record<string, unknown>>;
  agent: HookedAgent;
  at: HookPlace;
  call?: HookedCall;
  /** The upper limit for every hook, whatever it is configured with. */
  maxMs?: number;
  /** Ends hooks that run in the background. */
  background: AbortSignal;
}

/** The hooks that are asked, each once, however many files contain it. */
export function selectEntries(entries: readonly HookEntry[], firing: Firing): HookEntry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    if (!applies(entry, firing)) return false;
    const key = formatKey(entry);
    if (key !== undefined && seen.has(key)) return false;
    if (key !== undefined) seen.add(key);
    return true;
  });
}

function applies({ matches, only, event }: HookEntry, { subject, call }: Firing): boolean {
  const isMeant = matches(subject) || (call !== undefined && matches(nameForHooks(call)));
  if (!eventFacts[event].unmatched && !isMeant) return false;
  return only === undefined || call === undefined || call.covers(only) !== 'no';
}

function formatKey({ handler, only, source }: HookEntry): string | undefined {
  if (handler.type === 'callback') return undefined;
  const { timeoutMs: _, status: __, ...what } = handler;
  return JSON.stringify([what, only?.tool, only?.specifier, source.plugin]);
}

/** The hook's input. */
export function buildHookInput(host: HookHost, { event, fields, agent, at }: Firing): object {
  return {
    session_id: host.sessionId,
    transcript_path: host.transcriptPath ?? '',
    cwd: at.cwd,
    permission_mode: at.permissionMode,
    agent_id: agent.id ?? undefined,
    agent_type: agent.type,
    hook_event_name: event,
    ...fields,
  };
}

export function describeHook(entry: HookEntry, { event, subject, call }: Firing, id: string): HookView {
  return {
    id,
    event,
    name: subject === '' ? event : `${event}:${subject}`,
    source: entry.source.file,
    status: entry.handler.status || undefined,
    toolUseId: call?.toolUseId,
  };
}

export function chooseTimeout(
  { handler, event }: HookEntry,
  { maxMs = Number.POSITIVE_INFINITY }: Firing,
): number {
  const seconds = handler.type === 'prompt' ? 30 : eventFacts[event].seconds;
  return Math.min(handler.timeoutMs ?? seconds * 1000, maxMs);
}

/** The name by which users recognise a hook. */
export function formatHookName({ handler }: HookEntry): string {
  switch (handler.type) {
    case 'command':
      return [handler.command, ...(handler.args ?? [])].join(' ').slice(0, 200);
    case 'http':
      return handler.url.slice(0, 200);
    case 'prompt':
      return handler.prompt.slice(0, 100);
    case 'callback':
      return handler.id;
  }
}
