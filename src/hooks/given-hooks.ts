import type { HookEvent } from '../protocol/index.ts';
import type { HookEntry, HookFault, ReadHooks } from './entry.ts';
import { compileMatcher } from './matcher.ts';

/** Hooks that a program brings along, by event. */
export type GivenHooks = { readonly [Event in HookEvent]?: readonly GivenHook[] };

export interface GivenHook {
  /** As in settings. Absent: always. */
  readonly matcher?: string;
  /** In seconds; what the event gives unless said. */
  readonly timeout?: number;
  /** `block`: where no answer comes, it does not happen. */
  readonly onFailure?: 'block' | 'continue';
  /** Is given what a hook reads, and answers what a hook prints as JSON. */
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
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      run: async (input, toolUseId, signal) => hook.run(input, { toolUseId, signal }),
    },
  };
}
