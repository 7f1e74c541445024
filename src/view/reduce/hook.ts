import { cutLine } from '../bound.ts';
import type { Draft } from '../draft.ts';
import type { EventOf } from '../entry.ts';
import { noteOnCall } from './call.ts';

/** Hooks are shown while they run, and afterwards only if they had something to say. */
export function reduceHook(
  draft: Draft,
  agentId: string | null,
  event: EventOf<'hook_started' | 'hook_ended'>,
): void {
  const { hook } = event;
  const { hooks } = draft.conversation(agentId).live;
  if (event.type === 'hook_started') {
    draft.setLive(agentId, { hooks: [...hooks, hook] });
    return;
  }
  draft.setLive(agentId, { hooks: hooks.filter(({ id }) => id !== hook.id) });
  const { word, outcome, stderr } = event.end;
  const isError = outcome === 'error';
  if (word === undefined && !isError) return;
  const text = cutLine(word ?? (stderr || 'failed'));
  const { toolUseId } = hook;
  if (toolUseId !== undefined && noteOnCall(draft, agentId, toolUseId, `${hook.name}: ${text}`)) return;
  draft.say(agentId, { kind: 'hook', name: hook.name, isError, text });
}
