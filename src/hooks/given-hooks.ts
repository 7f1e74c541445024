import type { HookEvent } from '../protocol/index.ts';
import type { HookEntry, HookFault, ReadHooks } from './entry.ts';
import { compileMatcher } from './matcher.ts';

/** Hooks that a program adds, by event. */
export type GivenHooks = { readonly [Event in HookEvent]?: readonly GivenHook[] };

export interface GivenHook {
  /** As in settings. If absent, always. */
  readonly matcher?: string;
  /** In seconds; the event's default if absent. */
  readonly timeout?: number;
  /** `block`: without an answer, the event is prevented. */
  readonly onFailure?: 'block' | 'continue';
  /** Receives a hook's input, and returns what a hook prints as JSON. */
  run(
    input: object,
    more: { toolUseId: string | undefined; signal: AbortSignal },
  ): Promise<object | undefined> | object | undefined;
}

/** They are the program's own: no settings switch them off. */
export function readGivenHooks(given: GivenHooks): ReadHooks {
  const read: ReadHooks = { entries: [], faults: [] };
  let count = 0;
  for (const [event, hooks] of Object.entries(given) as [HookEvent, readonly GivenHook[]][])
    for (const [index, hook] of hooks.entries()) {
      const entry = buildEntry(event, hook, `hook ${++count}`);
      if ('reason' in entry) read.faults.push({ ...entry, field: `hooks.${event}[${index}].matcher` });
      else read.entries.push(entry);
    }
  return read;
}

function buildEntry(event: HookEvent, hook: GivenHook, id: string): HookEntry | HookFault {
  const { matcher = '', timeout } = hook;
  const matches = compileMatcher(matcher);
  if (!matches.ok) return { file: 'the program', field: '', reason: matches.problem };
  return {
    event,
    matcher,
    matches: matches.value,
    source: { kind: 'host', file: 'the program', base: '/' },
    handler: {
      type: 'callback',
      id,
      failsClosed: hook.onFailure === 'block',
      timeoutMs: timeout === undefined ? undefined : timeout * 1000,
      run: async (input, toolUseId, signal) => hook.run(input, { toolUseId, signal }),
    },
  };
}
