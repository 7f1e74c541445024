import type { LetterRecord } from '../protocol/index.ts';
import type { Identity } from './identity.ts';
import { isClaimed } from './owner.ts';
import type { Restored } from './restore.ts';

/**
 * Prompts that an earlier process took and did not read, where nobody else reads them: a copy gets them as well, unless a process has
 * the session that it was copied from. A session on a tape has what is on the tape.
 */
export function listWaiting({
  identity,
  restored,
  tape,
  place,
}: {
  identity: Identity;
  restored: Restored | undefined;
  tape: object | undefined;
  place: { readonly home: string };
}): LetterRecord[] {
  const { waiting = [], sessionId } = restored ?? {};
  if (tape || waiting.length === 0 || sessionId === undefined) return [];
  const isOurs = identity.goesOn || !isClaimed(place.home, sessionId);
  return isOurs ? waiting.map((record) => ({ ...record, sessionId: identity.id })) : [];
}

export function describeWaiting(count: number): string {
  const what = count === 1 ? 'A prompt was' : `${count} prompts were`;
  return `${what} waiting when the session ended, and ${count === 1 ? 'is' : 'are'} read now.`;
}
