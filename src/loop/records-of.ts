import type { AgentEvent, TranscriptRecord } from '../protocol/index.ts';

/** The records of an event for the agent's transcript, in this order, before the loop is pulled again. */
export function listEventRecords(event: AgentEvent): readonly TranscriptRecord[] {
  if (event.type === 'message_added') return [event.record];
  if (event.type === 'conversation_compacted') return [event.boundary, ...event.messages];
  if (event.type === 'tool_started' && event.effect && event.effect !== 'harmless')
    return [{ type: 'call-begun', toolUseId: event.toolUseId, effect: event.effect }];
  return [];
}
