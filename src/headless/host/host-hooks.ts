import type { GivenHook, GivenHooks } from '../../hooks/given-hooks.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import type { Ids } from '../../lib/ids.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { type HookEvent, hookEvents } from '../../protocol/index.ts';
import { type Io, writeFrame } from '../io.ts';
import type { ControlResponse } from './wire.ts';

/** Hooks that the host answers itself: each is a `hook_callback` request over the wire. */
export class HostHooks {
  readonly #waiting = new Map<string, PromiseWithResolvers<object | undefined>>();
  #isGone = false;

  constructor(
    private readonly io: Io,
    private readonly ids: Ids,
  ) {}

  /**
   * The `hooks` of an `initialize` request. An event that this version does not support is reported, and never asked
   * about.
   */
  read(given: unknown): Result<GivenHooks | undefined> {
    if (given === undefined || given === null) return ok(undefined);
    if (!isRecord(given)) return refuse('hooks', 'an object with events as keys');
    const hooks: { [Event in HookEvent]?: GivenHook[] } = {};
    for (const [name, groups] of Object.entries(given)) {
      const event = hookEvents.find((known) => known === name);
      if (!Array.isArray(groups)) return refuse(`hooks.${name}`, 'a list');
      if (!event && groups.some((group) => isRecord(group) && group.onFailure === 'block'))
        return usage(
          `The host's initialize request, hooks.${visibleLine(name, 60)}: this version does not support the event, and its onFailure is "block".`,
          'Leave it out.',
        );
      if (!event) {
        this.io.writeErr(
          `cadre: the host's ${visibleLine(name, 60)} hooks will not run: this version does not support the event.\n`,
        );
        continue;
      }
      for (const group of groups) {
        const read = this.#readGroup(event, group);
        if (!read.ok) return read;
        hooks[event] = [...(hooks[event] ?? []), ...read.value];
      }
    }
    return ok(Object.keys(hooks).length === 0 ? undefined : hooks);
  }

  /** False when the response belongs to no hook. */
  answer({ response }: ControlResponse): boolean {
    const waiting = this.#waiting.get(response.request_id);
    if (!waiting) return false;
    this.#waiting.delete(response.request_id);
    if (response.subtype === 'error') waiting.reject(new Error(response.error));
    else waiting.resolve(isRecord(response.response) ? response.response : {});
    return true;
  }

  /** The host closed its side: no more answers will come. */
  leave(): void {
    this.#isGone = true;
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(gone));
    this.#waiting.clear();
  }

  #readGroup(event: HookEvent, group: unknown): Result<GivenHook[]> {
    const at = `hooks.${event}`;
    if (!isRecord(group)) return refuse(at, 'objects with hookCallbackIds');
    const { matcher, hookCallbackIds: ids, timeout, onFailure } = group;
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
      return refuse(`${at}.hookCallbackIds`, 'a list of ids');
    const when = {
      matcher: typeof matcher === 'string' ? matcher : undefined,
      timeout: typeof timeout === 'number' && timeout > 0 ? timeout : undefined,
      onFailure: onFailure === 'block' ? ('block' as const) : undefined,
    };
    return ok(
      ids.map((id: string): GivenHook => ({ ...when, run: (input, more) => this.#ask(id, input, more) })),
    );
  }

  async #ask(
    callback_id: string,
    input: object,
    { toolUseId, signal }: Parameters<GivenHook['run']>[1],
  ): Promise<object | undefined> {
    if (this.#isGone) throw new Error(gone);
    const request_id = this.ids.uuid();
    const answer = Promise.withResolvers<object | undefined>();
    this.#waiting.set(request_id, answer);
    const cancel = () => {
      if (!this.#waiting.delete(request_id)) return;
      void writeFrame(this.io, { type: 'control_cancel_request', request_id });
      answer.resolve(undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    const request = { subtype: 'hook_callback', callback_id, input, tool_use_id: toolUseId };
    await writeFrame(this.io, { type: 'control_request', request_id, request });
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

const gone = 'the host closed the connection';

function refuse(field: string, expected: string): Result<never> {
  return usage(
    `The host's initialize request: ${visibleLine(field, 100)}: expected ${expected}.`,
    'Fix the host program.',
  );
}
