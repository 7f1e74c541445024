import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import type { HookEvent, Note } from '../protocol/index.ts';

/** A hook's text for the model: labelled, and unable to pass for the harness itself. */
export function labelHookNote(event: HookEvent, text: string): Note {
  return labelled(`The user's ${event} hook adds:`, text);
}

export function goOnNote(event: HookEvent, text: string): Note {
  return labelled(`The user's ${event} hook keeps you from stopping:`, text);
}

function labelled(label: string, text: string): Note {
  return remind(`${label}\n${escapeHarnessTags(text)}`);
}
